/**
 * Bugs of ours inside a module: an assertion that does not hold, a library that throws. They are the same on every node, so
 * the call that met one fails, on all of them alike, and the chain goes on. What is the trouble of one machine is something
 * else: a state that cannot be read, no memory, no stack. A node that took that for the call's fault would leave the others.
 */
import type { Hex } from "../../base/bytes.ts";
import { isReadFailure } from "../state/read-failure.ts";
import type { StateFault } from "../state/working-state.ts";

/**
 * A call that met a bug, and was undone: with the transaction in which it was, `undefined` in the protocol's own work. What the
 * error says is for people: it may differ between versions of the platform, so it never becomes part of the state.
 */
export interface ModuleFault extends StateFault {
  readonly transaction: Hex | undefined;
}

/** Stack and memory run out with a RangeError, or with one of WebAssembly's errors. */
const OF_THE_MACHINE: readonly string[] = ["RangeError", "CompileError", "LinkError", "RuntimeError", "InternalError"];

/**
 * What a RangeError says that follows from the values alone: a division by zero, an index or a number that cannot be. How deep
 * the stack is and how much memory there is differs between machines, and even between two runs on one, so no other text
 * counts as a bug. A platform that words one of these differently stops, as before; it never answers differently.
 */
const OF_THE_VALUES: readonly RegExp[] = [
  /^Division by zero$/,
  /^Maximum BigInt size exceeded$/,
  /^The number .* cannot be converted to a BigInt because it is not an integer$/,
  /^Invalid array length$/,
  /^offset is out of bounds$/,
  /^Offset is outside the bounds of the DataView$/,
  /^Start offset .* is outside the bounds of the buffer$/,
  /^Invalid count value: /,
];

/** Whether it is a bug that all nodes meet alike. Where one error was caused by another, all of them must be. */
export function isModuleFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isReadFailure(at) || isOfTheMachine(at)) return false;
  }
  return true;
}

function isOfTheMachine({ name, message }: Error): boolean {
  if (!OF_THE_MACHINE.includes(name)) return false;
  return name !== "RangeError" || !OF_THE_VALUES.some((text) => text.test(message));
}
