/**
 * What computes whole programs, never blocking the thread that asks: a processor or a GPU. Results are to the bit those of
 * the WebAssembly engine, or the device is broken.
 */
import type { ScheduledLaunch } from "../program/schedule.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import type { LaunchRecord, ProgramTrap } from "./run-program.ts";

export type DeviceResult =
  | { readonly kind: "done"; readonly outputs: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: "trap"; readonly trap: ProgramTrap };

/** The contents are views that the next launch changes. */
export interface DeviceLaunch {
  readonly scheduled: ScheduledLaunch;
  readonly written: LaunchRecord["written"];
}

export interface DeviceOptions {
  /** After each launch. The next one waits for it. Without it a device may run many launches in one go. */
  readonly onLaunch?: (launch: DeviceLaunch) => void | Promise<void>;
  /** Launches that are done, with the part of the one that is under way. */
  readonly onProgress?: (launches: number) => void;
  readonly signal?: AbortSignal;
}

export interface Device {
  readonly name: string;
  /**
   * `inputs`: contents of input and constant buffers, by name. Rejects with a coded error when they do not fit, or when the
   * device fails; a program that traps is a result.
   */
  run(checked: CheckedProgram, inputs: ReadonlyMap<string, Uint8Array>, options?: DeviceOptions): Promise<DeviceResult>;
}
