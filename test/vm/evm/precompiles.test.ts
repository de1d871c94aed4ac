import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, getActivePrecompiles } from "@ethereumjs/evm";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { p256 } from "@noble/curves/nist.js";
import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { bigintToBytes, bytes32, bytesToHex, concatBytes, type Hex, padLeft } from "../../../base/bytes.ts";
import { signHash } from "../../../base/secp256k1.ts";
import { precompilesOf } from "../../../vm/evm/interpreter/precompiles/precompiles.ts";
import { FORKS, type Fork } from "../../../vm/execution/rules.ts";

const HARDFORKS: Readonly<Record<Fork, Hardfork>> = {
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
};
const GAS = 10n ** 9n;

interface Result {
  readonly gasUsed: bigint;
  /** `undefined` when the call fails. */
  readonly output: Hex | undefined;
}

function runOurs(fork: Fork, number: number, data: Uint8Array): Result {
  const precompile = precompilesOf(fork).get(`0x${number.toString(16).padStart(40, "0")}`);
  const gas = BigInt(precompile?.gas(data) ?? 0);
  const output = gas > GAS ? undefined : precompile?.run(data);
  return output === undefined ? { gasUsed: GAS, output } : { gasUsed: gas, output: bytesToHex(output) };
}

async function runTheirs(fork: Fork, number: number, data: Uint8Array): Promise<Result> {
  const evm = await createEVM({
    common: createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: HARDFORKS[fork] }),
  });
  const precompile = getActivePrecompiles(evm.common).get(number.toString(16).padStart(40, "0"));
  const result = await precompile?.({ data, gasLimit: GAS, common: evm.common, _EVM: evm });
  if (result === undefined || result.exceptionError !== undefined) return { gasUsed: GAS, output: undefined };
  return { gasUsed: result.executionGasUsed, output: bytesToHex(result.returnValue) };
}

function element(value: bigint): Uint8Array {
  return padLeft(bigintToBytes(value), 64);
}

function g1(scalar: bigint): Uint8Array {
  if (scalar === 0n) return new Uint8Array(128);
  const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar).toAffine();
  return concatBytes(element(x), element(y));
}

function g2(scalar: bigint): Uint8Array {
  if (scalar === 0n) return new Uint8Array(256);
  const { x, y } = bls12_381.G2.Point.BASE.multiply(scalar).toAffine();
  return concatBytes(element(x.c0), element(x.c1), element(y.c0), element(y.c1));
}

const scalar = fc.bigInt({ min: 0n, max: 5n });
const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const fieldElement = fc.bigInt({ min: 0n, max: bls12_381.fields.Fp.ORDER - 1n }).map(element);

function list(item: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return fc.array(item, { maxLength: 4 }).map((items) => concatBytes(...items));
}

function joined(...parts: readonly fc.Arbitrary<Uint8Array>[]): fc.Arbitrary<Uint8Array> {
  return fc.tuple(...parts).map((bytes) => concatBytes(...bytes));
}

/** Lengths of zero or a few bytes, and sometimes one that nobody can pay for. */
const length = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: 70n }) },
  fc.constantFrom(1023n, 1024n, 1025n, 2n ** 31n, 2n ** 64n, 2n ** 256n - 1n),
);
const modexp = fc
  .tuple(length, length, length, fc.uint8Array({ maxLength: 200 }))
  .map(([base, exponent, modulus, rest]) => concatBytes(bytes32(base), bytes32(exponent), bytes32(modulus), rest));

const KEY: Uint8Array = bytes32(7n);
const recovery = fc.tuple(word, fc.constantFrom(27n, 28n, 29n, 0n)).map(([hash, v]) => {
  const { r, s } = signHash(hash, KEY);
  return concatBytes(hash, bytes32(v), bytes32(r), bytes32(s));
});

const P256_POINT = p256.getPublicKey(KEY, false).subarray(1);
const p256Input = fc.tuple(word, fc.boolean()).map(([hash, isWrong]) => {
  const signature = p256.sign(hash, KEY, { prehash: false });
  return concatBytes(hash, signature, isWrong ? new Uint8Array(64) : P256_POINT);
});

/** On alt_bn128: the generator (1, 2), infinity, and a point that is on no curve. */
const bn254Point = fc
  .constantFrom([1n, 2n], [0n, 0n], [1n, 3n])
  .map(([x, y]) => concatBytes(bytes32(x as bigint), bytes32(y as bigint)));

/** Input that means something to each. */
const INPUTS: Readonly<Record<number, fc.Arbitrary<Uint8Array>>> = {
  1: recovery,
  2: word,
  3: word,
  4: word,
  5: modexp,
  6: joined(bn254Point, bn254Point),
  7: joined(bn254Point, word),
  8: list(joined(bn254Point, fc.constant(new Uint8Array(128)))),
  11: joined(scalar.map(g1), scalar.map(g1)),
  12: list(joined(scalar.map(g1), word)),
  13: joined(scalar.map(g2), scalar.map(g2)),
  14: list(joined(scalar.map(g2), word)),
  15: list(joined(scalar.map(g1), scalar.map(g2))),
  16: fieldElement,
  17: joined(fieldElement, fieldElement),
  256: p256Input,
};

/** The same with a byte changed, cut short, or made longer. */
function spoiled(input: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(input, fc.nat(), fc.nat({ max: 255 }), fc.constantFrom(0, 0, 0, -1, 1))
    .map(([bytes, at, byte, by]) => {
      const changed = new Uint8Array(Math.max(bytes.length + by, 0));
      changed.set(bytes.subarray(0, changed.length));
      if (changed.length > 0) changed[at % changed.length] = byte;
      return changed;
    });
}

describe.each(FORKS)("on %s", (fork) => {
  it.each(Object.entries(INPUTS))("precompile %i has the result and gas of @ethereumjs/evm's", async (key, input) => {
    const number = Number(key);
    await fc.assert(
      fc.asyncProperty(fc.oneof(input, spoiled(input)), async (data) => {
        expect(runOurs(fork, number, data)).toEqual(await runTheirs(fork, number, data));
      }),
      { numRuns: number === 15 || number === 8 ? 8 : 20 },
    );
  });
});
