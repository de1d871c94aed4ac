/** Devices of providers, and the lists by which work finds them: by provider, by tier, by tier and region. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { providersAbi } from "../../interfaces/abi/providers.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { PROVIDERS_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type ListSpace, listSpace, recordSpace, type StorageKey } from "../storage.ts";
import { isAvailable } from "./collateral.ts";
import { MAX_TIER } from "./limits.ts";

export interface DeviceDescription {
  readonly kind: number;
  readonly tier: number;
  readonly memoryBytes: bigint;
  /** 16 bytes, in lower case. */
  readonly region: Hex;
  readonly capabilities: bigint;
  /** 32 bytes. */
  readonly benchmark: Hex;
}

export interface Device extends DeviceDescription {
  readonly provider: Address;
  readonly id: bigint;
  /** Protocol time when it was last described. */
  readonly updated: bigint;
  readonly available: boolean;
}

export const DEVICE_KIND = { cpu: 1, cuda: 2 } as const;
const KINDS: ReadonlySet<number> = new Set(Object.values(DEVICE_KIND));

/** By provider and id. `shape` is kind, tier, memory and region in one word: 8, 8, 64 and 128 bits. */
const records = recordSpace("device", ["shape", "capabilities", "benchmark", "updated"]);
/** The id that was given last. */
const counters = recordSpace("device ids", ["last"]);
/** Words of (provider, id): `handleOf`. */
const ofProvider = listSpace("devices of provider");
const ofTier = listSpace("devices of tier");
const inRegion = listSpace("devices in region");

/** Which devices: of a provider, of a tier, or of a tier in a region. */
export type DeviceList =
  | { readonly provider: Address }
  | { readonly tier: number }
  | { readonly tier: number; readonly region: Hex };

export function deviceCount(call: ModuleCall, list: DeviceList): number {
  const [space, keys] = spaceOf(list);
  return space.length(call.in(PROVIDERS_ADDRESS), ...keys);
}

export function deviceAt(call: ModuleCall, list: DeviceList, index: number): Device {
  const own = call.in(PROVIDERS_ADDRESS);
  const [space, keys] = spaceOf(list);
  const handle = space.at(own, index, ...keys);
  return readDevice(own, wordToAddress(handle >> ID_BITS), handle & ID_MASK);
}

/** Reverts with NoDevice. */
export function deviceOf(call: ModuleCall, provider: Address, id: bigint): Device {
  const own = call.in(PROVIDERS_ADDRESS);
  checkDevice(own, provider, id);
  return readDevice(own, provider, id);
}

/** For hooks, which cannot revert; `undefined` if there is no such device. */
export function deviceTier(call: ModuleCall, provider: Address, id: bigint): number | undefined {
  const shape = records.get(call.in(PROVIDERS_ADDRESS), "shape", provider, id);
  return shape === 0n ? undefined : Number((shape >> TIER_SHIFT) & BYTE_MASK);
}

/** Reverts with what is wrong with the description, or TooManyDevices. */
export function addDevice(own: ModuleCall, provider: Address, description: DeviceDescription): bigint {
  checkDescription(description);
  const { maxDevices } = own.parameters.providers;
  if (BigInt(deviceCount(own, { provider })) >= maxDevices) {
    throw revertWith(providersAbi, "TooManyDevices", [maxDevices]);
  }
  const id = counters.add(own, "last", 1n, provider);
  ofProvider.add(own, handleOf(provider, id), provider);
  enlist(own, provider, id, description);
  writeDevice(own, provider, id, description);
  own.emit(providersAbi, "DeviceAdded", { provider, id, ...description });
  return id;
}

/** Reverts with what is wrong with the description, or NoDevice. */
export function updateDevice(own: ModuleCall, provider: Address, id: bigint, description: DeviceDescription): void {
  checkDescription(description);
  const before = deviceOf(own, provider, id);
  if (before.tier !== description.tier || before.region !== description.region) {
    delist(own, before);
    enlist(own, provider, id, description);
  }
  writeDevice(own, provider, id, description);
  own.emit(providersAbi, "DeviceUpdated", { provider, id, ...description });
}

/** Reverts with NoDevice. */
export function removeDevice(own: ModuleCall, provider: Address, id: bigint): void {
  delist(own, deviceOf(own, provider, id));
  ofProvider.remove(own, handleOf(provider, id), provider);
  for (const field of ["shape", "capabilities", "benchmark", "updated"] as const) {
    records.set(own, field, 0n, provider, id);
  }
  own.emit(providersAbi, "DeviceRemoved", { provider, id });
}

function spaceOf(list: DeviceList): readonly [ListSpace, readonly StorageKey[]] {
  if ("provider" in list) return [ofProvider, [list.provider]];
  return "region" in list ? [inRegion, [list.tier, list.region]] : [ofTier, [list.tier]];
}

function enlist(own: ModuleCall, provider: Address, id: bigint, { tier, region }: DeviceDescription): void {
  const handle = handleOf(provider, id);
  ofTier.add(own, handle, tier);
  inRegion.add(own, handle, tier, region);
}

function delist(own: ModuleCall, { provider, id, tier, region }: Device): void {
  const handle = handleOf(provider, id);
  ofTier.remove(own, handle, tier);
  inRegion.remove(own, handle, tier, region);
}

function checkDescription({ kind, tier, memoryBytes, region }: DeviceDescription): void {
  if (!KINDS.has(kind)) throw revertWith(providersAbi, "UnknownKind", [kind]);
  if (tier > MAX_TIER) throw revertWith(providersAbi, "BadTier", [tier, MAX_TIER]);
  if (memoryBytes === 0n) throw revertWith(providersAbi, "NoMemory", []);
  if (BigInt(region) === 0n) throw revertWith(providersAbi, "NoRegion", []);
}

function checkDevice(own: ModuleCall, provider: Address, id: bigint): void {
  if (records.get(own, "shape", provider, id) === 0n) throw revertWith(providersAbi, "NoDevice", [provider, id]);
}

const ID_BITS = 64n;
const ID_MASK = (1n << ID_BITS) - 1n;
const BYTE_MASK = 0xffn;
const REGION_BITS = 128n;
const REGION_BYTES = 16;
const TIER_SHIFT = REGION_BITS + 64n;
const KIND_SHIFT = TIER_SHIFT + 8n;

function handleOf(provider: Address, id: bigint): bigint {
  return (addressToWord(provider) << ID_BITS) | id;
}

function writeDevice(own: ModuleCall, provider: Address, id: bigint, device: DeviceDescription): void {
  const { kind, tier, memoryBytes, region, capabilities, benchmark } = device;
  const shape =
    (BigInt(kind) << KIND_SHIFT) | (BigInt(tier) << TIER_SHIFT) | (memoryBytes << REGION_BITS) | BigInt(region);
  records.set(own, "shape", shape, provider, id);
  records.set(own, "capabilities", capabilities, provider, id);
  records.set(own, "benchmark", BigInt(benchmark), provider, id);
  records.set(own, "updated", protocolTime(own), provider, id);
}

function readDevice(own: ModuleCall, provider: Address, id: bigint): Device {
  const shape = records.get(own, "shape", provider, id);
  return {
    provider,
    id,
    kind: Number(shape >> KIND_SHIFT),
    tier: Number((shape >> TIER_SHIFT) & BYTE_MASK),
    memoryBytes: (shape >> REGION_BITS) & ID_MASK,
    region: bytesToHex(bytes32(shape).subarray(REGION_BYTES)),
    capabilities: records.get(own, "capabilities", provider, id),
    benchmark: bytesToHex(bytes32(records.get(own, "benchmark", provider, id))),
    updated: records.get(own, "updated", provider, id),
    available: isAvailable(own, provider),
  };
}
