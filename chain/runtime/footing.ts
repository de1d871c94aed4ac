/**
 * Whether a node may go on from its last block by the blocks of others. Certificates say who signed, not when: keys of
 * validators that left long ago may be for sale, and would make another chain from where this node stopped. So what the
 * store ends with has to be younger than the trusting period, or its operator says what to trust (docs/running.md).
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { type BlockHeader, headerTime, isSealHeader } from "../blocks/header.ts";
import type { ChainHead } from "../store/chain-store.ts";
import { syncError } from "../sync/errors.ts";
import type { Checkpoint } from "../sync/seal-chain.ts";

/** What the operator vouches for. */
export interface Vouched {
  /** The seal of an epoch. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The last block of the store, which is the network's last too: everybody has stood still since. */
  readonly block?: Hex | undefined;
  /** Everybody has the keys of all validators: how old they are says nothing. */
  readonly development?: boolean;
}

export type Footing =
  | "firm"
  /** Only a block that is still to come makes it so: until then the node follows, and cannot be relied on. */
  | "until-checkpoint";

export interface FootingFacts {
  readonly head: ChainHead;
  readonly now: number;
  /** Milliseconds. */
  readonly trustingPeriod: number;
  readonly vouched: Vouched;
  /** It would sign. */
  readonly isValidator: boolean;
  /** It is the only validator: nobody else's signature would be believed. */
  readonly isAlone: boolean;
}

/** Throws SYNC_TRUST_EXPIRED. */
export function footingOf({ head, now, trustingPeriod, vouched, isValidator, isAlone }: FootingFacts): Footing {
  const { header, hash } = head;
  const { checkpoint, block, development = false } = vouched;
  if (development || isAlone || headerTime(header) + trustingPeriod > now) return "firm";
  if (block !== undefined && block === bytesToHex(hash)) return "firm";
  if (checkpoint === undefined || checkpoint.epoch < epochAfter(header)) throw expired(head);
  if (!isValidator) return "until-checkpoint";
  throw expired(head, "Delete its chain folder, but not its consensus folder: it then begins at that checkpoint.");
}

function epochAfter(header: BlockHeader): number {
  return isSealHeader(header) ? header.extra.epoch + 1 : header.extra.epoch;
}

/** The checkpoint has come, or another block in its place. Throws SYNC_CHECKPOINT_UNKNOWN or SYNC_TRUST_EXPIRED. */
export function checkCheckpoint(
  block: ChainHead,
  checkpoint: Checkpoint,
  facts: Pick<FootingFacts, "now" | "trustingPeriod"> & { readonly footing: Footing },
): Footing {
  const { header, hash } = block;
  if (!isSealHeader(header) || header.extra.epoch !== checkpoint.epoch) return facts.footing;
  if (bytesToHex(hash) !== checkpoint.hash) throw unknown(block, checkpoint);
  if (facts.footing === "until-checkpoint" && headerTime(header) + facts.trustingPeriod <= facts.now) {
    throw expired(block);
  }
  return "firm";
}

function unknown({ hash }: ChainHead, checkpoint: Checkpoint): CodedError {
  return new CodedError(
    "SYNC_CHECKPOINT_UNKNOWN",
    `epoch ${checkpoint.epoch} ends with another block than the checkpoint`,
    {
      expected: checkpoint.hash,
      found: bytesToHex(hash),
      hint: "One of the two is false: ask several people that you trust. Then delete the folder and start again.",
    },
  );
}

export function expired({ number, header, hash }: ChainHead, cure?: string): CodedError {
  const since = new Date(headerTime(header)).toISOString();
  const usual = [
    "Start with --checkpoint epoch:hash, the last block of a recent epoch, from somebody that you trust.",
    `If the whole network has stood still since: --trust-block ${bytesToHex(hash)}`,
  ];
  return syncError(
    "SYNC_TRUST_EXPIRED",
    `the last block here, ${number}, is of ${since}: too long ago to believe what its validators sign today`,
    { number, hash: bytesToHex(hash), since, hint: cure ?? usual.join(" ") },
  );
}

/**
 * While it runs: whoever was asleep, cut off, or told of everything but blocks for so long, is no better off than one
 * switched off. When it started counts only until it has a young block: so long it looks for a snapshot, or goes by what its
 * operator has vouched for.
 */
export class Wakefulness {
  readonly #trustingPeriod: number;
  #since: number;

  constructor(trustingPeriod: number, startedAt: number) {
    this.#trustingPeriod = trustingPeriod;
    this.#since = startedAt;
  }

  /** Told of the last block at the start, and of all that follow. */
  onBlock({ header }: ChainHead, now: number): void {
    const time = headerTime(header);
    if (time + this.#trustingPeriod > now) this.#since = time;
  }

  /** Whether it may still believe what comes. */
  isAwake(now: number): boolean {
    return now - this.#since <= this.#trustingPeriod;
  }
}
