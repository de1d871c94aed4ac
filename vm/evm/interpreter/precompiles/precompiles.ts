/** The precompiles of each fork, by address. */
import { FORKS, type Fork } from "../../../execution/rules.ts";
import type { Address } from "../../../state/account.ts";
import { blake2, ecrecover, identity, ripemd160Hash, sha256Hash } from "./basic.ts";
import { blsPairing, g1Add, g1Multiply, g2Add, g2Multiply, mapToG1, mapToG2 } from "./bls12-381.ts";
import { bn254Add, bn254Multiply, bn254Pairing, kzgPointEvaluation, p256Verify } from "./curves.ts";
import { modexp, modexpOsaka } from "./modexp.ts";
import type { Precompile } from "./precompile.ts";

/** What each fork adds to the one before it, or puts in its place. */
const ADDED: Readonly<Record<Fork, readonly (readonly [number, Precompile])[]>> = {
  cancun: [
    [0x01, ecrecover],
    [0x02, sha256Hash],
    [0x03, ripemd160Hash],
    [0x04, identity],
    [0x05, modexp],
    [0x06, bn254Add],
    [0x07, bn254Multiply],
    [0x08, bn254Pairing],
    [0x09, blake2],
    [0x0a, kzgPointEvaluation],
  ],
  prague: [
    [0x0b, g1Add],
    [0x0c, g1Multiply],
    [0x0d, g2Add],
    [0x0e, g2Multiply],
    [0x0f, blsPairing],
    [0x10, mapToG1],
    [0x11, mapToG2],
  ],
  osaka: [
    [0x05, modexpOsaka],
    [0x100, p256Verify],
  ],
};

export function precompilesOf(fork: Fork): ReadonlyMap<Address, Precompile> {
  const entries = FORKS.slice(0, FORKS.indexOf(fork) + 1).flatMap((name) => ADDED[name]);
  return new Map(entries.map(([number, precompile]) => [addressOf(number), precompile]));
}

/** Where precompiles are asked to be: by their usual address, and `undefined` for nowhere. */
export type MovedPrecompiles = ReadonlyMap<Address, Address | undefined>;

export function movedPrecompiles(
  usual: ReadonlyMap<Address, Precompile>,
  moved: MovedPrecompiles,
): ReadonlyMap<Address, Precompile> {
  const precompiles = new Map(usual);
  for (const address of moved.keys()) precompiles.delete(address);
  for (const [from, to] of moved) {
    const precompile = usual.get(from);
    if (to !== undefined && precompile !== undefined) precompiles.set(to, precompile);
  }
  return precompiles;
}

function addressOf(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}
