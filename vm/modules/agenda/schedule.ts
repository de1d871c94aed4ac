/**
 * What is due when. Each entry is a kind of work of a module on something with a number, and is there at most once:
 * scheduling it again moves it. An entry that waits for a block makes blocks come at their normal interval until then; one
 * that waits for a time makes a block at that time.
 */
import type { Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import type { Address } from "../../state/account.ts";
import type { StateReader } from "../../state/reader.ts";
import { AGENDA_ADDRESS, moduleAddress } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { readOnlyCall } from "../read-only-call.ts";
import { slotOf } from "../storage.ts";
import { DueHeap } from "./due-heap.ts";
import { DUE_BITS, ID_BITS, MAX_KIND, TAKE_GAS } from "./limits.ts";

/** A block's number, or protocol time in seconds. */
export type Due = { readonly block: bigint } | { readonly time: bigint };

export interface AgendaEntry {
  readonly module: Address;
  readonly kind: number;
  readonly id: bigint;
}

/** due 64 | module 16 | kind 16 | id 160. */
const KIND_BITS = 16n;
const NAME_BITS: bigint = ID_BITS + 2n * KIND_BITS;
const NAME_MASK: bigint = (1n << NAME_BITS) - 1n;

const HEAPS = ["block", "time"] as const;
type HeapName = (typeof HEAPS)[number];

/** Where an entry is: 1 + twice its position, and 1 more in the heap of times. 0 when it is not there. */
function placeSlot(name: bigint): Hex {
  return slotOf("place", name);
}

function heapOf(which: HeapName): DueHeap {
  const bit = BigInt(HEAPS.indexOf(which));
  return new DueHeap(`due by ${which}`, (call, word, position) => {
    call.write(placeSlot(word & NAME_MASK), position === undefined ? 0n : 2n * BigInt(position) + bit + 1n);
  });
}

const heaps: Readonly<Record<HeapName, DueHeap>> = { block: heapOf("block"), time: heapOf("time") };

function nameOf({ module, kind, id }: AgendaEntry): bigint {
  assert(kind >= 0 && kind <= MAX_KIND && id >= 0n && id >> ID_BITS === 0n, "kinds and numbers fit an entry");
  return ((BigInt(module) & BigInt(MAX_KIND)) << (ID_BITS + KIND_BITS)) | (BigInt(kind) << ID_BITS) | id;
}

/**
 * Puts the work there, or moves it. Whoever does this pays for taking it off again; what the work itself costs is
 * for its module to charge, `prepaid`.
 */
export function schedule(from: ModuleCall, due: Due, entry: AgendaEntry, prepaid = 0n): void {
  const call = from.in(AGENDA_ADDRESS);
  call.charge(TAKE_GAS + prepaid);
  const name = nameOf(entry);
  remove(call, name);
  const which = "block" in due ? "block" : "time";
  const at = "block" in due ? due.block : due.time;
  assert(at >= 0n && at >> DUE_BITS === 0n, "blocks and times have 64 bits");
  heaps[which].add(call, (at << NAME_BITS) | name);
}

/** Nothing happens if it is not there. */
export function cancel(from: ModuleCall, entry: AgendaEntry): void {
  remove(from.in(AGENDA_ADDRESS), nameOf(entry));
}

function remove(call: ModuleCall, name: bigint): void {
  const place = call.read(placeSlot(name));
  if (place === 0n) return;
  heaps[HEAPS[Number((place - 1n) & 1n)] as HeapName].remove(call, Number((place - 1n) >> 1n));
}

export function dueOf(from: ModuleCall, entry: AgendaEntry): Due | undefined {
  const call = from.in(AGENDA_ADDRESS);
  const place = call.read(placeSlot(nameOf(entry)));
  if (place === 0n) return undefined;
  const which = HEAPS[Number((place - 1n) & 1n)] as HeapName;
  const due = heaps[which].at(call, Number((place - 1n) >> 1n)) >> NAME_BITS;
  return which === "block" ? { block: due } : { time: due };
}

export function agendaCount(call: ModuleCall): number {
  return heaps.block.size(call) + heaps.time.size(call);
}

/** The first block and the first time that something waits for. */
export interface NextDue {
  readonly block: bigint | undefined;
  readonly time: bigint | undefined;
}

export function firstDue(from: ModuleCall): NextDue {
  const call = from.in(AGENDA_ADDRESS);
  const first = (which: HeapName): bigint | undefined => {
    const word = heaps[which].first(call);
    return word === 0n ? undefined : word >> NAME_BITS;
  };
  return { block: first("block"), time: first("time") };
}

/** For the runtime: when the chain has to make a block although nobody sends a transaction. */
export function nextDue(state: StateReader): NextDue {
  return firstDue(readOnlyCall(AGENDA_ADDRESS, state));
}

/** Takes the first entry that is due, of those that wait for blocks or for times, off the agenda. */
export function takeDue(from: ModuleCall, which: HeapName, now: bigint): AgendaEntry | undefined {
  const call = from.in(AGENDA_ADDRESS);
  const word = heaps[which].first(call);
  if (word === 0n || word >> NAME_BITS > now) return undefined;
  heaps[which].remove(call, 0);
  const kind = Number((word >> ID_BITS) & BigInt(MAX_KIND));
  const module = moduleAddress(Number((word >> (ID_BITS + KIND_BITS)) & BigInt(MAX_KIND)));
  return { module, kind, id: word & ((1n << ID_BITS) - 1n) };
}
