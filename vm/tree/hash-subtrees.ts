/**
 * Root ids of many small subtrees at once. A subtree is a row of nodes with the depths that part neighbours; its
 * shape is the Cartesian tree over those depths, because a binary trie's inner node is where its keys part first.
 *
 * Nodes of all subtrees are hashed in rounds: round r holds the nodes whose higher child is in round r-1, so each
 * round is one call of the native hasher. Children write their ids straight into their parent's input.
 *
 * Plain functions over arrays of the module: an update runs this for hundreds of thousands of nodes, and the native
 * hasher takes a quarter of the time.
 */
import { assert } from "../../base/errors.ts";
import { hashPairs } from "../../base/hash-pairs.ts";
import { copyIdWords, ID_BYTES, ID_WORDS, KEY_BITS, taggedWord } from "./node-id.ts";
import { GAP_BYTES, gapsAt, HEADER_BYTES } from "./page.ts";

/** A row of nodes: `bytes` holds their ids and gaps where a page holds them. Pages are such rows. */
export interface NodeRow {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Receives the root of row `index`: 32 bytes at `at`, valid during the call only. */
export type RootSink = (index: number, bytes: Uint8Array, at: number) => void;

/** Nodes hashed together: large enough for the native hasher, small enough for the processor's cache. */
const BATCH_NODES = 1 << 14;

/** Node references: a row's own entry i is ~i, the node in slot s of round r is r << SLOT_BITS | s. */
const SLOT_BITS = 21;
const SLOT_MASK = (1 << SLOT_BITS) - 1;
const PAIR_WORDS = 2 * ID_WORDS;

/** Views for fewer nodes than this are kept: checking one page would spend most of its time making them. */
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
  #smallInputs: (Uint8Array | undefined)[] = [];
  #smallOutputs: (Uint8Array | undefined)[] = [];

  grow(): void {
    const capacity = this.count * 2;
    this.#smallInputs = [];
    this.#smallOutputs = [];
    this.inputs = grown(this.inputs, new Uint32Array(capacity * PAIR_WORDS));
    this.outputs = new Uint32Array(capacity * ID_WORDS);
    this.depths = grown(this.depths, new Uint16Array(capacity));
    this.targetRound = grown(this.targetRound, new Int16Array(capacity));
    this.targetAt = grown(this.targetAt, new Int32Array(capacity));
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
}

function grown<A extends Uint32Array | Uint16Array | Int16Array | Int32Array>(array: A, larger: A): A {
  larger.set(array);
  return larger;
}

/** Reused by every call: they grow to one batch and stay. Calls are synchronous and do not nest. */
const rounds: Round[] = [];

/** The path to the rightmost node of the row at hand: depths grow along it. */
const pathDepths = new Uint16Array(KEY_BITS);
const pathLefts = new Int32Array(KEY_BITS);

/** The ids of the row at hand, where words can be read from them. */
let rowIds = new Uint32Array(256 * ID_WORDS);
let rowIdBytes = new Uint8Array(rowIds.buffer);

/** Calls `sink` once per row, not in order; the sink must not hash subtrees itself. */
export function hashSubtrees(rows: readonly NodeRow[], sink: RootSink): void {
  // A call that failed must not leave nodes to the next one.
  for (let i = 0; i < rounds.length; i++) (rounds[i] as Round).count = 0;
  let nodes = 0;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as NodeRow;
    if (row.count === 1) {
      sink(index, row.bytes, HEADER_BYTES);
      continue;
    }
    addRow(row, index);
    nodes += row.count;
    if (nodes >= BATCH_NODES) {
      hashRounds(sink);
      nodes = 0;
    }
  }
  hashRounds(sink);
}

/** Finds the row's inner nodes from left to right. */
function addRow({ count, bytes }: NodeRow, index: number): void {
  takeIds(bytes, count);
  let gapAt = gapsAt(count) + GAP_BYTES;
  let size = 0;
  let right = ~0;
  for (let i = 1; i < count; i++, gapAt += GAP_BYTES) {
    const depth = ((bytes[gapAt] as number) << 8) | (bytes[gapAt + 1] as number);
    while (size > 0 && (pathDepths[size - 1] as number) > depth) {
      size--;
      right = addNode(pathDepths[size] as number, pathLefts[size] as number, right);
    }
    assert(size === 0 || pathDepths[size - 1] !== depth, "one node parts more than two subtrees");
    pathDepths[size] = depth;
    pathLefts[size++] = right;
    right = ~i;
  }
  while (size > 0) {
    size--;
    right = addNode(pathDepths[size] as number, pathLefts[size] as number, right);
  }
  direct(right, -1, index);
}

function takeIds(bytes: Uint8Array, count: number): void {
  if (rowIds.length < count * ID_WORDS) {
    rowIds = new Uint32Array(count * ID_WORDS);
    rowIdBytes = new Uint8Array(rowIds.buffer);
  }
  rowIdBytes.set(bytes.subarray(HEADER_BYTES, gapsAt(count)));
}

function addNode(depth: number, left: number, right: number): number {
  const leftRound = left < 0 ? 0 : (left >> SLOT_BITS) + 1;
  const rightRound = right < 0 ? 0 : (right >> SLOT_BITS) + 1;
  const number = leftRound > rightRound ? leftRound : rightRound;
  if (number === rounds.length) rounds.push(new Round());
  const round = rounds[number] as Round;
  if (round.count === round.depths.length) round.grow();
  const slot = round.count++;
  const at = slot * PAIR_WORDS;
  round.depths[slot] = depth;
  if (left < 0) copyIdWords(rowIds, ~left * ID_WORDS, round.inputs, at);
  else direct(left, number, at);
  if (right < 0) copyIdWords(rowIds, ~right * ID_WORDS, round.inputs, at + ID_WORDS);
  else direct(right, number, at + ID_WORDS);
  return (number << SLOT_BITS) | slot;
}

/** Says where the hash of a node goes. */
function direct(node: number, targetRound: number, targetAt: number): void {
  const round = rounds[node >> SLOT_BITS] as Round;
  const slot = node & SLOT_MASK;
  round.targetRound[slot] = targetRound;
  round.targetAt[slot] = targetAt;
}

function hashRounds(sink: RootSink): void {
  for (let number = 0; number < rounds.length; number++) {
    const round = rounds[number] as Round;
    const { count, outputs, depths, targetRound, targetAt } = round;
    if (count === 0) return;
    const hashes = round.hash();
    for (let slot = 0; slot < count; slot++) {
      const at = slot * ID_WORDS;
      outputs[at] = taggedWord(outputs[at] as number, depths[slot] as number);
      const target = targetRound[slot] as number;
      if (target < 0) sink(targetAt[slot] as number, hashes, slot * ID_BYTES);
      else copyIdWords(outputs, at, (rounds[target] as Round).inputs, targetAt[slot] as number);
    }
    round.count = 0;
  }
}
