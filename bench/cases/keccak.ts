/** keccak-256 of short inputs, which is what addresses, slots and transactions are, beside noble's. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { Prng } from "../../base/prng.ts";
import type { BenchCase, BenchResult, Comparison, Measurement } from "../case.ts";
import { interleaveMicro } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly milliseconds: number;
}

const LENGTHS: readonly number[] = [32, 64, 1024];

export const benchCase: BenchCase<Params> = {
  name: "keccak",
  description: "keccak-256 of 32, 64 and 1,024 bytes, beside @noble/hashes",
  sizes: { smoke: { rounds: 1, milliseconds: 5 }, full: { rounds: 7, milliseconds: 100 } },
  run,
};

async function run({ rounds, milliseconds }: Params): Promise<BenchResult> {
  const measurements: Measurement[] = [];
  const comparisons: Comparison[] = [];
  let agreed = true;
  for (const length of LENGTHS) {
    const input = new Prng("keccak").bytes(length);
    agreed &&= bytesToHex(keccak256(input)) === bytesToHex(keccak_256(input));
    const rates = await interleaveMicro(rounds, milliseconds, [
      { name: "ours", run: () => keccak256(input) },
      { name: "noble", run: () => keccak_256(input) },
    ]);
    measurements.push(
      { name: `${length} bytes, ours`, value: rates.rate("ours"), unit: "hashes/s" },
      { name: `${length} bytes, noble`, value: rates.rate("noble"), unit: "hashes/s" },
    );
    const ratio = rates.ratio("ours", "noble");
    comparisons.push({ name: `${length} bytes beside noble`, ratio, target: { atLeast: 3 } });
  }
  return { measurements, comparisons, agreed };
}
