import { bytesToBigint } from "../../../base/bytes.ts";
import { type ModuleCall, ModuleRevert } from "../module-call.ts";

const SELECTOR_BYTES = 4;
const WORD_BYTES = 32;

/**
 * What a call that may be a duty brings. Decoding takes some ten microseconds for each word, which nobody pays for: who calls
 * and about what is read from the first words alone, and only whoever has a turn there has the rest decoded.
 */
export class DutyArguments {
  readonly data: Uint8Array;
  readonly #decode: () => readonly unknown[] | undefined;

  constructor(data: Uint8Array, decode: () => readonly unknown[] | undefined) {
    this.data = data;
    this.#decode = decode;
  }

  /** The argument of that place, which is an unsigned integer of so many bits and stands there itself. */
  integer(place: number, bits: number): bigint {
    const start = SELECTOR_BYTES + place * WORD_BYTES;
    const word = this.data.subarray(start, start + WORD_BYTES);
    const value = bytesToBigint(word);
    if (word.length < WORD_BYTES || value >> BigInt(bits) !== 0n) throw notEncoded();
    return value;
  }

  /** All of them. */
  decoded(): readonly unknown[] {
    const args = this.#decode();
    if (args === undefined) throw notEncoded();
    return args;
  }
}

function notEncoded(): ModuleRevert {
  return new ModuleRevert("arguments that do not fit the function");
}

/**
 * Whether it is the caller's turn to make the call, by its arguments: throws what the handler would throw when it is not, or
 * gives false. The first argument of every duty is the round or job that it is owed in. Asks for decoded arguments last.
 */
export type DutyCheck = (call: ModuleCall, args: DutyArguments) => boolean;
