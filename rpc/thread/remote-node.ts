/** The node's own thread as methods see it from the RPC's thread, and how the node answers them. */
import type { Hex } from "../../base/bytes.ts";
import type { Progress } from "../../base/progress.ts";
import type { SeenProgress } from "../../chain/runtime/progress-board.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import type { NodePort, WaitingContent, WaitingQuery } from "../chain-view.ts";
import { RECOVERED_PER_TURN } from "../limits.ts";
import type { Channel, Handlers } from "./channel.ts";
import { paced } from "./paced.ts";
import { SharedQuestions } from "./shared-questions.ts";

/** A transaction on its way between threads. */
export interface SentTransaction {
  readonly raw: Uint8Array;
  readonly sender: Address;
}

export function sent({ transaction, sender }: RecoveredTransaction): SentTransaction {
  // A copy: what it may be a part of would cross whole.
  return { raw: transaction.raw.slice(), sender };
}

export function received({ raw, sender }: SentTransaction): RecoveredTransaction {
  return { transaction: decodeTransaction(raw), sender };
}

/** A client's transaction on its way to the node; its sender where this thread has recovered it. */
interface Submitted {
  readonly raw: Uint8Array;
  readonly sender: Address | undefined;
}

interface SentContent extends Omit<WaitingContent, "transactions"> {
  readonly transactions: readonly SentTransaction[];
}

export function remoteNode(channel: Pick<Channel, "ask">): NodePort {
  const contents = new SharedQuestions();
  const statuses = new SharedQuestions();
  const reports = new SharedQuestions();
  const recover = fewPerTurn();
  return {
    submit: async (raw) => await channel.ask("submit", { raw, sender: recover(raw) } satisfies Submitted),
    waiting: async (hash) => {
      const found = await channel.ask<SentTransaction | undefined>("waiting", hash);
      return found && received(found);
    },
    waitingContent: (query) =>
      contents.ask(`${query.limit} ${query.sender ?? ""}`, async () => {
        const content = await channel.ask<SentContent>("waitingContent", query);
        return { ...content, transactions: content.transactions.map(received) };
      }),
    nextNonce: (address) => channel.ask("nextNonce", address),
    status: () => statuses.ask("status", () => channel.ask("status", undefined)),
    progress: {
      report: (progress) => channel.ask("reportProgress", progress),
      of: (job) => reports.ask<readonly SeenProgress[]>(String(job), () => channel.ask("progressOf", job)),
    },
  };
}

/**
 * Recovers the senders of transactions that come one by one: the node would have to wake another thread for each, which
 * costs as much again (measured). Many at once are left to the node, whose threads share them. Throws a TransactionError.
 */
function fewPerTurn(): (raw: Uint8Array) => Address | undefined {
  let left = RECOVERED_PER_TURN;
  return (raw) => {
    if (left === 0) return undefined;
    if (left === RECOVERED_PER_TURN) {
      setImmediate(() => {
        left = RECOVERED_PER_TURN;
      });
    }
    left--;
    return recoverSender(decodeTransaction(raw));
  };
}

/** The other end. */
export function nodeAnswers(node: NodePort): Handlers {
  return {
    submit: ({ raw, sender }: Submitted) => node.submit(raw, sender),
    waiting: async (hash: Hex) => {
      const found = await node.waiting(hash);
      return found && sent(found);
    },
    waitingContent: paced(async (query: WaitingQuery): Promise<SentContent> => {
      const content = await node.waitingContent(query);
      return { ...content, transactions: content.transactions.map(sent) };
    }),
    nextNonce: (address: Address) => node.nextNonce(address),
    status: paced(() => node.status()),
    reportProgress: (progress: Progress) => node.progress.report(progress),
    progressOf: (job: bigint) => node.progress.of(job),
  };
}
