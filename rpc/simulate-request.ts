/** The first parameter of eth_simulateV1: blocks of calls that nobody has sent. */
import type { StateOverrides } from "../vm/state/state-override.ts";
import { type CallRequest, callRequest } from "./call-request.ts";
import { TOO_MANY_BLOCKS } from "./calls/simulate/simulate-errors.ts";
import { MAX_SIMULATED_BLOCKS, MAX_SIMULATED_CALLS } from "./limits.ts";
import { boolean, list, mapped, named, object, type Parameter } from "./parameters.ts";
import { invalidParams, RpcError } from "./rpc-error.ts";
import {
  type BlockOverrides,
  blockOverrides,
  NO_BLOCK_OVERRIDES,
  NO_OVERRIDES,
  stateOverrides,
} from "./state-override.ts";

export interface SimulatedBlockRequest {
  readonly blockOverrides: BlockOverrides;
  readonly stateOverrides: StateOverrides;
  readonly calls: readonly CallRequest[];
}

export interface SimulateRequest {
  readonly blocks: readonly SimulatedBlockRequest[];
  /** Tells of money that moves, too, as a log of Ether would. */
  readonly traceTransfers: boolean;
  /** Nonces and fees as in a real block. */
  readonly validation: boolean;
  readonly returnFullTransactions: boolean;
}

const block: Parameter<SimulatedBlockRequest> = mapped(
  object("a block: an object with blockOverrides, stateOverrides and calls", {
    blockOverrides,
    stateOverrides,
    calls: list(callRequest, MAX_SIMULATED_CALLS),
  }),
  ({ blockOverrides: header, stateOverrides: state, calls }) => ({
    blockOverrides: header ?? NO_BLOCK_OVERRIDES,
    stateOverrides: state ?? NO_OVERRIDES,
    calls: calls ?? [],
  }),
);

const someBlocks = list(block, MAX_SIMULATED_BLOCKS);

const simulatedBlocks: Parameter<readonly SimulatedBlockRequest[]> = {
  ...someBlocks,
  read(value, where) {
    if (!Array.isArray(value) || value.length <= MAX_SIMULATED_BLOCKS) return someBlocks.read(value, where);
    throw new RpcError(TOO_MANY_BLOCKS, `too many blocks: at most ${MAX_SIMULATED_BLOCKS}`);
  },
};

export const simulateRequest: Parameter<SimulateRequest> = mapped(
  named(
    "payload",
    object("what to simulate: an object with blockStateCalls", {
      blockStateCalls: simulatedBlocks,
      traceTransfers: boolean,
      validation: boolean,
      returnFullTransactions: boolean,
    }),
  ),
  ({ blockStateCalls: blocks, traceTransfers, validation, returnFullTransactions }, where) => {
    if (blocks === undefined || blocks.length === 0) throw invalidParams(`${where}.blockStateCalls: empty input`);
    if (blocks.reduce((sum, { calls }) => sum + calls.length, 0) > MAX_SIMULATED_CALLS) {
      throw invalidParams(`${where} has at most ${MAX_SIMULATED_CALLS} calls`);
    }
    return {
      blocks,
      traceTransfers: traceTransfers ?? false,
      validation: validation ?? false,
      returnFullTransactions: returnFullTransactions ?? false,
    };
  },
);
