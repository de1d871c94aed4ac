/**
 * Where modules keep things. A slot is named by the hash of a space and keys, as Solidity names those of mappings; the
 * fields of a record and the words of a text follow each other from there.
 */
import { bytes32, bytesToBigint, bytesToHex, concatBytes, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { ModuleCall } from "./module-call.ts";

export type StorageKey = bigint | number | string;

const WORD = 1n << 256n;
const WORD_BYTES = 32;

/** Where keys are laid out to be hashed: nearly all are short, and a fresh array for each is most of what a slot costs. */
const layout = new Uint8Array(512);
const spaces = new Map<StorageKey, Uint8Array>();

/** Numbers are words, hex is itself, other text names something. Lengths are hashed too: no two keys give one slot. */
export function slotOf(...keys: readonly StorageKey[]): Hex {
  const parts = keys.map((key, position) => (position === 0 ? spaceBytes(key) : keyBytes(key)));
  const length = parts.reduce((sum, bytes) => sum + 1 + bytes.length, 0);
  const target = length <= layout.length ? layout : new Uint8Array(length);
  let at = 0;
  for (const bytes of parts) {
    target[at++] = bytes.length;
    target.set(bytes, at);
    at += bytes.length;
  }
  return bytesToHex(keccak256(target.subarray(0, length)));
}

function keyBytes(key: StorageKey): Uint8Array {
  if (typeof key !== "string") return bytes32(BigInt(key));
  return key.startsWith("0x") ? hexToBytes(key as Hex) : utf8(key);
}

/** The first key is a constant of a module, so that there are few. */
function spaceBytes(space: StorageKey): Uint8Array {
  let bytes = spaces.get(space);
  if (bytes === undefined) {
    bytes = keyBytes(space);
    spaces.set(space, bytes);
  }
  return bytes;
}

/** Digits of a slot that are counted as one number when that does not carry into the others. */
const LOW_DIGITS = 12;
const LOW = 2 ** (4 * LOW_DIGITS);

/** The slot `offset` after `base`. */
export function fieldSlot(base: Hex, offset: number): Hex {
  if (offset === 0) return base;
  const low = Number.parseInt(base.slice(-LOW_DIGITS), 16) + offset;
  if (low < LOW) return `${base.slice(0, -LOW_DIGITS)}${low.toString(16).padStart(LOW_DIGITS, "0")}` as Hex;
  return bytesToHex(bytes32((BigInt(base) + BigInt(offset)) % WORD));
}

/** A mapping from keys to records of words: one slot for each field. */
export interface RecordSpace<Field extends string> {
  get(call: ModuleCall, field: Field, ...keys: readonly StorageKey[]): bigint;
  set(call: ModuleCall, field: Field, value: bigint, ...keys: readonly StorageKey[]): void;
  /** Adds to the field, or takes from it; what is there never falls below nothing. */
  add(call: ModuleCall, field: Field, change: bigint, ...keys: readonly StorageKey[]): bigint;
}

/** Fields may be appended, never moved: they are counted from the record's slot. */
export function recordSpace<const Field extends string>(space: string, fields: readonly Field[]): RecordSpace<Field> {
  const offsets = new Map<Field, number>(fields.map((field, offset) => [field, offset]));
  // The fields of one record are asked for one after the other, and finding their slots costs more than all else.
  let last: { readonly keys: readonly StorageKey[]; readonly slots: Hex[] } | undefined;
  const slotsOf = (keys: readonly StorageKey[]): Hex[] => {
    const isSame = last?.keys.length === keys.length && keys.every((key, at) => key === last?.keys[at]);
    if (last === undefined || !isSame) last = { keys, slots: [slotOf(space, ...keys)] };
    return last.slots;
  };
  const slot = (field: Field, keys: readonly StorageKey[]): Hex => {
    const offset = offsets.get(field);
    assert(offset !== undefined, `${space} has the field ${field}`);
    const slots = slotsOf(keys);
    const found = slots[offset];
    if (found !== undefined) return found;
    const made = fieldSlot(slots[0] as Hex, offset);
    slots[offset] = made;
    return made;
  };
  return {
    get: (call, field, ...keys) => call.read(slot(field, keys)),
    set: (call, field, value, ...keys) => call.write(slot(field, keys), value),
    add: (call, field, change, ...keys) => {
      const at = slot(field, keys);
      const value = call.read(at) + change;
      assert(value >= 0n, `${space}.${field} does not fall below nothing`);
      call.write(at, value);
      return value;
    },
  };
}

/** Bytes of any length: one word for the length, then the words. Writing less than before clears the rest. */
export function writeBytes(call: ModuleCall, bytes: Uint8Array, ...keys: readonly StorageKey[]): void {
  const base = slotOf(...keys);
  const words = wordsOf(Number(call.read(base)));
  call.write(base, BigInt(bytes.length));
  const count = Math.max(words, wordsOf(bytes.length));
  for (let word = 0; word < count; word++) {
    const chunk = new Uint8Array(WORD_BYTES);
    chunk.set(bytes.subarray(word * WORD_BYTES, (word + 1) * WORD_BYTES));
    call.write(fieldSlot(base, word + 1), bytesToBigint(chunk));
  }
}

export function readBytes(call: ModuleCall, ...keys: readonly StorageKey[]): Uint8Array {
  const base = slotOf(...keys);
  const length = Number(call.read(base));
  const words = Array.from({ length: wordsOf(length) }, (_, word) => bytes32(call.read(fieldSlot(base, word + 1))));
  return concatBytes(...words).subarray(0, length);
}

function wordsOf(length: number): number {
  return Math.ceil(length / WORD_BYTES);
}

/** A list of words whose entries move when one is removed: its order means nothing. Positions are kept beside it. */
export interface ListSpace {
  length(call: ModuleCall, ...keys: readonly StorageKey[]): number;
  at(call: ModuleCall, index: number, ...keys: readonly StorageKey[]): bigint;
  has(call: ModuleCall, item: bigint, ...keys: readonly StorageKey[]): boolean;
  /** Nothing happens if it is there already. */
  add(call: ModuleCall, item: bigint, ...keys: readonly StorageKey[]): void;
  /** Nothing happens if it is not there. */
  remove(call: ModuleCall, item: bigint, ...keys: readonly StorageKey[]): void;
}

export function listSpace(space: string): ListSpace {
  const lengthSlot = (keys: readonly StorageKey[]): Hex => slotOf(space, ...keys);
  const itemSlot = (index: number, keys: readonly StorageKey[]): Hex => fieldSlot(slotOf(space, ...keys), index + 1);
  const positionSlot = (item: bigint, keys: readonly StorageKey[]): Hex => slotOf(`${space} position`, ...keys, item);
  const length = (call: ModuleCall, keys: readonly StorageKey[]): number => Number(call.read(lengthSlot(keys)));
  return {
    length: (call, ...keys) => length(call, keys),
    at: (call, index, ...keys) => call.read(itemSlot(index, keys)),
    has: (call, item, ...keys) => call.read(positionSlot(item, keys)) > 0n,
    add: (call, item, ...keys) => {
      if (call.read(positionSlot(item, keys)) > 0n) return;
      const end = length(call, keys);
      call.write(itemSlot(end, keys), item);
      call.write(positionSlot(item, keys), BigInt(end + 1));
      call.write(lengthSlot(keys), BigInt(end + 1));
    },
    remove: (call, item, ...keys) => {
      const position = Number(call.read(positionSlot(item, keys)));
      if (position === 0) return;
      const last = length(call, keys) - 1;
      const moved = call.read(itemSlot(last, keys));
      call.write(itemSlot(position - 1, keys), moved);
      call.write(positionSlot(moved, keys), BigInt(position));
      call.write(itemSlot(last, keys), 0n);
      call.write(positionSlot(item, keys), 0n);
      call.write(lengthSlot(keys), BigInt(last));
    },
  };
}
