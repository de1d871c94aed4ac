/** 0x05: modular exponentiation (EIP-198), priced by EIP-2565, from Osaka on by EIP-7883 with EIP-7823's bounds. */
import { bigintToBytes, bytesToBigint, EMPTY_BYTES, padLeft } from "../../../../base/bytes.ts";
import { type Precompile, padded } from "./precompile.ts";

const HEADER_BYTES = 96;
/** More than any gas limit, and exact as a number and as an integer. */
const UNPAYABLE: number = 2 ** 63;
/** Lengths beyond this cannot be paid for, except where nothing is computed. */
const MAX_BYTES = 2n ** 31n - 1n;
const MAX_BYTES_OSAKA = 1024n;

interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

interface Prices {
  readonly least: bigint;
  /** For each byte of the exponent beyond the first 32. */
  readonly exponentByte: bigint;
  cost(words: bigint, longest: bigint, iterations: bigint): bigint;
}

const EIP_2565: Prices = {
  least: 200n,
  exponentByte: 8n,
  cost: (words, _longest, iterations) => (words * words * iterations) / 3n,
};

const EIP_7883: Prices = {
  least: 500n,
  exponentByte: 16n,
  cost: (words, longest, iterations) => (longest > 32n ? 2n * words * words : 16n) * iterations,
};

function lengthsOf(input: Uint8Array): Lengths {
  const header = padded(input, 0, HEADER_BYTES);
  return {
    base: bytesToBigint(header.subarray(0, 32)),
    exponent: bytesToBigint(header.subarray(32, 64)),
    modulus: bytesToBigint(header.subarray(64, 96)),
  };
}

function gasOf(input: Uint8Array, prices: Prices): number {
  const { base, exponent, modulus } = lengthsOf(input);
  const longest = base > modulus ? base : modulus;
  const cost = prices.cost((longest + 7n) / 8n, longest, iterationsOf(input, base, exponent, prices));
  if (cost < prices.least) return Number(prices.least);
  return cost > Number.MAX_SAFE_INTEGER ? UNPAYABLE : Number(cost);
}

/** About the bits of the exponent, of which only the first 32 bytes are looked at; at least 1. */
function iterationsOf(input: Uint8Array, baseLength: bigint, length: bigint, { exponentByte }: Prices): bigint {
  const headLength = length < 32n ? Number(length) : 32;
  const start = BigInt(HEADER_BYTES) + baseLength;
  const head = start >= input.length ? 0n : bytesToBigint(padded(input, Number(start), headLength));
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const iterations = length > 32n ? exponentByte * (length - 32n) + bits : bits;
  return iterations > 0n ? iterations : 1n;
}

function compute(input: Uint8Array, maxBytes: bigint): Uint8Array | undefined {
  const lengths = lengthsOf(input);
  const isBounded = maxBytes === MAX_BYTES_OSAKA;
  if (!isBounded && lengths.base === 0n && lengths.modulus === 0n) return EMPTY_BYTES;
  if (lengths.base > maxBytes || lengths.exponent > maxBytes || lengths.modulus > maxBytes) return undefined;
  const [baseLength, exponentLength, length] = [
    Number(lengths.base),
    Number(lengths.exponent),
    Number(lengths.modulus),
  ];
  const exponentAt = HEADER_BYTES + baseLength;
  const modulus = bytesToBigint(padded(input, exponentAt + exponentLength, length));
  if (modulus <= 1n) return new Uint8Array(length);
  const base = bytesToBigint(padded(input, HEADER_BYTES, baseLength));
  const exponent = bytesToBigint(padded(input, exponentAt, exponentLength));
  return padLeft(bigintToBytes(power(base % modulus, exponent, modulus)), length);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  // The exponent as text: shifting it bit by bit would take quadratic time.
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus;
    if (bit === "1") result = (result * base) % modulus;
  }
  return result;
}

export const modexp: Precompile = {
  gas: (input) => gasOf(input, EIP_2565),
  run: (input) => compute(input, MAX_BYTES),
};

export const modexpOsaka: Precompile = {
  gas: (input) => gasOf(input, EIP_7883),
  run: (input) => compute(input, MAX_BYTES_OSAKA),
};
