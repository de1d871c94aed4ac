/** Decoding and encoding the RLP of one signed transfer, beside the `rlp` package. */
import { decode as peerDecode, encode as peerEncode } from "rlp";
import { bytesToHex } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import { decodeRlp, encodeRlp, type RlpItem } from "../../base/rlp.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleaveMicro } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly milliseconds: number;
}

export const benchCase: BenchCase<Params> = {
  name: "rlp-decode",
  description: "RLP of a signed transfer, decoded and encoded, beside the rlp package",
  sizes: { smoke: { rounds: 1, milliseconds: 5 }, full: { rounds: 7, milliseconds: 100 } },
  run,
};

/** Lengths of the fields of an EIP-1559 transfer: chain, nonce, two fees, gas, to, value, data, list, y, r, s. */
const FIELD_LENGTHS: readonly number[] = [2, 2, 4, 4, 2, 20, 8, 0, 0, 1, 32, 32];

async function run({ rounds, milliseconds }: Params): Promise<BenchResult> {
  const random = new Prng("rlp");
  const transfer: RlpItem = FIELD_LENGTHS.map((length) => random.bytes(length));
  const encoded = encodeRlp(transfer);
  const rates = await interleaveMicro(rounds, milliseconds, [
    { name: "decode", run: () => decodeRlp(encoded) },
    { name: "decode, rlp package", run: () => peerDecode(encoded) },
    { name: "encode", run: () => encodeRlp(transfer) },
    { name: "encode, rlp package", run: () => peerEncode(transfer as never) },
  ]);
  const peerItem = peerDecode(encoded) as unknown as RlpItem;
  return {
    measurements: ["decode", "decode, rlp package", "encode", "encode, rlp package"].map((name) => ({
      name,
      value: rates.rate(name),
      unit: "transfers/s",
    })),
    comparisons: ["decode", "encode"].map((name) => ({
      name: `${name} beside the rlp package`,
      ratio: rates.ratio(name, `${name}, rlp package`),
      target: { atLeast: 2 },
    })),
    agreed: bytesToHex(peerEncode(transfer as never)) === bytesToHex(encodeRlp(peerItem)),
  };
}
