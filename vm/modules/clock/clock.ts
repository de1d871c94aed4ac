/**
 * The clock module: protocol time, which all deadlines run in, and when epochs began. It follows the blocks' times but
 * advances by at most one heartbeat per block, so that an outage of the chain expires nobody.
 */
import { bytesToBigint, type Hex } from "../../../base/bytes.ts";
import { clockAbi } from "../../interfaces/abi/clock.ts";
import type { StateReader } from "../../state/reader.ts";
import { CLOCK_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import type { ModuleCall } from "../module-call.ts";
import { slotOf } from "../storage.ts";

/** Protocol time in the upper half, the last block's time in the lower, both in milliseconds. */
const TIMES_SLOT: Hex = slotOf("clock");
const EPOCH_SLOT: Hex = slotOf("epoch");
const HALF = 128n;

/** Seconds. */
export function protocolTime(call: ModuleCall): bigint {
  return (call.in(CLOCK_ADDRESS).read(TIMES_SLOT) >> HALF) / 1000n;
}

/** The time of a block, in milliseconds since 1970, that brings protocol time to `seconds`, when it is the next one. */
export function blockTimeFor(state: StateReader, seconds: bigint): bigint {
  const times = bytesToBigint(state.storage(CLOCK_ADDRESS, TIMES_SLOT));
  return (times & ((1n << HALF) - 1n)) + seconds * 1000n - (times >> HALF);
}

export function currentEpoch(call: ModuleCall): bigint {
  return call.in(CLOCK_ADDRESS).read(EPOCH_SLOT);
}

/** Protocol time in seconds when the epoch began; 0 if it has not. */
export function epochStart(call: ModuleCall, epoch: bigint): bigint {
  return call.in(CLOCK_ADDRESS).read(slotOf("epoch start", epoch));
}

export function createClockModule(heartbeatMilliseconds: number): NativeModule {
  return defineModule({
    name: "clock",
    address: CLOCK_ADDRESS,
    abi: clockAbi,
    handlers: {
      protocolTime: (call) => protocolTime(call),
      epoch: (call) => currentEpoch(call),
      epochStart: (call, number) => epochStart(call, number),
    },
    genesis: (call) => {
      writeTimes(call, blockTime(call), blockTime(call));
      call.write(slotOf("epoch start", 0n), protocolTime(call));
    },
    beginBlock: (call) => tick(call, BigInt(heartbeatMilliseconds)),
  });
}

function tick(call: ModuleCall, heartbeat: bigint): void {
  const times = call.read(TIMES_SLOT);
  const last = times & ((1n << HALF) - 1n);
  const now = blockTime(call);
  const passed = now - last;
  writeTimes(call, (times >> HALF) + (passed < heartbeat ? passed : heartbeat), now);
  const epoch = BigInt(call.environment.consensus?.epoch ?? 0);
  if (epoch === call.read(EPOCH_SLOT)) return;
  call.write(EPOCH_SLOT, epoch);
  call.write(slotOf("epoch start", epoch), protocolTime(call));
}

function writeTimes(call: ModuleCall, protocol: bigint, block: bigint): void {
  call.write(TIMES_SLOT, (protocol << HALF) | block);
}

function blockTime({ environment }: ModuleCall): bigint {
  return environment.timestamp * 1000n + BigInt(environment.milliseconds);
}
