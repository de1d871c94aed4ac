/** Sources: programs that tasks are made of, and the tasks of each that wait for racers, in their order. */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { quote } from "../pricing/base-price.ts";
import { type ProgramSummary, programSummary } from "../programs/program-store.ts";
import { MAX_TIER } from "../providers/limits.ts";
import { packedWord } from "../staking/packed-word.ts";
import { type ListSpace, listSpace, recordSpace, slotOf } from "../storage.ts";
import { wordToHash } from "./job-record.ts";
import { MAX_RACERS, MAX_SEATS, MOST_MONEY } from "./limits.ts";
import { lockPart } from "./locks.ts";

/** What the owner may change. */
export interface SourceTerms {
  readonly racers: number;
  readonly collateral: bigint;
  readonly seats: number;
  readonly assurance: number;
  readonly maxPrice: bigint;
  readonly taskSeconds: bigint;
}

export interface Source extends SourceTerms {
  readonly id: bigint;
  readonly owner: Address;
  readonly program: Hex;
  readonly tier: number;
  readonly open: boolean;
}

const words = recordSpace("source", ["owner", "program", "shape", "collateral", "maxPrice", "tasks"]);
const shapeWord = packedWord({ open: 8, tier: 8, racers: 8, seats: 8, assurance: 8, taskSeconds: 48 });
const SOURCE_COUNT: Hex = slotOf("source count");
/** Those that take tasks and members. */
export const openSources: ListSpace = listSpace("open sources");

/** Tasks that wait for racers, as a chain from the oldest on. By source, and by job. */
const queues = recordSpace("waiting", ["first", "last", "count"]);
const links = recordSpace("waiting task", ["next", "previous", "block"]);

export function sourceCount(call: ModuleCall): bigint {
  return call.read(SOURCE_COUNT);
}

/** `undefined` if there is none. */
export function findSource(call: ModuleCall, id: bigint): Source | undefined {
  const owner = words.get(call, "owner", id);
  if (owner === 0n) return undefined;
  const shape = shapeWord.unpack(words.get(call, "shape", id));
  return {
    id,
    owner: wordToAddress(owner),
    program: wordToHash(words.get(call, "program", id)),
    tier: Number(shape.tier),
    open: shape.open > 0n,
    racers: Number(shape.racers),
    seats: Number(shape.seats),
    assurance: Number(shape.assurance),
    taskSeconds: shape.taskSeconds,
    collateral: words.get(call, "collateral", id),
    maxPrice: words.get(call, "maxPrice", id),
  };
}

/** Reverts with NoSource. */
export function requireSource(call: ModuleCall, id: bigint): Source {
  const source = findSource(call, id);
  if (source === undefined) throw revertWith(marketAbi, "NoSource", [id]);
  return source;
}

/** Reverts with NoSource or SourceClosed. */
export function requireOpenSource(call: ModuleCall, id: bigint): Source {
  const source = requireSource(call, id);
  if (!source.open) throw revertWith(marketAbi, "SourceClosed", [id]);
  return source;
}

/** Reverts with UnknownProgram. */
export function requireProgram(call: ModuleCall, program: Hex): ProgramSummary {
  const summary = programSummary(call, program);
  if (summary === undefined) throw revertWith(marketAbi, "UnknownProgram", [program]);
  return summary;
}

export function createSource(call: ModuleCall, program: Hex, tier: number, terms: SourceTerms): bigint {
  const { launches } = requireProgram(call, program);
  checkRange("launches", BigInt(launches), 1n, BigInt(Number.MAX_SAFE_INTEGER));
  checkRange("tier", BigInt(tier), 0n, BigInt(MAX_TIER));
  checkTerms(call, terms);
  const id = sourceCount(call) + 1n;
  call.write(SOURCE_COUNT, id);
  words.set(call, "owner", addressToWord(call.message.caller), id);
  words.set(call, "program", BigInt(program), id);
  openSources.add(call, id);
  writeSource(call, { id, owner: call.message.caller, program, tier, open: true, ...terms });
  return id;
}

export function updateSource(call: ModuleCall, id: bigint, terms: SourceTerms): void {
  const source = requireOwned(call, id);
  if (!source.open) throw revertWith(marketAbi, "SourceClosed", [id]);
  checkTerms(call, terms);
  writeSource(call, { ...source, ...terms });
}

export function closeSource(call: ModuleCall, id: bigint): void {
  const source = requireOwned(call, id);
  if (!source.open) throw revertWith(marketAbi, "SourceClosed", [id]);
  openSources.remove(call, id);
  words.set(call, "shape", shapeOf({ ...source, open: false }), id);
  call.emit(marketAbi, "SourceEnded", { source: id });
}

function requireOwned(call: ModuleCall, id: bigint): Source {
  const source = requireSource(call, id);
  if (source.owner !== call.message.caller) throw revertWith(marketAbi, "NotOwner", [source.owner]);
  return source;
}

function shapeOf({ open, tier, racers, seats, assurance, taskSeconds }: Source): bigint {
  return shapeWord.pack({
    open: open ? 1n : 0n,
    tier: BigInt(tier),
    racers: BigInt(racers),
    seats: BigInt(seats),
    assurance: BigInt(assurance),
    taskSeconds,
  });
}

function writeSource(call: ModuleCall, source: Source): void {
  const { id, owner, program, tier, racers, seats, assurance, collateral, maxPrice, taskSeconds } = source;
  words.set(call, "shape", shapeOf(source), id);
  words.set(call, "collateral", collateral, id);
  words.set(call, "maxPrice", maxPrice, id);
  const shown = { owner, program, tier, racers, seats, assurance, collateral, maxPrice, taskSeconds };
  call.emit(marketAbi, "SourceChanged", { source: id, ...shown });
}

function checkTerms(
  call: ModuleCall,
  { racers, collateral, seats, assurance, maxPrice, taskSeconds }: SourceTerms,
): void {
  checkRange("racers", BigInt(racers), 1n, BigInt(MAX_RACERS));
  checkSeats(seats, assurance);
  checkRange("collateral", collateral, 0n, MOST_MONEY);
  checkRange("maxPrice", maxPrice, 0n, MOST_MONEY);
  checkRange("taskSeconds", taskSeconds, 1n, call.parameters.market.maxTaskSeconds);
}

export function checkSeats(seats: number, assurance: number): void {
  checkRange("seats", BigInt(seats), 1n, BigInt(MAX_SEATS));
  checkRange("assurance", BigInt(assurance), 0n, 1n);
}

/** Reverts with OutOfRange. */
export function checkRange(name: string, value: bigint, least: bigint, most: bigint): void {
  if (value < least || value > most) throw revertWith(marketAbi, "OutOfRange", [name, value, least, most]);
}

export interface TaskQuote {
  /** For the worker and fees. */
  readonly price: bigint;
  /** For the seats. */
  readonly verification: bigint;
  /** Of the client's trust lock. */
  readonly lock: bigint;
}

export function quoteTask(call: ModuleCall, { tier, seats, program }: Source): TaskQuote {
  const { clientLockShare, seatFee } = call.parameters.market;
  const price = quote(call, tier, programSummary(call, program)?.fuel ?? 0n);
  return { price, verification: BigInt(seats) * seatFee, lock: lockPart(price, clientLockShare) };
}

/** Of the trust lock of each member. */
export function workerLock(call: ModuleCall, { collateral }: Source): bigint {
  return lockPart(collateral, call.parameters.market.workerLockShare);
}

export function countTask(call: ModuleCall, source: bigint): void {
  words.add(call, "tasks", 1n, source);
}

export function taskCount(call: ModuleCall, source: bigint): bigint {
  return words.get(call, "tasks", source);
}

export function waitingCount(call: ModuleCall, source: bigint): bigint {
  return queues.get(call, "count", source);
}

/** The oldest; 0 if none waits. */
export function firstWaiting(call: ModuleCall, source: bigint): bigint {
  return queues.get(call, "first", source);
}

/** The block in which it began to wait. */
export function waitsSince(call: ModuleCall, job: bigint): bigint {
  return links.get(call, "block", job);
}

export function addWaiting(call: ModuleCall, source: bigint, job: bigint): void {
  const last = queues.get(call, "last", source);
  if (last === 0n) queues.set(call, "first", job, source);
  else {
    links.set(call, "next", job, last);
    links.set(call, "previous", last, job);
  }
  queues.set(call, "last", job, source);
  queues.add(call, "count", 1n, source);
  links.set(call, "block", call.environment.number, job);
}

/** A task that waits: it got racers, or ended. */
export function removeWaiting(call: ModuleCall, source: bigint, job: bigint): void {
  const next = links.get(call, "next", job);
  const previous = links.get(call, "previous", job);
  if (previous === 0n) queues.set(call, "first", next, source);
  else links.set(call, "next", next, previous);
  if (next === 0n) queues.set(call, "last", previous, source);
  else links.set(call, "previous", previous, next);
  queues.add(call, "count", -1n, source);
  for (const field of ["next", "previous", "block"] as const) links.set(call, field, 0n, job);
}
