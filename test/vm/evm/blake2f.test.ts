import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, getActivePrecompiles, type PrecompileInput } from "@ethereumjs/evm";
import { blake2b } from "@noble/hashes/blake2.js";
import fc from "fast-check";
import { expect, test as it } from "vitest";
import { bytesToHex, utf8 } from "../../../base/bytes.ts";
import { blake2f } from "../../../vm/evm/blake2f.ts";
import { blake2 } from "../../../vm/evm/interpreter/precompiles/basic.ts";

const ADDRESS = "0000000000000000000000000000000000000009";

async function theirInput(data: Uint8Array, gasLimit: bigint): Promise<PrecompileInput> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: Hardfork.Cancun });
  const evm = await createEVM({ common });
  return { data, gasLimit, common: evm.common, _EVM: evm };
}

it("twelve rounds over one block hash it as BLAKE2b does", () => {
  const input = new Uint8Array(209);
  const view = new DataView(input.buffer);
  const initial = [
    0x6a09e667f3bcc908n ^ 0x01010040n,
    0xbb67ae8584caa73bn,
    0x3c6ef372fe94f82bn,
    0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n,
    0x9b05688c2b3e6c1fn,
    0x1f83d9abfb41bd6bn,
    0x5be0cd19137e2179n,
  ];
  for (const [i, word] of initial.entries()) view.setBigUint64(8 * i, word, true);
  input.set(utf8("abc"), 64);
  view.setBigUint64(192, 3n, true);
  input[208] = 1;
  expect(bytesToHex(blake2f(12, input))).toBe(bytesToHex(blake2b(utf8("abc"))));
});

it("any input has the result, gas and error of @ethereumjs/evm's precompile", async () => {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: Hardfork.Cancun });
  const theirs = getActivePrecompiles(common).get(ADDRESS);
  const rounds = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(300, 5_000));
  const inputs = fc.tuple(
    rounds,
    fc.uint8Array({ minLength: 209, maxLength: 209 }),
    fc.constantFrom(0, 1, 2),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(inputs, async ([count, rest, flag, isCut]) => {
      const data = new Uint8Array(isCut ? 212 : 213);
      new DataView(data.buffer).setUint32(0, count);
      data.set(rest.subarray(0, data.length - 4), 4);
      data[212] = flag;
      const input = await theirInput(data, 1_000n);
      const result = await theirs?.(input);
      const gas = BigInt(blake2.gas(data));
      const output = gas > input.gasLimit ? undefined : blake2.run(data);
      expect(output).toEqual(result?.exceptionError === undefined ? result?.returnValue : undefined);
      expect(output === undefined ? input.gasLimit : gas).toBe(result?.executionGasUsed);
    }),
    { numRuns: 60 },
  );
});
