/**
 * Jobs that wait, the urgent ones first: a certificate or proposal moves the whole network on, votes are many and sent
 * again. When there is no room, the last of the least urgent has to go. Nobody starves: after some urgent jobs in a
 * row one of the others has its turn.
 */
import { MAX_IN_A_ROW, type VerificationLimits } from "./limits.ts";
import type { SignedJob } from "./packed-job.ts";

export interface Queued {
  readonly job: SignedJob;
  readonly bytes: number;
}

/** 0 is the most urgent. */
const URGENCY: Readonly<Record<SignedJob["type"], number>> = {
  certificate: 0,
  proposal: 0,
  block: 1,
  finals: 1,
  votes: 2,
};
const CLASSES = 3;

export class JobQueue<Entry extends Queued> {
  readonly #limits: VerificationLimits;
  readonly #classes: Entry[][] = Array.from({ length: CLASSES }, () => []);
  #jobs = 0;
  #bytes = 0;
  /** Taken in a row while less urgent ones waited. */
  #inARow = 0;

  constructor(limits: VerificationLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#jobs;
  }

  /** More than half full. */
  get isHalfFull(): boolean {
    return 2 * this.#jobs > this.#limits.queuedJobs || 2 * this.#bytes > this.#limits.queuedBytes;
  }

  /** Those that had to go, perhaps the new one itself. */
  push(entry: Entry): readonly Entry[] {
    this.#add(entry, "end");
    const dropped: Entry[] = [];
    while (this.#isOverfull()) {
      const last = this.#removeLast();
      if (last === undefined) break;
      dropped.push(last);
    }
    return dropped;
  }

  /** In front of its class, however full the queue is: it was admitted before. */
  putBack(entry: Entry): void {
    this.#add(entry, "front");
  }

  take(): Entry | undefined {
    const waiting = this.#classes.filter((entries) => entries.length > 0);
    const isTurnOfOthers = waiting.length > 1 && this.#inARow >= MAX_IN_A_ROW;
    const chosen = isTurnOfOthers ? waiting.at(-1) : waiting[0];
    this.#inARow = isTurnOfOthers || waiting.length <= 1 ? 0 : this.#inARow + 1;
    const entry = chosen?.shift();
    if (entry !== undefined) this.#count(entry, -1);
    return entry;
  }

  takeAll(): readonly Entry[] {
    this.#jobs = 0;
    this.#bytes = 0;
    return this.#classes.flatMap((entries) => entries.splice(0));
  }

  /** A job that is alone is taken however large it is. */
  #isOverfull(): boolean {
    return this.#jobs > this.#limits.queuedJobs || (this.#jobs > 1 && this.#bytes > this.#limits.queuedBytes);
  }

  /** Where there are too many bytes, of those that have any: to drop votes for a large proposal would make no room. */
  #removeLast(): Entry | undefined {
    const isCrowded = this.#jobs > this.#limits.queuedJobs;
    const helps = ({ bytes }: Entry): boolean => isCrowded || bytes > 0;
    const entries = this.#classes.findLast((each) => each.some(helps)) ?? [];
    const [entry] = entries.splice(entries.findLastIndex(helps), 1);
    if (entry !== undefined) this.#count(entry, -1);
    return entry;
  }

  #add(entry: Entry, where: "front" | "end"): void {
    const entries = this.#classes[URGENCY[entry.job.type]] as Entry[];
    if (where === "front") entries.unshift(entry);
    else entries.push(entry);
    this.#count(entry, 1);
  }

  #count({ bytes }: Entry, sign: 1 | -1): void {
    this.#jobs += sign;
    this.#bytes += sign * bytes;
  }
}
