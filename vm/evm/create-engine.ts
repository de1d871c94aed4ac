/** The engine that executes this chain's contracts. */
import type { ExecutionRules } from "../execution/rules.ts";
import type { EvmEngine } from "./evm-engine.ts";
import { type EngineOptions, InterpreterEngine } from "./interpreter/engine.ts";

export function createEvmEngine(rules: ExecutionRules, options: EngineOptions = {}): EvmEngine {
  return new InterpreterEngine(rules, options);
}
