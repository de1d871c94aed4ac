/** What runs the blocks of a program: the WebAssembly engine, or the interpreter with all checks. */
import type { InterpretedOutcome } from "../ptx/interpreter/interpret.ts";
import type { LaunchShape, TileWindow, Triple } from "../ptx/wasm/machine.ts";

export type DeviceErrorCode =
  /** The machine has not the memory that the job needs, or the job may not have it. */
  | "DEVICE_MEMORY"
  /** A kernel did not end in time. */
  | "DEVICE_TIMEOUT"
  /** The driver or the device failed. */
  | "DEVICE_FAILED"
  /** This machine has no such device. */
  | "DEVICE_ABSENT";

export interface Memory {
  /** The contents of a buffer, to read and to write. */
  buffer(index: number): Uint8Array;
}

export interface Engine extends Memory {
  /** Blocks that follow belong to this launch. */
  begin(kernel: number, shape: LaunchShape): void;
  /** `windows`: parameter -> what the block owns of the buffer behind it. */
  runBlock(block: Triple, windows: ReadonlyMap<number, TileWindow>, fuel: number): InterpretedOutcome;
  /** Chunks of 1 KiB that were touched since the last call. */
  takeTouchedChunks(): number;
}
