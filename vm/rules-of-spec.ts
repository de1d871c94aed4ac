import type { ChainSpec } from "../genesis/chain-spec.ts";
import type { ExecutionRules } from "./execution/rules.ts";
import type { NativeModule } from "./modules/module.ts";
import { createTokenModule } from "./modules/token/token.ts";

/** The rules by which the chain of this spec executes. */
export function rulesOfSpec(spec: ChainSpec): ExecutionRules {
  return {
    chainId: spec.chainId,
    fork: spec.fork,
    allowUnprotected: spec.block.allowUnprotected,
    maxTransactionBytes: spec.block.maxTransactionBytes,
    modules: new Map(modulesOfSpec(spec).map((module) => [module.address, module])),
  };
}

/** Every native module, in the order in which they end a block. */
export function modulesOfSpec(spec: ChainSpec): readonly NativeModule[] {
  return [createTokenModule(spec.modules.token)];
}
