/** Several small numbers in one word of storage: one read and one write instead of many. */
import { assert } from "../../../base/errors.ts";

export interface PackedWord<Field extends string> {
  unpack(word: bigint): Record<Field, bigint>;
  pack(values: Readonly<Record<Field, bigint>>): bigint;
}

const WORD_BITS = 256;

/** Fields with their widths in bits, the first in the lowest. Fields may be appended, never moved. */
export function packedWord<const Field extends string>(widths: Readonly<Record<Field, number>>): PackedWord<Field> {
  const fields = Object.entries<number>(widths) as [Field, number][];
  assert(fields.reduce((sum, [, width]) => sum + width, 0) <= WORD_BITS, "the fields fit into a word");
  return {
    unpack: (word) => {
      const values = {} as Record<Field, bigint>;
      let rest = word;
      for (const [field, width] of fields) {
        values[field] = BigInt.asUintN(width, rest);
        rest >>= BigInt(width);
      }
      return values;
    },
    pack: (values) => {
      let word = 0n;
      let at = 0n;
      for (const [field, width] of fields) {
        const value = values[field];
        assert(value >= 0n && value >> BigInt(width) === 0n, `${field} fits into ${width} bits`);
        word |= value << at;
        at += BigInt(width);
      }
      return word;
    },
  };
}
