/** The port for signature checks: on another thread in a node, in place where there is one thread only. */
import { CodedError } from "../../base/errors.ts";
import { type CheckJob, type CheckResult, checkJob } from "../consensus/check-job.ts";
import type { Crypto } from "../consensus/crypto.ts";

export type VerificationErrorCode =
  /** More waits than may: what this job checks has to be sent again. */
  | "VERIFICATION_OVERLOADED"
  /** The thread died on this job more than once. */
  | "VERIFICATION_WORKER_DIED"
  | "VERIFICATION_CLOSED";

export interface Verifier {
  /** What `checkJob` answers. Jobs may be answered in another order than asked. Rejects with VerificationErrorCode. */
  check(job: CheckJob): Promise<CheckResult>;
  /** So much waits that no more should be taken from peers. Jobs are still taken, up to the limit. */
  readonly isBusy: boolean;
  /** Resolves when it is not busy. */
  ready(): Promise<void>;
  /** Rejects what is under way. */
  close(): Promise<void>;
}

export function inlineVerifier(chainId: bigint, crypto: Crypto): Verifier {
  let isClosed = false;
  return {
    isBusy: false,
    ready: async () => undefined,
    check: async (job) => {
      if (isClosed) throw verificationClosed();
      return checkJob(job, chainId, crypto);
    },
    close: async () => {
      isClosed = true;
    },
  };
}

export function verificationClosed(): CodedError<VerificationErrorCode> {
  return new CodedError("VERIFICATION_CLOSED", "signatures are not checked any more: the node is stopping");
}
