/**
 * What a provider must not forget: one secret, from which every seed and nonce follows, so that a restart can lose none;
 * what it computed, so that it never commits to two results; and what it bid. Records of a journal, folded in their order.
 */
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../../base/rlp.ts";
import { sha256 } from "../../../base/sha256.ts";
import { agentError } from "../errors.ts";
import type { Bid } from "./policy.ts";
import type { SegmentOutcome, SegmentTask } from "./segment-runner.ts";

export interface SegmentRecord {
  readonly kind: "segment";
  readonly job: string;
  readonly segment: number;
  readonly attempt: string;
  readonly task: SegmentTask;
  readonly outcome: SegmentOutcome;
}

export type ProviderRecord =
  | { readonly kind: "secret"; readonly secret: Hex }
  | {
      readonly kind: "bid";
      readonly job: string;
      readonly attempt: string;
      readonly price: string;
      readonly seconds: string;
      readonly region: Hex;
    }
  | SegmentRecord
  /** The round in which a segment is or was verified. */
  | {
      readonly kind: "round";
      readonly round: string;
      readonly job: string;
      readonly segment: number;
      readonly attempt: string;
    }
  /** The job is over, and nothing of it is asked for any more. */
  | { readonly kind: "forget"; readonly job: string };

interface JobMemory {
  bid: { readonly attempt: bigint; readonly bid: Bid } | undefined;
  /** By segment and attempt. */
  readonly segments: Map<string, SegmentRecord>;
  readonly rounds: Map<bigint, string>;
}

export class ProviderMemory {
  readonly #secret: Uint8Array;
  readonly #jobs = new Map<bigint, JobMemory>();
  readonly #jobOfRound = new Map<bigint, bigint>();

  private constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Undefined for a journal without a secret: a new one. Throws JOURNAL_DAMAGED. */
  static from(records: readonly Uint8Array[]): ProviderMemory | undefined {
    const read = records.map(decodeRecord);
    const secret = read.find((record) => record.kind === "secret");
    if (secret === undefined) {
      if (read.length > 0) throw agentError("JOURNAL_DAMAGED", "the journal has jobs and no secret");
      return undefined;
    }
    const memory = new ProviderMemory(hexToBytes(secret.secret));
    for (const record of read) memory.apply(record);
    return memory;
  }

  static withSecret(secret: Uint8Array): ProviderMemory {
    return new ProviderMemory(secret);
  }

  apply(record: ProviderRecord): void {
    if (record.kind === "secret") return;
    const id = BigInt(record.job);
    if (record.kind === "forget") {
      for (const round of this.#jobs.get(id)?.rounds.keys() ?? []) this.#jobOfRound.delete(round);
      this.#jobs.delete(id);
      return;
    }
    const job = this.#jobs.get(id) ?? { bid: undefined, segments: new Map(), rounds: new Map() };
    this.#jobs.set(id, job);
    const key = "segment" in record ? segmentKey(record.segment, BigInt(record.attempt)) : "";
    if (record.kind === "segment") job.segments.set(key, record);
    else if (record.kind === "round") {
      job.rounds.set(BigInt(record.round), key);
      this.#jobOfRound.set(BigInt(record.round), id);
    } else {
      const { price, seconds, region } = record;
      job.bid = { attempt: BigInt(record.attempt), bid: { price: BigInt(price), seconds: BigInt(seconds), region } };
    }
  }

  /** All that is worth keeping, for a journal that has grown. */
  records(): readonly ProviderRecord[] {
    const jobs = [...this.#jobs].flatMap(([id, { bid, segments, rounds }]): readonly ProviderRecord[] => {
      const job = String(id);
      const bids: readonly ProviderRecord[] =
        bid === undefined
          ? []
          : [
              {
                ...{ kind: "bid", job, attempt: String(bid.attempt), region: bid.bid.region },
                ...{ price: String(bid.bid.price), seconds: String(bid.bid.seconds) },
              },
            ];
      const places = [...rounds].flatMap(([round, key]): readonly ProviderRecord[] => {
        const record = segments.get(key);
        if (record === undefined) return [];
        return [{ kind: "round", round: String(round), job, segment: record.segment, attempt: record.attempt }];
      });
      return [...bids, ...segments.values(), ...places];
    });
    return [{ kind: "secret", secret: bytesToHex(this.#secret) }, ...jobs];
  }

  jobs(): readonly bigint[] {
    return [...this.#jobs.keys()];
  }

  /** Jobs that were bid for and are not lost. */
  bids(): readonly bigint[] {
    return [...this.#jobs].flatMap(([id, { bid }]) => (bid === undefined ? [] : [id]));
  }

  bidOf(job: bigint, attempt: bigint): Bid | undefined {
    const found = this.#jobs.get(job)?.bid;
    return found?.attempt === attempt ? found.bid : undefined;
  }

  segmentOf(job: bigint, segment: number, attempt: bigint): SegmentRecord | undefined {
    return this.#jobs.get(job)?.segments.get(segmentKey(segment, attempt));
  }

  /** The newest of them. */
  lastSegment(job: bigint, segment: number): SegmentRecord | undefined {
    return [...(this.#jobs.get(job)?.segments.values() ?? [])].findLast((record) => record.segment === segment);
  }

  segmentsOf(job: bigint): readonly SegmentRecord[] {
    return [...(this.#jobs.get(job)?.segments.values() ?? [])];
  }

  roundsOf(job: bigint): readonly bigint[] {
    return [...(this.#jobs.get(job)?.rounds.keys() ?? [])];
  }

  jobOfRound(round: bigint): bigint | undefined {
    return this.#jobOfRound.get(round);
  }

  ofRound(round: bigint): SegmentRecord | undefined {
    const job = this.#jobs.get(this.#jobOfRound.get(round) ?? -1n);
    return job?.segments.get(job.rounds.get(round) ?? "");
  }

  #derived(name: string, ...numbers: readonly bigint[]): Hex {
    return bytesToHex(sha256(encodeRlp([utf8(`OpenGPU/${name}`), this.#secret, ...numbers.map(rlpOfInteger)])));
  }

  seed(job: bigint, segment: number, attempt: bigint): Hex {
    return this.#derived("PROVIDER-SEED", job, BigInt(segment), attempt);
  }

  nonce(job: bigint, attempt: bigint): Hex {
    return this.#derived("PROVIDER-NONCE", job, attempt);
  }

  bidNonce(job: bigint, attempt: bigint): Hex {
    return this.#derived("PROVIDER-BID-NONCE", job, attempt);
  }
}

function segmentKey(segment: number, attempt: bigint): string {
  return `${segment}/${attempt}`;
}

export function encodeRecord(record: ProviderRecord): Uint8Array {
  return utf8(JSON.stringify(record));
}

const KINDS: ReadonlySet<string> = new Set(["secret", "bid", "segment", "round", "forget"]);

function decodeRecord(bytes: Uint8Array): ProviderRecord {
  try {
    const record = JSON.parse(new TextDecoder().decode(bytes)) as ProviderRecord;
    if (KINDS.has(record.kind)) return record;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw agentError("JOURNAL_DAMAGED", "the journal has a record that is none of a provider's");
}
