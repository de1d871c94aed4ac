/**
 * Blobs between this node and its peers: answers what they ask from the own store, and asks them. Where blobs are kept and
 * how their parts are checked is not known here. A node answers for itself alone, so that a question goes one step.
 */
import type { Hex } from "../../base/bytes.ts";
import type { BlobAnswer, BlobMessage, BlobRequest } from "../wire/blobs.ts";
import { isBlobRequest } from "../wire/blobs.ts";
import { MAX_PART_BYTES } from "../wire/limits.ts";
import type { Clock } from "./clock.ts";
import {
  ASKED_BLOBS,
  ASKED_BLOBS_PER_PEER,
  ASKED_PARTS,
  ASKED_PARTS_PER_PEER,
  BLOB_ANSWER_MILLISECONDS,
  MAX_BLOB_ANSWERS,
  MAX_BLOB_ANSWERS_PER_PEER,
  MAX_BLOB_QUESTIONS,
  SERVED_BLOB_BYTES,
  SERVED_BLOB_BYTES_PER_PEER,
} from "./limits.ts";
import type { NodeNetwork } from "./node-network.ts";
import { ServingBudget } from "./serving-budget.ts";

export interface BlobPart {
  readonly bytes: Uint8Array;
  readonly siblings: readonly Uint8Array[];
}

/** Where the own blobs are. */
export interface BlobSource {
  /** Its length, if it is here. */
  find(address: Hex): Promise<number | undefined>;
  part(address: Hex, part: number): Promise<BlobPart | undefined>;
}

interface Question {
  readonly peer: string;
  readonly answered: (answer: BlobAnswer | undefined) => void;
}

export class BlobExchange {
  network: NodeNetwork | undefined;
  /** Without one, nothing is here. */
  source: BlobSource | undefined;
  readonly #clock: Clock;
  readonly #onBug: (error: unknown) => void;
  readonly #budget: ServingBudget;
  /** What we ask, so that no peer takes us for a flood. */
  readonly #finds: ServingBudget;
  readonly #parts: ServingBudget;
  readonly #questions = new Map<number, Question>();
  /** Answers under way, by peer. */
  readonly #answering = new Map<string, number>();
  #answers = 0;
  #nextId = 0;

  constructor(clock: Clock, onBug: (error: unknown) => void) {
    this.#clock = clock;
    this.#onBug = onBug;
    this.#budget = new ServingBudget(clock.now(), SERVED_BLOB_BYTES_PER_PEER, SERVED_BLOB_BYTES);
    this.#finds = new ServingBudget(clock.now(), ASKED_BLOBS_PER_PEER, ASKED_BLOBS);
    this.#parts = new ServingBudget(clock.now(), ASKED_PARTS_PER_PEER, ASKED_PARTS);
  }

  peers(): readonly string[] {
    return this.network?.peers().map(({ peer }) => peer) ?? [];
  }

  /** How long the peer says that the blob is; `undefined` when it has none, says nothing in time, or was asked too much. */
  async find(peer: string, address: Hex): Promise<number | undefined> {
    if (!this.#finds.allows(peer, 1, this.#clock.now())) return undefined;
    const answer = await this.#ask(peer, { type: "find-blob", id: this.#id(), address });
    return answer?.type === "blob-found" ? answer.length : undefined;
  }

  /** `busy`: it may be asked again in a while. */
  async part(peer: string, address: Hex, part: number): Promise<BlobPart | "busy" | undefined> {
    if (!this.#parts.allows(peer, 1, this.#clock.now())) return "busy";
    const answer = await this.#ask(peer, { type: "get-part", id: this.#id(), address, part });
    if (answer?.type === "blob-busy") return "busy";
    if (answer?.type !== "blob-part") return undefined;
    // Copies: they go to another thread, and what they may be a part of would go with them.
    return { bytes: answer.bytes.slice(), siblings: answer.siblings.map((sibling) => sibling.slice()) };
  }

  /** What it sent does not belong to the blob. */
  blame(peer: string): void {
    this.network?.penalise(peer, "invalid");
  }

  onMessage(from: string, message: BlobMessage): void {
    if (isBlobRequest(message)) {
      this.#answer(from, message).catch((error: unknown) => this.#onBug(error));
      return;
    }
    const question = this.#questions.get(message.id);
    if (question?.peer === from) question.answered(message);
    else this.network?.penalise(from, "useless");
  }

  /** Nobody waits for the answers of a peer that has gone. */
  onGone(peer: string): void {
    for (const question of [...this.#questions.values()]) if (question.peer === peer) question.answered(undefined);
  }

  #id(): number {
    this.#nextId = (this.#nextId + 1) % 2 ** 32;
    return this.#nextId;
  }

  #ask(peer: string, request: BlobRequest): Promise<BlobAnswer | undefined> {
    if (this.#questions.size >= MAX_BLOB_QUESTIONS || this.network?.send(peer, request) !== true) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const answered = (answer: BlobAnswer | undefined): void => {
        cancel();
        this.#questions.delete(request.id);
        resolve(answer);
      };
      const cancel = this.#clock.setTimer(BLOB_ANSWER_MILLISECONDS, () => answered(undefined));
      this.#questions.set(request.id, { peer, answered });
    });
  }

  async #answer(from: string, request: BlobRequest): Promise<void> {
    const { id } = request;
    const own = this.#answering.get(from) ?? 0;
    const cost = request.type === "get-part" ? MAX_PART_BYTES : 1;
    const isBusy = own >= MAX_BLOB_ANSWERS_PER_PEER || this.#answers >= MAX_BLOB_ANSWERS;
    if (isBusy || !this.#budget.allows(from, cost, this.#clock.now())) {
      this.network?.send(from, { type: "blob-busy", id });
      return;
    }
    this.#answering.set(from, own + 1);
    this.#answers++;
    try {
      this.network?.send(from, (await this.#read(request)) ?? { type: "blob-none", id });
    } finally {
      this.#answers--;
      const left = (this.#answering.get(from) ?? 1) - 1;
      if (left > 0) this.#answering.set(from, left);
      else this.#answering.delete(from);
    }
  }

  async #read(request: BlobRequest): Promise<BlobAnswer | undefined> {
    const { source } = this;
    const { id, address } = request;
    if (request.type === "find-blob") {
      const length = await source?.find(address);
      return length === undefined ? undefined : { type: "blob-found", id, length };
    }
    const part = await source?.part(address, request.part);
    return part && { type: "blob-part", id, bytes: part.bytes, siblings: part.siblings };
  }
}
