/**
 * Root ids of many small subtrees at once. A subtree is a row of nodes with the depths that part neighbours; its
 * shape is the Cartesian tree over those depths, because a binary trie's inner node is where its keys part first.
 *
 * Nodes of all subtrees are hashed in rounds: round r holds the nodes whose higher child is in round r-1, so each
 * round is one call of the native hasher. Children write their ids straight into their parent's input.
 */

import { assert } from "../../base/errors.ts";
import { hashPairs } from "../../base/hash-pairs.ts";
import { copyIdWords, ID_BYTES, ID_WORDS, taggedWord } from "./node-id.ts";
import { GAP_BYTES, gapsAt, HEADER_BYTES } from "./page.ts";

/** A row of nodes: `bytes` holds their ids and gaps where a page holds them. Pages are such rows. */
export interface NodeRow {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Receives the root of row `index`: 32 bytes at `at`, valid during the call only. */
export type RootSink = (index: number, bytes: Uint8Array, at: number) => void;

/** Nodes hashed together: large enough for the native hasher, small enough for the processor's cache. */
const BATCH_NODES = 1 << 15;

/** Node references: a row's own entry i is ~i, the node in slot s of round r is r * SLOTS + s. */
const SLOTS = 1 << 21;
const PAIR_WORDS = 2 * ID_WORDS;

const SMALL_ROUND = 64;

class Round {
  count = 0;
  inputs: Uint32Array<ArrayBuffer> = new Uint32Array(64 * PAIR_WORDS);
  outputs: Uint32Array<ArrayBuffer> = new Uint32Array(64 * ID_WORDS);
  depths: Uint16Array = new Uint16Array(64);
  /** The round that each hash goes to, -1 for the root of a row. */
  targetRound: Int16Array = new Int16Array(64);
  /** The word in that round's inputs, or the index of the row. */
  targetAt: Int32Array = new Int32Array(64);

  /** Views for few nodes, by their number: checking one page would spend most of its time making them. */
  #smallInputs: (Uint8Array | undefined)[] = [];
  #smallOutputs: (Uint8Array | undefined)[] = [];

  slot(depth: number): number {
    if (this.count === this.depths.length) this.#grow();
    this.depths[this.count] = depth;
    return this.count++;
  }

  /** Hashes all nodes; the result is `outputs` as bytes. */
  hash(): Uint8Array {
    const { count } = this;
    const isSmall = count < SMALL_ROUND;
    const input = (isSmall ? this.#smallInputs[count] : undefined) ?? new Uint8Array(this.inputs.buffer, 0, count * 64);
    const output =
      (isSmall ? this.#smallOutputs[count] : undefined) ?? new Uint8Array(this.outputs.buffer, 0, count * 32);
    if (isSmall) {
      this.#smallInputs[count] = input;
      this.#smallOutputs[count] = output;
    }
    return hashPairs(input, output);
  }

  #grow(): void {
    const capacity = this.count * 2;
    this.#smallInputs = [];
    this.#smallOutputs = [];
    const grown = <A extends Uint32Array | Uint16Array | Int16Array | Int32Array>(array: A, larger: A): A => {
      larger.set(array);
      return larger;
    };
    this.inputs = grown(this.inputs, new Uint32Array(capacity * PAIR_WORDS));
    this.outputs = new Uint32Array(capacity * ID_WORDS);
    this.depths = grown(this.depths, new Uint16Array(capacity));
    this.targetRound = grown(this.targetRound, new Int16Array(capacity));
    this.targetAt = grown(this.targetAt, new Int32Array(capacity));
  }
}

class SubtreeHasher {
  readonly #rounds: Round[] = [];
  readonly #stackDepths = new Uint16Array(512);
  readonly #stackLefts = new Int32Array(512);
  /** The ids of the row at hand, where words can be read from them. */
  #ids: Uint32Array<ArrayBuffer> = new Uint32Array(256 * ID_WORDS);
  #idBytes: Uint8Array = new Uint8Array(this.#ids.buffer);

  hash(rows: readonly NodeRow[], sink: RootSink): void {
    // A call that failed must not leave nodes to the next one.
    for (const round of this.#rounds) round.count = 0;
    let nodes = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as NodeRow;
      if (row.count === 1) {
        sink(index, row.bytes, HEADER_BYTES);
        continue;
      }
      this.#addRow(row, index);
      nodes += row.count;
      if (nodes >= BATCH_NODES) {
        this.#run(sink);
        nodes = 0;
      }
    }
    this.#run(sink);
  }

  /** Finds the row's inner nodes from left to right; the stack is the path to the rightmost one. */
  #addRow({ count, bytes }: NodeRow, index: number): void {
    if (this.#ids.length < count * ID_WORDS) {
      this.#ids = new Uint32Array(count * ID_WORDS);
      this.#idBytes = new Uint8Array(this.#ids.buffer);
    }
    this.#idBytes.set(bytes.subarray(HEADER_BYTES, gapsAt(count)));
    let gapAt = gapsAt(count) + GAP_BYTES;
    const depths = this.#stackDepths;
    const lefts = this.#stackLefts;
    let size = 0;
    let right = ~0;
    for (let i = 1; i < count; i++, gapAt += GAP_BYTES) {
      const depth = ((bytes[gapAt] as number) << 8) | (bytes[gapAt + 1] as number);
      while (size > 0 && (depths[size - 1] as number) > depth) {
        size--;
        right = this.#addNode(depths[size] as number, lefts[size] as number, right);
      }
      assert(size === 0 || (depths[size - 1] as number) < depth, "one node parts more than two subtrees");
      depths[size] = depth;
      lefts[size++] = right;
      right = ~i;
    }
    while (size > 0) {
      size--;
      right = this.#addNode(depths[size] as number, lefts[size] as number, right);
    }
    this.#direct(right, -1, index);
  }

  #addNode(depth: number, left: number, right: number): number {
    const number = Math.max(left < 0 ? 0 : ((left / SLOTS) | 0) + 1, right < 0 ? 0 : ((right / SLOTS) | 0) + 1);
    const round = this.#round(number);
    const slot = round.slot(depth);
    this.#attach(left, round, number, slot * PAIR_WORDS);
    this.#attach(right, round, number, slot * PAIR_WORDS + ID_WORDS);
    return number * SLOTS + slot;
  }

  #round(number: number): Round {
    const found = this.#rounds[number];
    if (found !== undefined) return found;
    const made = new Round();
    this.#rounds.push(made);
    return made;
  }

  #attach(child: number, round: Round, number: number, at: number): void {
    if (child < 0) copyIdWords(this.#ids, ~child * ID_WORDS, round.inputs, at);
    else this.#direct(child, number, at);
  }

  #direct(node: number, targetRound: number, targetAt: number): void {
    const round = this.#rounds[(node / SLOTS) | 0] as Round;
    const slot = node % SLOTS;
    round.targetRound[slot] = targetRound;
    round.targetAt[slot] = targetAt;
  }

  #run(sink: RootSink): void {
    for (const round of this.#rounds) {
      const { count, outputs } = round;
      if (count === 0) break;
      const hashes = round.hash();
      for (let slot = 0; slot < count; slot++) {
        const at = slot * ID_WORDS;
        outputs[at] = taggedWord(outputs[at] as number, round.depths[slot] as number);
        const target = round.targetRound[slot] as number;
        const targetAt = round.targetAt[slot] as number;
        if (target < 0) sink(targetAt, hashes, slot * ID_BYTES);
        else copyIdWords(outputs, at, (this.#rounds[target] as Round).inputs, targetAt);
      }
      round.count = 0;
    }
  }
}

/** Reused by every call: its buffers grow to one batch and stay. Calls are synchronous and do not nest. */
const hasher = new SubtreeHasher();

/** Calls `sink` once per row, not in order; the sink must not hash subtrees itself. */
export function hashSubtrees(rows: readonly NodeRow[], sink: RootSink): void {
  hasher.hash(rows, sink);
}
