/** A block as it was executed, to be run again. */
import { blockConsensusOf } from "../../chain/blocks/consensus-of.ts";
import { environmentOf } from "../../chain/blocks/environment-of.ts";
import { isSealHeader } from "../../chain/blocks/header.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { BlockReplay } from "../../vm/execution/replay.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import type { WholeBlock } from "../block-reference.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import { requireValidators } from "../validators-of-epoch.ts";
import type { JobContext } from "./job-context.ts";

/** Throws STORE_NO_ARCHIVE when the state before the block is not kept, EPOCH_UNKNOWN when its validators are not. */
export function replayOf({ chain, rules }: JobContext, { block }: WholeBlock): BlockReplay {
  const { header } = block;
  if (header.number === 0n) {
    throw new RpcError(REFUSED, "genesis is not traceable", { code: "GENESIS_NOT_TRACEABLE" });
  }
  const validators = requireValidators(chain, header.extra.epoch);
  const consensus = blockConsensusOf(header.extra, validators.length, isSealHeader(header));
  const environment = environmentOf(header, (number) => chain.header(Number(number))?.hash, consensus);
  return new BlockReplay(rules, chain.stateAt(Number(header.number) - 1), environment);
}

export function transactionsOf({ body }: WholeBlock): readonly RecoveredTransaction[] {
  return body.transactions.map((raw, index) => ({
    transaction: decodeTransaction(raw),
    sender: body.senders[index] as `0x${string}`,
  }));
}
