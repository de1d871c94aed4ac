import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { createAddressFromString, Account as EvmAccount } from "@ethereumjs/util";
import fc from "fast-check";
import { expect, test as it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { createEvmEngine } from "../../../vm/evm/ethereumjs-engine.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { testRules } from "../support/test-chain.ts";

const CALLER: Address = "0x00000000000000000000000000000000000ca11e";
const CONTRACT: Address = "0x00000000000000000000000000000000000c0de1";
const OTHER: Address = "0x00000000000000000000000000000000000c0de2";
const COINBASE: Address = "0x00000000000000000000000000000000000000cb";
const GAS = 300_000n;
const RULES = testRules({ chainId: 1n, fork: "cancun", modules: new Map() });

const ENVIRONMENT: BlockEnvironment = {
  number: 5n,
  timestamp: 99n,
  coinbase: COINBASE,
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  prevRandao: new Uint8Array(32).fill(5),
  blobBaseFee: 1n,
  blockHash: () => new Uint8Array(32),
};

interface Observed {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly gasRefund: bigint;
  readonly output: Hex;
  readonly logs: readonly string[];
  readonly storage: readonly Hex[];
}

const SLOTS: readonly Hex[] = [0, 1, 2].map((n) =>
  bytesToHex(Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))),
);

async function runOurs(code: Uint8Array, other: Uint8Array, data: Uint8Array): Promise<Observed> {
  const state = new WorkingState(new MemoryState());
  state.setAccount(CALLER, { nonce: 1n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH });
  for (const [address, bytes] of [
    [CONTRACT, code],
    [OTHER, other],
  ] as const) {
    const codeHash = bytesToHex(keccak256(bytes));
    state.putCode(codeHash, bytes);
    state.setAccount(address, { nonce: 1n, balance: 10n ** 6n, codeHash });
  }
  state.endTransaction();
  const message = { from: CALLER, to: CONTRACT, value: 3n, data, gasLimit: GAS, gasPrice: 9n, accessList: [] };
  const outcome = await createEvmEngine(RULES).execute(message, state, ENVIRONMENT);
  return {
    succeeded: outcome.succeeded,
    gasUsed: outcome.gasUsed,
    gasRefund: outcome.gasRefund,
    output: bytesToHex(outcome.output),
    logs: outcome.logs.map(({ address, topics, data: bytes }) => [address, ...topics, bytesToHex(bytes)].join()),
    storage: [CONTRACT, OTHER].flatMap((address) => SLOTS.map((slot) => padded(state.storage(address, slot)))),
  };
}

function padded(value: Uint8Array): Hex {
  return `0x${bytesToHex(value).slice(2).padStart(64, "0")}`;
}

async function runTheirs(code: Uint8Array, other: Uint8Array, data: Uint8Array): Promise<Observed> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: Hardfork.Cancun });
  const evm = await createEVM({ common });
  const address = createAddressFromString;
  await evm.stateManager.putAccount(address(CALLER), new EvmAccount(1n, 10n ** 18n));
  for (const [name, bytes] of [
    [CONTRACT, code],
    [OTHER, other],
  ] as const) {
    await evm.stateManager.putAccount(address(name), new EvmAccount(1n, 10n ** 6n));
    await evm.stateManager.putCode(address(name), bytes);
  }
  for (const name of [...evm.precompiles.keys(), CALLER, CONTRACT, COINBASE]) evm.journal.addAlwaysWarmAddress(name);
  const { execResult } = await evm.runCall({
    block: {
      header: {
        ...ENVIRONMENT,
        coinbase: address(COINBASE),
        difficulty: 0n,
        getBlobGasPrice: () => 1n,
      },
    },
    caller: address(CALLER),
    to: address(CONTRACT),
    gasPrice: 9n,
    gasLimit: GAS,
    value: 3n,
    data,
    skipNonceIncrement: true,
  });
  const succeeded = execResult.exceptionError === undefined;
  const storage: Hex[] = [];
  for (const name of [CONTRACT, OTHER]) {
    for (const slot of SLOTS) storage.push(padded(await evm.stateManager.getStorage(address(name), hexToBytes(slot))));
  }
  return {
    succeeded,
    gasUsed: execResult.executionGasUsed,
    gasRefund: execResult.gasRefund ?? 0n,
    output: bytesToHex(execResult.returnValue),
    logs: (succeeded ? (execResult.logs ?? []) : []).map(([from, topics, bytes]) =>
      [bytesToHex(from), ...topics.map(bytesToHex), bytesToHex(bytes)].join(),
    ),
    storage,
  };
}

/** Small numbers make memory offsets, slots and jumps that mean something. */
const push = fc
  .oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 96 }) }, fc.integer({ min: 0, max: 255 }))
  .map((n) => [0x60, n]);
const push32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => [0x7f, ...bytes]);
const anyOpcode = fc.integer({ min: 0, max: 255 }).map((code) => [code]);
const common = fc
  .constantFrom(
    ...[0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08, 0x0a, 0x0b, 0x10, 0x12, 0x15, 0x16, 0x19, 0x1a, 0x1b, 0x1d, 0x20],
    ...[0x30, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3d, 0x3e, 0x46, 0x47, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55],
    ...[
      0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x80, 0x81, 0x90, 0x91, 0xa0, 0xa1, 0xa2, 0xf3, 0xfd,
    ],
  )
  .map((code) => [code]);
/** CALL, STATICCALL or DELEGATECALL of the other contract with all the gas. */
const call = fc
  .constantFrom(0xf1, 0xfa, 0xf4)
  .map((code) => [
    ...[0x60, 0x20, 0x60, 0x00, 0x60, 0x20, 0x60, 0x00],
    ...(code === 0xf1 ? [0x60, 0x01] : []),
    ...[0x73, ...hexToBytes(OTHER), 0x5a, code],
  ]);
const program = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: push },
      { weight: 10, arbitrary: common },
      { weight: 1, arbitrary: push32 },
      { weight: 1, arbitrary: call },
      { weight: 1, arbitrary: anyOpcode },
    ),
    { maxLength: 60 },
  )
  .map((parts) => Uint8Array.from(parts.flat()));

it("random programs do the same, for the same gas, on our engine and on bare @ethereumjs/evm", async () => {
  await fc.assert(
    fc.asyncProperty(program, program, fc.uint8Array({ maxLength: 40 }), async (code, other, data) => {
      expect(await runOurs(code, other, data)).toEqual(await runTheirs(code, other, data));
    }),
    { numRuns: 400 },
  );
});
