/** The node's own thread as methods see it from the RPC's thread, and how the node answers them. */
import type { Hex } from "../../base/bytes.ts";
import type { Progress } from "../../base/progress.ts";
import type { SeenProgress } from "../../chain/runtime/progress-board.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import type { NodePort, WaitingContent, WaitingQuery } from "../chain-view.ts";
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

interface SentContent extends Omit<WaitingContent, "transactions"> {
  readonly transactions: readonly SentTransaction[];
}

export function remoteNode(channel: Pick<Channel, "ask">, submissions: Pick<NodePort, "submit">): NodePort {
  const contents = new SharedQuestions();
  const statuses = new SharedQuestions();
  const reports = new SharedQuestions();
  return {
    submit: (raw, connection) => submissions.submit(raw, connection),
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

/** The other end. */
export function nodeAnswers(node: NodePort): Handlers {
  return {
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
