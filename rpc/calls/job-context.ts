import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { MessageCaller } from "../../vm/execution/call-message.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import type { ChainReads } from "../chain-view.ts";
import type { RpcLimits } from "../limits.ts";

/** To the first requests of a batch of reads. */
export interface ReadsAnswer {
  /** How many the batch has; 0 when it is not what its text looks like. */
  readonly requests: number;
  /** How many requests it is for. */
  readonly count: number;
  /** With a comma between two answers. */
  readonly text: string;
  /** Places of those that failed, and the codes of their errors. */
  readonly failures: readonly (readonly [place: number, code: number])[];
}

/** What jobs work with, on whichever thread. */
export interface JobContext {
  readonly chain: ChainReads;
  readonly spec: ChainSpec;
  readonly rules: ExecutionRules;
  readonly caller: MessageCaller;
  readonly limits: RpcLimits;
  answerReads(body: string): ReadsAnswer;
  /** Told when a job runs on a later block than it was asked to. */
  readonly onLater?: (() => void) | undefined;
}
