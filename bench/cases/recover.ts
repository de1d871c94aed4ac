/**
 * Recovering the sender's address of a signed hash: ours from bytes to address, beside the native library alone
 * (the physical limit of a core for transfers) and beside noble.
 */
import { bytes32, bytesToHex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { Prng } from "../../base/prng.ts";
import { privateKeyToAddress, recoverAddress, signHash } from "../../base/secp256k1.ts";
import { nativeSecp256k1 } from "../../base/secp256k1-native.ts";
import { portableSecp256k1 } from "../../base/secp256k1-portable.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly signatures: number;
  /** The portable engine is so much slower that it gets fewer. */
  readonly portable: number;
}

interface Signed {
  readonly hash: Uint8Array;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: 0 | 1;
  readonly address: Uint8Array;
  /** r and s, as the engines take them. */
  readonly signature: Uint8Array;
}

export const benchCase: BenchCase<Params> = {
  name: "recover",
  description: "sender recovery from signature bytes to address, beside the native library alone and noble",
  sizes: {
    smoke: { rounds: 1, signatures: 20, portable: 3 },
    full: { rounds: 7, signatures: 4_000, portable: 150 },
  },
  run,
};

function makeSigned(count: number): Signed[] {
  const random = new Prng("recover");
  return Array.from({ length: count }, () => {
    const key = random.bytes(32);
    const hash = random.bytes(32);
    const { r, s, yParity } = signHash(hash, key);
    const [rBytes, sBytes] = [bytes32(r), bytes32(s)];
    const signature = new Uint8Array([...rBytes, ...sBytes]);
    return { hash, r: rBytes, s: sBytes, yParity, address: privateKeyToAddress(key), signature };
  });
}

async function run({ rounds, signatures, portable }: Params): Promise<BenchResult> {
  const signed = makeSigned(signatures);
  const library = nativeSecp256k1 ?? portableSecp256k1;
  let agreed = true;
  const rates = await interleave(rounds, [
    {
      name: "ours",
      run: () => {
        for (const { hash, r, s, yParity } of signed) recoverAddress(hash, r, s, yParity);
        return signed.length;
      },
    },
    {
      name: "library alone",
      run: () => {
        for (const { hash, signature, yParity } of signed) library.recover(hash, signature, yParity);
        return signed.length;
      },
    },
    {
      name: "noble",
      run: () => {
        for (const { hash, signature, yParity, address } of signed.slice(0, portable)) {
          const publicKey = portableSecp256k1.recover(hash, signature, yParity);
          const found = publicKey && bytesToHex(keccak256(publicKey.subarray(1)).subarray(12));
          agreed &&= found === bytesToHex(address);
        }
        return Math.min(portable, signed.length);
      },
    },
  ]);
  for (const { hash, r, s, yParity, address } of signed) {
    const found = recoverAddress(hash, r, s, yParity);
    agreed &&= found !== undefined && bytesToHex(found) === bytesToHex(address);
  }
  return {
    measurements: ["ours", "library alone", "noble"].map((name) => ({
      name,
      value: rates.rate(name),
      unit: "recover/s",
    })),
    comparisons: [
      { name: "ours beside the library alone", ratio: rates.ratio("ours", "library alone"), target: { atLeast: 0.9 } },
      { name: "ours beside noble", ratio: rates.ratio("ours", "noble"), target: { atLeast: 10 } },
    ],
    agreed,
  };
}
