/** The engine that executes this chain's contracts. */
import type { ExecutionRules } from "../execution/rules.ts";
import type { EvmEngine } from "./evm-engine.ts";
import { InterpreterEngine } from "./interpreter/engine.ts";

export function createEvmEngine(rules: ExecutionRules): EvmEngine {
  return new InterpreterEngine(rules);
}
