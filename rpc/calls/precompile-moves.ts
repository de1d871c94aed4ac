/** Where the precompiles are during a call whose caller has moved some. */
import { type MovedPrecompiles, precompilesOf } from "../../vm/evm/interpreter/precompiles/precompiles.ts";
import type { Fork } from "../../vm/execution/rules.ts";
import { movedByOverrides, type StateOverrides } from "../../vm/state/state-override.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";

/** Throws what clients of Ethereum answer when there is nothing to move, or nowhere. */
export function precompileMoves(overrides: StateOverrides, fork: Fork): MovedPrecompiles | undefined {
  const moves = movedByOverrides(overrides);
  if (moves === undefined) return undefined;
  const usual = precompilesOf(fork);
  for (const [from, to] of moves) {
    if (to === undefined) continue;
    if (!usual.has(from)) throw new RpcError(REFUSED, `account ${from} is not a precompile`, REASON);
    if (to === from) throw new RpcError(REFUSED, `account ${from} is already overridden`, REASON);
  }
  return moves;
}

const REASON = { code: "PRECOMPILE_NOT_MOVABLE" };
