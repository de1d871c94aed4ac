/** Where a call runs: the state and the block that it sees. */
import type { MovedPrecompiles } from "../../vm/evm/interpreter/precompiles/precompiles.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { overriddenState, type StateOverrides } from "../../vm/state/state-override.ts";
import { callEnvironment } from "../call-environment.ts";
import { type BlockOverrides, overriddenEnvironment } from "../state-override.ts";
import { blockWithState, type JobBlock } from "./job-block.ts";
import type { JobContext } from "./job-context.ts";
import { precompileMoves } from "./precompile-moves.ts";

export interface CallPlace {
  readonly block: JobBlock;
  readonly stateOverrides: StateOverrides;
  readonly blockOverrides: BlockOverrides;
}

export interface CallSetting {
  readonly state: StateReader;
  readonly environment: BlockEnvironment;
  readonly precompiles: MovedPrecompiles | undefined;
}

export function callSetting(context: JobContext, place: CallPlace): CallSetting {
  const { block, state } = blockWithState(context, place.block);
  return {
    state: overriddenState(state, place.stateOverrides),
    environment: overriddenEnvironment(callEnvironment(context.chain, block), place.blockOverrides),
    precompiles: precompileMoves(place.stateOverrides, context.rules.fork),
  };
}
