import type { JobContext, ReadsAnswer } from "./job-context.ts";

export interface ReadsRequest {
  /** A list of requests, all of reads by what its text looks like. */
  readonly body: string;
  /** The last block that the caller knows. */
  readonly head: bigint;
}

/** A batch of reads, begun on another thread than the RPC's: so they have all processors, as calls do. */
export function readsJob({ chain, answerReads, onLater }: JobContext, { body, head }: ReadsRequest): ReadsAnswer {
  if (chain.head.header.number !== head) onLater?.();
  return answerReads(body);
}
