import { isCoded } from "../../../base/errors.ts";
import { splitBlock } from "../../../chain/blocks/block.ts";
import type { Block } from "../../../chain/consensus/types.ts";
import type { Actor } from "./actor.ts";

const PER_MESSAGE = 3;

/** Fills the others' mempools with what is no transaction, and with transactions that are final already. */
export const transactionSpammer: Actor = {
  name: "transaction-spammer",
  *outgoing({ prng, state, publish }, said) {
    const junk = Array.from({ length: PER_MESSAGE }, () => prng.bytes(1 + prng.below(200)));
    publish([...junk, ...transactionsOf(state.final)]);
    // A copy, since what is said as it was counts as honest.
    yield { ...said };
  },
};

/** None of the counter's, which nobody gossips. */
function transactionsOf({ body }: Block): readonly Uint8Array[] {
  try {
    return splitBlock(body).transactions;
  } catch (error) {
    if (isCoded(error)) return [];
    throw error;
  }
}
