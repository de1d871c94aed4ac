/**
 * Recovering the sender's address of a signed hash: ours from bytes to address, beside the native library alone
 * (the physical limit of a core for transfers) and beside noble; and confirming senders that are known, many at once.
 */
import { bytes32, bytesToHex, EMPTY_BYTES, equalBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { Prng } from "../../base/prng.ts";
import { privateKeyToAddress, recoverAddress, recoverPublicKey, signHash } from "../../base/secp256k1.ts";
import { nativeSecp256k1 } from "../../base/secp256k1-native.ts";
import { portableSecp256k1 } from "../../base/secp256k1-portable.ts";
import { claimOf } from "../../chain/senders/claim.ts";
import { type ClaimedSignature, KnownKeys, loadKeyAddon } from "../../chain/senders/known-keys.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly signatures: number;
  /** The portable engine is so much slower that it gets fewer. */
  readonly portable: number;
  /** Keys that all of them were made by. */
  readonly keys: number;
  /** Signatures that are confirmed at once. */
  readonly batch: number;
}

interface Signed extends ClaimedSignature {
  readonly address: Uint8Array;
  /** r and s, as the engines take them. */
  readonly signature: Uint8Array;
}

export const benchCase: BenchCase<Params> = {
  name: "recover",
  description: "senders from signature bytes to address, recovered or confirmed, beside the native library and noble",
  sizes: {
    smoke: { rounds: 1, signatures: 20, portable: 3, keys: 2, batch: 10 },
    full: { rounds: 7, signatures: 4_000, portable: 150, keys: 10, batch: 64 },
  },
  run,
};

function makeSigned(count: number, keys: number): Signed[] {
  const random = new Prng("recover");
  const secrets = Array.from({ length: keys }, () => random.bytes(32));
  return Array.from({ length: count }, (_, index) => {
    const key = secrets[index % keys] as Uint8Array;
    const hash = random.bytes(32);
    const { r, s, yParity } = signHash(hash, key);
    const [rBytes, sBytes] = [bytes32(r), bytes32(s)];
    const signature = new Uint8Array([...rBytes, ...sBytes]);
    const address = privateKeyToAddress(key);
    return { hash, r: rBytes, s: sBytes, yParity, address, claim: claimOf(bytesToHex(address)), signature };
  });
}

/** Nothing where set-up found no compiler. */
function knownKeys(signed: readonly Signed[], keys: number): KnownKeys | undefined {
  const addon = loadKeyAddon();
  const known = addon && new KnownKeys(addon);
  for (const { hash, r, s, yParity } of signed.slice(0, keys)) {
    const key = recoverPublicKey(hash, r, s, yParity);
    if (key !== undefined) known?.remember(key);
  }
  return known;
}

async function run({ rounds, signatures, portable, keys, batch }: Params): Promise<BenchResult> {
  const signed = makeSigned(signatures, keys);
  const known = knownKeys(signed, keys);
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
      name: "known keys",
      run: () => {
        for (let start = 0; start < signed.length; start += batch) {
          const some = signed.slice(start, start + batch);
          const senders = known?.confirm(some);
          agreed &&=
            known === undefined || some.every(({ address }, i) => equalBytes(senders?.[i] ?? EMPTY_BYTES, address));
        }
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
    measurements: ["ours", "library alone", ...(known ? ["known keys"] : []), "noble"].map((name) => ({
      name,
      value: rates.rate(name),
      unit: "recover/s",
    })),
    comparisons: [
      { name: "ours beside the library alone", ratio: rates.ratio("ours", "library alone"), target: { atLeast: 0.9 } },
      ...(known
        ? [
            {
              name: "known keys beside recovering them",
              ratio: rates.ratio("known keys", "ours"),
              target: { atLeast: 2.5 },
            },
          ]
        : []),
      { name: "ours beside noble", ratio: rates.ratio("ours", "noble"), target: { atLeast: 10 } },
    ],
    agreed,
  };
}
