/** A contract that the protocol implements itself. */
export interface Precompile {
  readonly gas: (input: Uint8Array) => number;
  /** The output, a copy; `undefined` when the input is wrong, which takes all the gas. */
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
}

/** `length` bytes from `start` on, with zeros where the input has ended. */
export function padded(input: Uint8Array, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(input.subarray(start, start + length));
  return bytes;
}

/** The result of a function of a library that throws for wrong input. */
export function attempt(compute: () => Uint8Array): Uint8Array | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
