/**
 * Offences that this node has seen, for whoever sends them to the chain: kept in a file, because nobody says the votes
 * again. Who has offended once is out for good, so a few pairs of votes of each key are enough, and no one who offends
 * in every view can push out what is known of others.
 */
import { open, readFile, rename, rm } from "node:fs/promises";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError, systemCodeOf } from "../../base/errors.ts";
import { decodeSignedVote, encodeSignedVote, type Offence, offenceOf, type SignedVote } from "../../base/votes.ts";
import type { Evidence } from "../consensus/types.ts";
import { MAX_EVIDENCE, MAX_EVIDENCE_PER_KEY } from "./limits.ts";

/** Two signed votes of one validator that the rules exclude. */
export interface SeenOffence {
  readonly offence: Offence;
  /** BLS, of whoever signed both. */
  readonly publicKey: Hex;
  readonly epoch: number;
  readonly view: number;
  /** The two votes, as base/votes.ts encodes them. */
  readonly first: Uint8Array;
  readonly second: Uint8Array;
}

export class EvidenceBook {
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;
  #entries: SeenOffence[];
  #saving: Promise<void> | undefined;
  #isStale = false;

  private constructor(path: string, entries: SeenOffence[], onFailure: (error: unknown) => void) {
    this.#path = path;
    this.#entries = entries;
    this.#onFailure = onFailure;
  }

  /** A line that cannot be read is left out: it is worth less than a node that starts. */
  static async open(path: string, onFailure: (error: unknown) => void): Promise<EvidenceBook> {
    const entries = (await textOf(path)).split("\n").flatMap(readLine).slice(-MAX_EVIDENCE);
    return new EvidenceBook(path, entries, onFailure);
  }

  /** The oldest first. */
  get entries(): readonly SeenOffence[] {
    return this.#entries;
  }

  /** Whether it was worth keeping. It is on disk soon. */
  add(publicKey: Hex, { first, second }: Evidence): boolean {
    const offence = offenceOf(first, second);
    const ofKey = this.#entries.filter((entry) => entry.publicKey === publicKey);
    const isKnown = ofKey.some(({ epoch, view }) => epoch === first.epoch && view === first.view);
    if (offence === undefined || isKnown || ofKey.length >= MAX_EVIDENCE_PER_KEY) return false;
    const entry = entryOf(offence, publicKey, first, second);
    this.#entries = [...this.#entries, entry].slice(-MAX_EVIDENCE);
    this.#isStale = true;
    this.#saving ??= this.#save();
    return true;
  }

  /** Resolves when everything is on disk, or the disk has refused it. */
  async close(): Promise<void> {
    await this.#saving;
  }

  /** The whole file in one piece: it is small, and replaced at once or not at all. */
  async #save(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await replaceFile(this.#path, this.#entries.map((entry) => `${lineOf(entry)}\n`).join(""));
      }
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#saving = undefined;
    }
  }
}

function entryOf(offence: Offence, publicKey: Hex, first: SignedVote, second: SignedVote): SeenOffence {
  const { epoch, view } = first;
  return { offence, publicKey, epoch, view, first: encodeSignedVote(first), second: encodeSignedVote(second) };
}

function lineOf({ publicKey, first, second }: SeenOffence): string {
  return JSON.stringify({ publicKey, first: bytesToHex(first), second: bytesToHex(second) });
}

/** What else an entry says follows from its votes. */
function readLine(line: string): SeenOffence[] {
  try {
    const { publicKey, first, second } = JSON.parse(line) as Readonly<Record<"publicKey" | "first" | "second", Hex>>;
    const votes = [first, second].map((vote) => decodeSignedVote(hexToBytes(vote))) as [SignedVote, SignedVote];
    const offence = offenceOf(...votes);
    return offence === undefined ? [] : [entryOf(offence, bytesToHex(hexToBytes(publicKey)), ...votes)];
  } catch (error) {
    if (error instanceof CodedError || error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return "";
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  const file = await open(fresh, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}
