/**
 * Members: devices that have joined a source and take part in its draws. A device races for one task at a time, whatever
 * sources it has joined: while it does, it is idle in none of them. Its provider needs the least collateral once for each
 * joined device, so that nobody fills draws and the tier's capacity with devices that are not there.
 */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { noteDevices } from "../pricing/base-price.ts";
import { collateralOf, isAvailable } from "../providers/collateral.ts";
import { deviceTier } from "../providers/devices.ts";
import { type ListSpace, listSpace, recordSpace, slotOf } from "../storage.ts";
import { returnExcess } from "./escrow.ts";
import { MAX_SOURCES_OF_DEVICE } from "./limits.ts";
import { memberKey, releaseLock, setAside } from "./locks.ts";
import { MEMBER_LEFT } from "./numbers.ts";
import { requireOpenSource, requireSource, type Source, workerLock } from "./sources.ts";

export interface Member {
  readonly id: bigint;
  readonly source: bigint;
  readonly provider: Address;
  readonly device: bigint;
}

const words = recordSpace("member", ["source", "provider", "device", "misses"]);
const MEMBER_COUNT: Hex = slotOf("member count");
/** Members' numbers. By source; those of them that are idle; by provider; by provider and device. */
export const ofSource: ListSpace = listSpace("members of source");
export const idleOf: ListSpace = listSpace("idle members");
export const ofProvider: ListSpace = listSpace("members of provider");
const ofDevice = listSpace("members of device");
/** By provider and device: what it races for, and the tier that it counts in. */
const devices = recordSpace("joined device", ["job", "tier"]);
/** By provider: how many of its devices have joined anything. */
const joined = recordSpace("joined devices", ["count"]);

function numberSlot(source: bigint, provider: Address, device: bigint): Hex {
  return slotOf("member number", source, provider, device);
}

export function memberAt(call: ModuleCall, id: bigint): Member {
  return {
    id,
    source: words.get(call, "source", id),
    provider: wordToAddress(words.get(call, "provider", id)),
    device: words.get(call, "device", id),
  };
}

/** `undefined` if the device is no member. */
export function findMember(call: ModuleCall, source: bigint, provider: Address, device: bigint): Member | undefined {
  const id = call.read(numberSlot(source, provider, device));
  return id === 0n ? undefined : memberAt(call, id);
}

/** What the device races for; 0 if it is idle. */
export function jobOfDevice(call: ModuleCall, provider: Address, device: bigint): bigint {
  return devices.get(call, "job", provider, device);
}

export function missesOf(call: ModuleCall, member: bigint): bigint {
  return words.get(call, "misses", member);
}

export function setMisses(call: ModuleCall, member: bigint, misses: bigint): void {
  words.set(call, "misses", misses, member);
}

/** Says which member it is. Reverts with what is in the way. */
export function joinSource(call: ModuleCall, sourceId: bigint, device: bigint): void {
  const { caller: provider, value } = call.message;
  const source = requireOpenSource(call, sourceId);
  checkDevice(call, source, provider, device);
  if (findMember(call, sourceId, provider, device) !== undefined) {
    throw revertWith(marketAbi, "AlreadyMember", [sourceId, provider, device]);
  }
  if (ofDevice.length(call, provider, device) >= MAX_SOURCES_OF_DEVICE) {
    throw revertWith(marketAbi, "Full", [BigInt(MAX_SOURCES_OF_DEVICE)]);
  }
  const id = call.read(MEMBER_COUNT) + 1n;
  call.write(MEMBER_COUNT, id);
  const lock = workerLock(call, source);
  returnExcess(call, setAside(call, memberKey(provider, id), lock, value));
  if (ofDevice.length(call, provider, device) === 0) countDevice(call, source, provider, device);
  words.set(call, "source", sourceId, id);
  words.set(call, "provider", addressToWord(provider), id);
  words.set(call, "device", device, id);
  call.write(numberSlot(sourceId, provider, device), id);
  ofSource.add(call, id, sourceId);
  ofProvider.add(call, id, provider);
  ofDevice.add(call, id, provider, device);
  if (jobOfDevice(call, provider, device) === 0n) idleOf.add(call, id, sourceId);
  call.emit(marketAbi, "MemberJoined", { source: sourceId, provider, device, locked: lock });
}

function checkDevice(call: ModuleCall, source: Source, provider: Address, device: bigint): void {
  if (!isAvailable(call, provider)) throw revertWith(marketAbi, "NotAvailable", [provider]);
  const tier = deviceTier(call, provider, device);
  if (tier === undefined) throw revertWith(marketAbi, "NoDevice", [provider, device]);
  if (tier !== source.tier) throw revertWith(marketAbi, "WrongTier", [tier, source.tier]);
}

/** The first source of a device: it counts in its tier, and its provider's collateral must be enough for one more. */
function countDevice(call: ModuleCall, { tier }: Source, provider: Address, device: bigint): void {
  const count = joined.add(call, "count", 1n, provider);
  const { free, reserved } = collateralOf(call, provider);
  const needed = count * call.parameters.providers.minCollateral;
  if (free + reserved < needed) throw revertWith(marketAbi, "TooLittleCollateral", [free + reserved, needed]);
  devices.set(call, "tier", BigInt(tier), provider, device);
  noteDevices(call, tier, 1n);
}

export function leaveSource(call: ModuleCall, sourceId: bigint, device: bigint): void {
  const { caller: provider } = call.message;
  requireSource(call, sourceId);
  const member = findMember(call, sourceId, provider, device);
  if (member === undefined) throw revertWith(marketAbi, "NotMember", [sourceId, provider, device]);
  const job = jobOfDevice(call, provider, device);
  if (job > 0n) throw revertWith(marketAbi, "DeviceBusy", [job]);
  endMembership(call, member, MEMBER_LEFT.byItself);
}

/** Its device does not race. What is left of its lock is free again. */
export function endMembership(call: ModuleCall, member: Member, reason: number): void {
  const { id, source, provider, device } = member;
  releaseLock(call, memberKey(provider, id));
  idleOf.remove(call, id, source);
  ofSource.remove(call, id, source);
  ofProvider.remove(call, id, provider);
  ofDevice.remove(call, id, provider, device);
  call.write(numberSlot(source, provider, device), 0n);
  for (const field of ["source", "provider", "device", "misses"] as const) words.set(call, field, 0n, id);
  if (ofDevice.length(call, provider, device) === 0) {
    noteDevices(call, Number(devices.get(call, "tier", provider, device)), -1n);
    devices.set(call, "tier", 0n, provider, device);
    joined.add(call, "count", -1n, provider);
  }
  call.emit(marketAbi, "MemberLeft", { source, provider, device, reason });
}

/** The device races for the job, and is idle in none of its sources. */
export function occupy(call: ModuleCall, { provider, device }: Member, job: bigint): void {
  devices.set(call, "job", job, provider, device);
  for (const id of membersOfDevice(call, provider, device)) {
    idleOf.remove(call, id, words.get(call, "source", id));
  }
}

/** The race is over for the device: it is idle again. Says in which sources. */
export function vacate(call: ModuleCall, provider: Address, device: bigint): readonly bigint[] {
  devices.set(call, "job", 0n, provider, device);
  return membersOfDevice(call, provider, device).map((id) => {
    const source = words.get(call, "source", id);
    idleOf.add(call, id, source);
    return source;
  });
}

function membersOfDevice(call: ModuleCall, provider: Address, device: bigint): readonly bigint[] {
  const count = ofDevice.length(call, provider, device);
  return Array.from({ length: count }, (_, index) => ofDevice.at(call, index, provider, device));
}
