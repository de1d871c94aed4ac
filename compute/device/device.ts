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

/** A part of a program, from what the launches before it have left. */
export interface DeviceSegment {
  /** Launches from `first` up to `end`, which is not one of them. */
  readonly first: number;
  readonly end: number;
  /** Buffers that were written before, by their position; the others are as at the start. */
  readonly contents: ReadonlyMap<number, Uint8Array>;
}

export interface DeviceOptions {
  /** Only these launches; the outputs are then what the buffers hold after them. */
  readonly segment?: DeviceSegment;
  /**
   * After each launch, in order. A device may compute the next ones meanwhile, as far as they do not change what is shown;
   * without it a device may run many launches in one go.
   */
  readonly onLaunch?: (launch: DeviceLaunch) => void | Promise<void>;
  /** Launches that are done, with the part of the one that is under way. */
  readonly onProgress?: (launches: number) => void;
  readonly signal?: AbortSignal;
}

/** A program whose constants are checked and in their places, to be run with many inputs. */
export interface PreparedProgram {
  /** `inputs`: contents of the input buffers, by name. */
  run(inputs: ReadonlyMap<string, Uint8Array>, options?: DeviceOptions): Promise<DeviceResult>;
}

export interface Device {
  readonly name: string;
  /** `constants`: contents of the constant buffers, by name, which may change afterwards. Throws PROGRAM_INPUT. */
  prepare(checked: CheckedProgram, constants: ReadonlyMap<string, Uint8Array>): PreparedProgram;
  /**
   * `inputs`: contents of input and constant buffers, by name. Rejects with a coded error when they do not fit, or when the
   * device fails; a program that traps is a result.
   */
  run(checked: CheckedProgram, inputs: ReadonlyMap<string, Uint8Array>, options?: DeviceOptions): Promise<DeviceResult>;
}
