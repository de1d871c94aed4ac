/**
 * What peers say, on its way to the core: the gate decides what needs a check, the verifier checks it on another
 * thread, and what is good becomes events. The same certificate or proposal usually comes from several peers within
 * a few milliseconds: while one is being checked, its copies wait, and are dropped if it was good.
 */
import { CodedError } from "../../base/errors.ts";
import type { CheckJob, CheckResult } from "../consensus/check-job.ts";
import type { Event } from "../consensus/events.ts";
import type { ConsensusState } from "../consensus/state.ts";
import type { Block, Message, PeerId } from "../consensus/types.ts";
import { VoteGate } from "../consensus/vote-gate.ts";
import type { Verifier } from "../verification/verifier.ts";
import { MAX_CHECKS_PER_PEER, MAX_COPIES_WAITING, MAX_WAITING_PER_PEER } from "./limits.ts";
import { PeerLanes } from "./peer-lanes.ts";

export interface InboxPorts {
  readonly state: ConsensusState;
  readonly verifier: Pick<Verifier, "check">;
  /** A block that a peer sent, with its body checked against its header. Throws a CodedError. */
  wholeBlock(block: Block): Block;
  dispatch(event: Event): void;
  /** It sent something with a false signature. */
  blame(peer: PeerId): void;
  /** A check that could not be made. What it was about will be sent again. */
  onDropped(error: unknown): void;
}

/** What a message came to: `ignored` means that it was of no use now, whether or not it was right. */
export type Judgement = "good" | "bad" | "ignored";

/** What comes of most messages. */
const IGNORED: Promise<Judgement> = Promise.resolve("ignored");

interface Copy {
  readonly from: PeerId;
  readonly message: Message;
  readonly resolve: (judgement: Judgement) => void;
}

export class Inbox {
  readonly #ports: InboxPorts;
  readonly #gate = new VoteGate();
  /** Copies of what is being checked. */
  readonly #waiting = new Map<string, Copy[]>();
  readonly #lanes = new PeerLanes({ checks: MAX_CHECKS_PER_PEER, waiting: MAX_WAITING_PER_PEER });

  constructor(ports: InboxPorts) {
    this.#ports = ports;
  }

  /** Votes that wait for others. */
  get waitingVotes(): number {
    return this.#gate.size;
  }

  receive(from: PeerId, message: Message): Promise<Judgement> {
    const jobs = this.#gate.prepare(this.#ports.state, from, message);
    if (jobs.length === 0) return IGNORED;
    const key = copyKey(message);
    return key === undefined ? this.#process(from, jobs) : this.#processOnce(key, from, message, jobs);
  }

  async #processOnce(key: string, from: PeerId, message: Message, jobs: readonly CheckJob[]): Promise<Judgement> {
    const copies = this.#waiting.get(key);
    if (copies !== undefined) {
      if (copies.length >= MAX_COPIES_WAITING) return "ignored";
      return new Promise((resolve) => copies.push({ from, message, resolve }));
    }
    this.#waiting.set(key, []);
    try {
      return await this.#process(from, jobs);
    } finally {
      const released = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      // The gate knows now whether they are still of use.
      for (const copy of released) void this.receive(copy.from, copy.message).then(copy.resolve);
    }
  }

  async #process(from: PeerId, first: readonly CheckJob[]): Promise<Judgement> {
    const { state, dispatch } = this.#ports;
    const jobs = [...first];
    let judgement: Judgement = "ignored";
    for (const job of jobs) {
      if (job.type === "pass") {
        dispatch(job.event);
        judgement = "good";
        continue;
      }
      const result = await this.#check(from, job);
      for (const peer of result?.blamed ?? []) this.#blame(peer);
      if (job.type === "votes") jobs.push(...this.#gate.settle(state, job.votes));
      if (result?.blamed.includes(from)) judgement = "bad";
      else if (result !== undefined && result.events.length > 0 && judgement !== "bad") judgement = "good";
    }
    return judgement;
  }

  /** What came of the check, which is handed on; nothing when there was none. */
  async #check(from: PeerId, job: CheckJob): Promise<CheckResult | undefined> {
    const { verifier, onDropped } = this.#ports;
    // Votes that are checked together come from several peers, and of blocks only those come here that were asked for.
    const inLane = job.type === "votes" ? job.votes.length === 1 : job.type !== "block";
    const mayWait = job.type === "certificate" || job.type === "votes";
    const entered = !inLane || this.#lanes.enter(from, mayWait);
    if (!(typeof entered === "boolean" ? entered : await entered)) return undefined;
    const result = await verifier.check(job).catch((error: unknown) => onDropped(error));
    if (inLane) this.#lanes.leave(from, result?.blamed.includes(from) ?? false);
    if (result === undefined || this.#dispatchWhole(result.events)) return result ?? undefined;
    return { events: [], blamed: [from] };
  }

  #blame(peer: PeerId): void {
    const { state, blame } = this.#ports;
    this.#gate.dropPeer(state, peer);
    blame(peer);
  }

  /**
   * With the blocks read whole: that takes long, so it is done for what is signed only. False, and nothing is handed on,
   * when a body is not that of its header.
   */
  #dispatchWhole(events: readonly Event[]): boolean {
    let whole: readonly Event[];
    try {
      whole = events.map((event) => this.#whole(event));
    } catch (error) {
      if (error instanceof CodedError) return false;
      throw error;
    }
    for (const event of whole) this.#ports.dispatch(event);
    return true;
  }

  #whole(event: Event): Event {
    const { wholeBlock } = this.#ports;
    if (event.type !== "message") return event;
    const { message } = event;
    if (message.type === "block") return { ...event, message: { ...message, block: wholeBlock(message.block) } };
    if (message.type === "proposal") {
      const proposal = { ...message.proposal, block: wholeBlock(message.proposal.block) };
      return { ...event, message: { ...message, proposal } };
    }
    if (message.type !== "finals") return event;
    const segments = message.segments.map(({ blocks, certificate }) => ({
      blocks: blocks.map((block) => wholeBlock(apart(block))),
      certificate,
    }));
    return { ...event, message: { ...message, segments } };
  }
}

/**
 * With memory of its own: it may wait for long for the blocks before it, and came in a message of up to 32 MiB, of which
 * it would keep all the rest alive.
 */
function apart(block: Block): Block {
  return { ...block, body: new Uint8Array(block.body) };
}

function copyKey(message: Message): string | undefined {
  if (message.type === "certificate") {
    const { kind, epoch, view, hash } = message.certificate;
    return `${kind} ${epoch} ${view} ${hash}`;
  }
  if (message.type !== "proposal") return undefined;
  const { epoch, view, hash } = message.proposal.vote;
  return `PROPOSE ${epoch} ${view} ${hash}`;
}
