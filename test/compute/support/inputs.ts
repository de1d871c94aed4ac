/** Contents for the input buffers of a program. */
import { expect } from "vitest";
import type { Prng } from "../../../base/prng.ts";
import type { Program } from "../../../compute/program/types.ts";
import { words32 } from "../ptx/support/bit-patterns.ts";

/** Ordinary numbers, or edges of every format and random bits. */
export function randomInputs(
  { buffers }: Program,
  prng: Prng,
  kind: "numbers" | "patterns",
): ReadonlyMap<string, Uint8Array> {
  const inputs = buffers.filter((spec) => spec.kind === "input");
  return new Map(
    inputs.map(({ name, bytes }) => {
      const count = Math.ceil(bytes / 4);
      const words =
        kind === "patterns"
          ? words32(prng, count)
          : new Uint32Array(Float32Array.from({ length: count }, () => prng.below(20_000) / 2_000 - 5).buffer);
      return [name, new Uint8Array(words.buffer, 0, bytes)];
    }),
  );
}

/** Fails with the first word that differs. */
export function sameBytes(got: Uint8Array | undefined, wanted: Uint8Array, label = "bytes"): void {
  expect(got?.length, label).toBe(wanted.length);
  if (got === undefined || Buffer.from(got).equals(Buffer.from(wanted))) return;
  const at = wanted.findIndex((byte, i) => byte !== got[i]) & ~3;
  const word = (bytes: Uint8Array): string =>
    Buffer.from(bytes.slice(at, at + 4))
      .reverse()
      .toString("hex");
  expect(`${word(got)} at ${at / 4}`, label).toBe(`${word(wanted)} at ${at / 4}`);
}
