/** The providers module: who offers compute, with which devices and collateral, and how it has done so far. */
import { type Hex, utf8 } from "../../../base/bytes.ts";
import { providersAbi } from "../../interfaces/abi/providers.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { PROVIDERS_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import {
  depositFunds,
  freeFunds,
  heldFunds,
  leavingEntries,
  leavingFunds,
  payDue,
  stayAfterAll,
} from "../held-funds.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { MAX_PAGE, positionsFrom } from "../page.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { listSpace, readBytes, writeBytes } from "../storage.ts";
import {
  collateralOf,
  isAvailable,
  leaveWith,
  PROVIDER_STATUS,
  providerRecords,
  providerStatus,
} from "./collateral.ts";
import {
  addDevice,
  type Device,
  type DeviceList,
  deviceAt,
  deviceCount,
  deviceOf,
  removeDevice,
  updateDevice,
} from "./devices.ts";
import { MAX_ENDPOINT_BYTES, MAX_NAME_BYTES } from "./limits.ts";
import { reputationOf } from "./reputation.ts";

/** Everybody who is registered. */
const registered = listSpace("providers");

export function createProvidersModule(parameters: ParameterStore): NativeModule {
  return defineModule({
    name: "providers",
    address: PROVIDERS_ADDRESS,
    abi: providersAbi,
    parameters,
    handlers: {
      register,
      describe: (call, name, endpoint) => {
        requireStaying(call);
        writeDescription(call, name, endpoint);
      },
      topUp,
      requestWithdrawal,
      cancelWithdrawal,
      withdraw,
      pause: (call) => changeStatus(call, "active", "paused"),
      resume: (call) => changeStatus(call, "paused", "active"),
      exit,
      addDevice: (call, kind, memoryBytes, tier, region, capabilities, benchmark) => {
        requireStaying(call);
        const description = { kind, memoryBytes, tier, region: lower(region), capabilities, benchmark };
        return addDevice(call, call.message.caller, description);
      },
      updateDevice: (call, id, kind, memoryBytes, tier, region, capabilities, benchmark) => {
        const description = { kind, memoryBytes, tier, region: lower(region), capabilities, benchmark };
        updateDevice(call, call.message.caller, id, description);
      },
      removeDevice: (call, id) => removeDevice(call, call.message.caller, id),
      providerOf: (call, account) => providerView(call, lower(account)),
      reputationOf: (call, account) => reputationOf(call, lower(account)),
      withdrawalsOf: (call, account) => {
        const entries = leavingEntries(call, lower(account));
        return [entries.map(({ amount }) => amount), entries.map(({ due }) => due)];
      },
      providerCount: (call) => BigInt(registered.length(call)),
      providers: (call, start, limit) =>
        positions(start, limit, registered.length(call)).map((index) =>
          providerView(call, wordToAddress(registered.at(call, index))),
        ),
      deviceOf: (call, account, id) => deviceOf(call, lower(account), id),
      devicesOf: (call, account, start, limit) => devicePage(call, { provider: lower(account) }, start, limit),
      deviceCountOfTier: (call, tier) => BigInt(deviceCount(call, { tier })),
      devicesOfTier: (call, tier, start, limit) => devicePage(call, { tier }, start, limit),
      deviceCountIn: (call, tier, region) => BigInt(deviceCount(call, { tier, region: lower(region) })),
      devicesIn: (call, tier, region, start, limit) => devicePage(call, { tier, region: lower(region) }, start, limit),
      totalCollateral: heldFunds,
    },
  });
}

function register(call: ModuleCall, name: string, endpoint: string): void {
  const { caller, value } = call.message;
  if (providerStatus(call, caller) !== PROVIDER_STATUS.none) {
    throw revertWith(providersAbi, "AlreadyRegistered", [caller]);
  }
  const { minCollateral } = call.parameters.providers;
  if (value < minCollateral) throw revertWith(providersAbi, "BelowMinimum", [value, minCollateral]);
  depositFunds(call, caller, value);
  providerRecords.set(call, "status", PROVIDER_STATUS.active, caller);
  providerRecords.set(call, "since", protocolTime(call), caller);
  registered.add(call, addressToWord(caller));
  call.emit(providersAbi, "Registered", { provider: caller, amount: value });
  writeDescription(call, name, endpoint);
}

function writeDescription(call: ModuleCall, name: string, endpoint: string): void {
  const { caller } = call.message;
  const nameBytes = boundedText(name, 1, MAX_NAME_BYTES);
  const endpointBytes = boundedText(endpoint, 0, MAX_ENDPOINT_BYTES);
  writeBytes(call, nameBytes, "name", caller);
  writeBytes(call, endpointBytes, "endpoint", caller);
  call.emit(providersAbi, "Described", { provider: caller, name, endpoint });
}

function boundedText(text: string, least: number, most: number): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length < least || bytes.length > most) {
    throw revertWith(providersAbi, "BadText", [BigInt(bytes.length), BigInt(least), BigInt(most)]);
  }
  return bytes;
}

function topUp(call: ModuleCall): void {
  const { caller, value } = call.message;
  requireStaying(call);
  if (value === 0n) throw revertWith(providersAbi, "NothingSent", []);
  depositFunds(call, caller, value);
  call.emit(providersAbi, "ToppedUp", { provider: caller, amount: value });
}

function requestWithdrawal(call: ModuleCall, amount: bigint): bigint {
  const { caller } = call.message;
  requireStaying(call);
  if (amount === 0n) throw revertWith(providersAbi, "ZeroAmount", []);
  const { free, reserved } = collateralOf(call, caller);
  if (amount > free) throw revertWith(providersAbi, "NotEnoughFree", [free, amount]);
  const left = free + reserved - amount;
  const { minCollateral } = call.parameters.providers;
  if (left < minCollateral) throw revertWith(providersAbi, "BelowMinimum", [left, minCollateral]);
  return leaveWith(call, caller, amount);
}

function cancelWithdrawal(call: ModuleCall, amount: bigint): void {
  const { caller } = call.message;
  requireStaying(call);
  if (amount === 0n) throw revertWith(providersAbi, "ZeroAmount", []);
  const leaving = leavingFunds(call, caller);
  if (amount > leaving) throw revertWith(providersAbi, "NotEnoughLeaving", [leaving, amount]);
  stayAfterAll(call, caller, amount);
  call.emit(providersAbi, "WithdrawalCancelled", { provider: caller, amount });
}

function withdraw(call: ModuleCall): bigint {
  const { caller } = call.message;
  const amount = payDue(call, caller, protocolTime(call));
  if (amount > 0n) call.emit(providersAbi, "Withdrawn", { provider: caller, amount });
  const hasLeft = endRegistration(call, caller);
  if (amount === 0n && !hasLeft) {
    throw revertWith(providersAbi, "NothingDue", [leavingEntries(call, caller)[0]?.due ?? 0n]);
  }
  return amount;
}

/** Once nothing of a leaving provider is left here, whether it was paid or taken. */
function endRegistration(call: ModuleCall, provider: Address): boolean {
  if (providerStatus(call, provider) !== PROVIDER_STATUS.leaving) return false;
  const { free, reserved, leaving } = collateralOf(call, provider);
  if (free + reserved + leaving > 0n) return false;
  providerRecords.set(call, "status", PROVIDER_STATUS.none, provider);
  registered.remove(call, addressToWord(provider));
  call.emit(providersAbi, "Exited", { provider });
  return true;
}

function exit(call: ModuleCall): void {
  const { caller } = call.message;
  requireStaying(call);
  const devices = deviceCount(call, { provider: caller });
  if (devices > 0) throw revertWith(providersAbi, "DevicesLeft", [BigInt(devices)]);
  providerRecords.set(call, "status", PROVIDER_STATUS.leaving, caller);
  call.emit(providersAbi, "ExitStarted", { provider: caller });
  const free = freeFunds(call, caller);
  if (free > 0n) leaveWith(call, caller, free);
}

function changeStatus(call: ModuleCall, from: "active" | "paused", to: "active" | "paused"): void {
  const { caller } = call.message;
  if (requireStaying(call) !== PROVIDER_STATUS[from]) {
    throw revertWith(providersAbi, from === "active" ? "NotActive" : "NotPaused", [caller]);
  }
  providerRecords.set(call, "status", PROVIDER_STATUS[to], caller);
  call.emit(providersAbi, to === "paused" ? "Paused" : "Resumed", { provider: caller });
}

/** The caller's status; reverts if it is no provider or leaves. */
function requireStaying(call: ModuleCall): bigint {
  const { caller } = call.message;
  const status = providerStatus(call, caller);
  if (status === PROVIDER_STATUS.none) throw revertWith(providersAbi, "NotRegistered", [caller]);
  if (status === PROVIDER_STATUS.leaving) throw revertWith(providersAbi, "IsLeaving", [caller]);
  return status;
}

function providerView(call: ModuleCall, account: Address): Record<string, unknown> {
  const status = providerStatus(call, account);
  const text = (key: string): string =>
    status === PROVIDER_STATUS.none ? "" : new TextDecoder().decode(readBytes(call, key, account));
  return {
    account,
    status: Number(status),
    available: isAvailable(call, account),
    name: text("name"),
    endpoint: text("endpoint"),
    ...collateralOf(call, account),
    since: status === PROVIDER_STATUS.none ? 0n : providerRecords.get(call, "since", account),
    deviceCount: BigInt(deviceCount(call, { provider: account })),
  };
}

function devicePage(call: ModuleCall, list: DeviceList, start: bigint, limit: bigint): readonly Device[] {
  return positions(start, limit, deviceCount(call, list)).map((index) => deviceAt(call, list, index));
}

function positions(start: bigint, limit: bigint, count: number): readonly number[] {
  if (limit > MAX_PAGE) throw revertWith(providersAbi, "TooMany", [MAX_PAGE]);
  return positionsFrom(start, limit, count);
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}
