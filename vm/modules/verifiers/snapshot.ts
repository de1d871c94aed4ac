/**
 * Weights of verifiers as the end of an epoch left them, and draws by them. A draw of epoch e goes by the last snapshot
 * from before e, so nobody can change its weight once the commitment that is judged is known. Snapshots are written into
 * a ring, and only when a weight has changed. Functions take a call in any account.
 *
 * An entry is one word, the address above and the sum of the units up to it below, in the order of addresses: one
 * binary search finds who has unit n, another what an address has.
 */
import { bytesToBigint, concatBytes, type Hex, utf8 } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { verifiersAbi } from "../../interfaces/abi/verifiers.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { VERIFIERS_ADDRESS } from "../addresses.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, recordSpace, slotOf } from "../storage.ts";
import { KEPT_SNAPSHOTS } from "./limits.ts";
import { forgetChange, haveWeightsChanged, unitsOf } from "./stake.ts";

export interface VerifierWeight {
  readonly account: Address;
  readonly units: bigint;
}

export interface Snapshot {
  /** The slot of its first entry. Made once: a draw reads many entries, and the hash would cost more than the reads. */
  readonly entries: Hex;
  readonly size: number;
  readonly units: bigint;
}

/** By place. `ended` is the epoch at whose end it was taken, plus one. */
const snapshots = recordSpace("snapshot", ["ended", "size", "units"]);
/** How many were ever taken, and by which parameters the last one was. */
const last = recordSpace("last snapshot", ["count", "unitStake", "minStake"]);

/** Units fit: all the money there is has 85 bits of wei. */
const UNIT_BITS = 96n;
const UNIT_MASK = (1n << UNIT_BITS) - 1n;

/** At the end of an epoch, over all verifiers. */
export function takeSnapshot(own: ModuleCall, verifiers: Iterable<Address>): void {
  const epoch = currentEpoch(own);
  writeSnapshot(own, verifiers, epoch, epoch + 1n);
}

/** Of genesis, for the first epoch: as if an epoch had ended before it. */
export function takeFirstSnapshot(own: ModuleCall, verifiers: Iterable<Address>): void {
  writeSnapshot(own, verifiers, 0n, 0n);
}

function writeSnapshot(own: ModuleCall, verifiers: Iterable<Address>, epoch: bigint, ended: bigint): void {
  const { unitStake, minStake } = own.parameters.verifiers;
  const isSameMeasure = last.get(own, "unitStake") === unitStake && last.get(own, "minStake") === minStake;
  const count = last.get(own, "count");
  if (count > 0n && isSameMeasure && !haveWeightsChanged(own)) return;
  const weights = Array.from(verifiers, (account) => ({ account, units: unitsOf(own, account) }))
    .filter(({ units }) => units > 0n)
    .sort((a, b) => (a.account < b.account ? -1 : 1));
  const place = count % BigInt(KEPT_SNAPSHOTS);
  const entries = entriesSlot(place);
  let sum = 0n;
  for (const [index, { account, units }] of weights.entries()) {
    sum += units;
    own.write(fieldSlot(entries, index), (addressToWord(account) << UNIT_BITS) | sum);
  }
  snapshots.set(own, "ended", ended, place);
  snapshots.set(own, "size", BigInt(weights.length), place);
  snapshots.set(own, "units", sum, place);
  last.set(own, "count", count + 1n);
  last.set(own, "unitStake", unitStake);
  last.set(own, "minStake", minStake);
  forgetChange(own);
  own.emit(verifiersAbi, "SnapshotTaken", { epoch, size: BigInt(weights.length), units: sum });
}

/** The last snapshot from before `epoch`; `undefined` if there is none, or it is not kept any more. */
export function snapshotFor(call: ModuleCall, epoch: bigint): Snapshot | undefined {
  const own = call.in(VERIFIERS_ADDRESS);
  const count = last.get(own, "count");
  const kept = count < BigInt(KEPT_SNAPSHOTS) ? count : BigInt(KEPT_SNAPSHOTS);
  for (let back = 1n; back <= kept; back++) {
    const place = (count - back) % BigInt(KEPT_SNAPSHOTS);
    if (snapshots.get(own, "ended", place) > epoch) continue;
    return {
      entries: entriesSlot(place),
      size: Number(snapshots.get(own, "size", place)),
      units: snapshots.get(own, "units", place),
    };
  }
  return undefined;
}

/** How many verifiers can be drawn in that epoch; 0 if there is no snapshot. */
export function snapshotSize(call: ModuleCall, epoch: bigint): number {
  return snapshotFor(call, epoch)?.size ?? 0;
}

/** Their units together. */
export function snapshotTotal(call: ModuleCall, epoch: bigint): bigint {
  return snapshotFor(call, epoch)?.units ?? 0n;
}

/** The weight at a position from 0 to size - 1; positions are in the order of addresses. */
export function weightAt(call: ModuleCall, snapshot: Snapshot, index: number): VerifierWeight {
  const own = call.in(VERIFIERS_ADDRESS);
  const entry = entryAt(own, snapshot, index);
  return { account: entry.account, units: entry.end - startOf(own, snapshot, index) };
}

/** What the verifier had in the snapshot for that epoch. */
export function snapshotUnits(call: ModuleCall, epoch: bigint, verifier: Address): bigint {
  const snapshot = snapshotFor(call, epoch);
  if (snapshot === undefined) return 0n;
  const range = rangeOf(call.in(VERIFIERS_ADDRESS), snapshot, verifier);
  return range === undefined ? 0n : range.end - range.start;
}

/**
 * Who gets seat `seat` of the draw with that seed: each unit that is not of an excluded verifier is equally likely, and
 * seats are independent, so that one verifier may have several. `undefined` if there is no snapshot or nobody in it.
 *
 * The excluded are cut out of the range that is drawn from. Drawing again until somebody else comes would give the same
 * odds, but could go on for long when the excluded have most of the units.
 */
export function drawVerifier(
  call: ModuleCall,
  epoch: bigint,
  seed: Uint8Array,
  seat: number,
  excluded: readonly Address[],
): Address | undefined {
  const own = call.in(VERIFIERS_ADDRESS);
  const snapshot = snapshotFor(own, epoch);
  if (snapshot === undefined) return undefined;
  const gaps = [...new Set(excluded)]
    .map((account) => rangeOf(own, snapshot, account))
    .filter((range) => range !== undefined)
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  const units = gaps.reduce((left, { start, end }) => left - (end - start), snapshot.units);
  if (units === 0n) return undefined;
  let unit = uniformBelow(units, seed, seat);
  for (const { start, end } of gaps) if (unit >= start) unit += end - start;
  return entryAt(
    own,
    snapshot,
    positionOf(own, snapshot, ({ end }) => end > unit),
  ).account;
}

interface UnitRange {
  readonly start: bigint;
  readonly end: bigint;
}

function rangeOf(own: ModuleCall, snapshot: Snapshot, account: Address): UnitRange | undefined {
  const index = positionOf(own, snapshot, (entry) => entry.account >= account);
  if (index === snapshot.size) return undefined;
  const entry = entryAt(own, snapshot, index);
  return entry.account === account ? { start: startOf(own, snapshot, index), end: entry.end } : undefined;
}

interface Entry {
  readonly account: Address;
  /** Units of all up to it, itself included. */
  readonly end: bigint;
}

/** The first position whose entry fulfils what all later ones do too; the size if none does. */
function positionOf(own: ModuleCall, snapshot: Snapshot, isThere: (entry: Entry) => boolean): number {
  let low = 0;
  let high = snapshot.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isThere(entryAt(own, snapshot, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function entryAt(own: ModuleCall, { entries }: Snapshot, index: number): Entry {
  const word = own.read(fieldSlot(entries, index));
  return { account: wordToAddress(word >> UNIT_BITS), end: word & UNIT_MASK };
}

function startOf(own: ModuleCall, snapshot: Snapshot, index: number): bigint {
  return index === 0 ? 0n : entryAt(own, snapshot, index - 1).end;
}

function entriesSlot(place: bigint): Hex {
  return slotOf("snapshot entries", place);
}

const DRAW_TAG = utf8("OpenGPU/VERIFIER-DRAW");
const HASH_RANGE = 1n << 256n;

/**
 * SHA-256 of (tag, seed's hash, seat, attempt) as an integer, drawn again while it is in the last, incomplete run of
 * `bound` values, which would favour small results.
 */
function uniformBelow(bound: bigint, seed: Uint8Array, seat: number): bigint {
  const limit = HASH_RANGE - (HASH_RANGE % bound);
  const head = concatBytes(DRAW_TAG, sha256(seed));
  for (let attempt = 0; ; attempt++) {
    const numbers = new Uint8Array(8);
    const view = new DataView(numbers.buffer);
    view.setUint32(0, seat);
    view.setUint32(4, attempt);
    const value = bytesToBigint(sha256(concatBytes(head, numbers)));
    if (value < limit) return value % bound;
  }
}
