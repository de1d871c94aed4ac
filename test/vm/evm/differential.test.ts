import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { createAddressFromString, Account as EvmAccount } from "@ethereumjs/util";
import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { createAddress } from "../../../base/address.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { EvmOutcome } from "../../../vm/evm/evm-engine.ts";
import { InterpreterEngine } from "../../../vm/evm/interpreter/engine.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { FORKS, type Fork } from "../../../vm/execution/rules.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { testRules } from "../support/test-chain.ts";

const CALLER: Address = "0x00000000000000000000000000000000000ca11e";
const CONTRACT: Address = "0x00000000000000000000000000000000000c0de1";
const OTHER: Address = "0x00000000000000000000000000000000000c0de2";
/** Its code names OTHER (EIP-7702). */
const DELEGATED: Address = "0x00000000000000000000000000000000000c0de3";
const DESIGNATOR: Uint8Array = hexToBytes(`0xef0100${OTHER.slice(2)}`);
const COINBASE: Address = "0x00000000000000000000000000000000000000cb";
const GAS = 300_000n;
const HARDFORKS: Readonly<Record<Fork, Hardfork>> = {
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
};

function engineOf(fork: Fork): InterpreterEngine {
  return new InterpreterEngine(testRules({ chainId: 1n, fork, modules: new Map() }));
}

const ENVIRONMENT: BlockEnvironment = {
  number: 5n,
  timestamp: 99n,
  milliseconds: 0,
  consensus: undefined,
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
  /** Nonce and balance of everybody who can have changed. */
  readonly accounts: readonly string[];
  readonly destroyed: readonly string[];
}

/** The contracts of a case and what they are sent. */
interface Case {
  readonly code: Uint8Array;
  readonly other: Uint8Array;
  readonly data: Uint8Array;
}

const SLOTS: readonly Hex[] = [0, 1, 2].map((n) =>
  bytesToHex(Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))),
);

/** Those whom a case can create with CREATE, and everybody else in it. */
const ACCOUNTS: readonly Address[] = [
  CALLER,
  CONTRACT,
  OTHER,
  DELEGATED,
  ...[CONTRACT, OTHER].flatMap((creator) =>
    [1n, 2n, 3n].map((nonce) => bytesToHex(createAddress(hexToBytes(creator), nonce))),
  ),
];

function stateOf({ code, other }: Case): WorkingState {
  const state = new WorkingState(new MemoryState());
  state.setAccount(CALLER, { nonce: 1n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH });
  for (const [address, bytes] of [
    [CONTRACT, code],
    [OTHER, other],
    [DELEGATED, DESIGNATOR],
  ] as const) {
    const codeHash = bytesToHex(keccak256(bytes));
    state.putCode(codeHash, bytes);
    state.setAccount(address, {
      nonce: 1n,
      balance: 10n ** 6n,
      codeHash: bytes.length > 0 ? codeHash : EMPTY_CODE_HASH,
    });
  }
  state.endTransaction();
  return state;
}

function runOurs(engine: InterpreterEngine, state: WorkingState, to: Address, data: Uint8Array): Observed {
  const message = { from: CALLER, to, value: 3n, data, gasLimit: GAS, gasPrice: 9n, accessList: [] };
  return observe(engine.execute(message, state, ENVIRONMENT), state);
}

function observe(outcome: EvmOutcome, state: WorkingState): Observed {
  return {
    succeeded: outcome.succeeded,
    gasUsed: outcome.gasUsed,
    gasRefund: outcome.gasRefund,
    output: bytesToHex(outcome.output),
    logs: outcome.logs.map(({ address, topics, data: bytes }) => [address, ...topics, bytesToHex(bytes)].join()),
    storage: [CONTRACT, OTHER, DELEGATED].flatMap((address) =>
      SLOTS.map((slot) => padded(state.storage(address, slot))),
    ),
    accounts: ACCOUNTS.map((address) => `${state.account(address)?.nonce ?? 0n} ${state.balance(address)}`),
    destroyed: [...outcome.destroyed].sort(),
  };
}

function padded(value: Uint8Array): Hex {
  return `0x${bytesToHex(value).slice(2).padStart(64, "0")}`;
}

async function runTheirs(fork: Fork, { code, other, data }: Case): Promise<Observed> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: HARDFORKS[fork] });
  const evm = await createEVM({ common });
  const address = createAddressFromString;
  await evm.stateManager.putAccount(address(CALLER), new EvmAccount(1n, 10n ** 18n));
  for (const [name, bytes] of [
    [CONTRACT, code],
    [OTHER, other],
    [DELEGATED, DESIGNATOR],
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
  for (const name of [CONTRACT, OTHER, DELEGATED]) {
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
    accounts: await Promise.all(
      ACCOUNTS.map(async (name) => {
        const account = await evm.stateManager.getAccount(address(name));
        return `${account?.nonce ?? 0n} ${account?.balance ?? 0n}`;
      }),
    ),
    destroyed: [...(succeeded ? (execResult.selfdestruct?.keys() ?? []) : [])]
      .filter((name) => execResult.createdAddresses?.has(name) === true)
      .sort(),
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
/** A call of any kind of the other contract, or of the account that delegates to it, with all the gas. */
const call = fc
  .tuple(fc.constantFrom(0xf1, 0xf2, 0xfa, 0xf4), fc.constantFrom(OTHER, DELEGATED))
  .map(([code, target]) => [
    ...[0x60, 0x20, 0x60, 0x00, 0x60, 0x20, 0x60, 0x00],
    ...(code === 0xf1 || code === 0xf2 ? [0x60, 0x01] : []),
    ...[0x73, ...hexToBytes(target), 0x5a, code],
  ]);
/** Calls of precompiles, with what is in memory. Not of KZG, which the bare library does not have. */
const precompile = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 9, 0xb, 0xc, 0xf, 0x11), fc.constantFrom(0, 32, 96, 128, 192))
  .map(([number, length]) => [0x60, 0x40, 0x5f, 0x60, length, 0x5f, 0x60, number, 0x5a, 0xfa]);
const p256Verify = fc.constant([0x60, 0x20, 0x5f, 0x60, 0xa0, 0x5f, 0x61, 0x01, 0x00, 0x5a, 0xfa]);
const selfDestruct = fc.constantFrom([0x30, 0xff], [0x33, 0xff], [0x73, ...hexToBytes(OTHER), 0xff], [0x5a, 0xff]);
/** What a contract is made from: to destroy itself at once or when it is called, to store, to fail, or anything. */
const initCode = fc.oneof(
  selfDestruct,
  fc.constant([0x60, 0x30, 0x60, 0xff, 0x5f, 0x53, 0x60, 0x01, 0x53, 0x60, 0x02, 0x5f, 0xf3]),
  fc.constant([0x61, 0x30, 0xff, 0x5f, 0x52, 0x60, 0x02, 0x60, 0x1e, 0xf3]),
  fc.constant([0x60, 0xef, 0x5f, 0x53, 0x60, 0x01, 0x5f, 0xf3]),
  fc.constant([0x60, 0x01, 0x5f, 0x55, 0x5f, 0x5f, 0xfd]),
  fc.constant([0x60, 0x01, 0x5f, 0x5d, 0x60, 0x40, 0x5f, 0xf3]),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => [...bytes]),
);
/** CREATE or CREATE2, then a call of what was created. */
const create = fc
  .tuple(initCode, fc.boolean(), fc.boolean())
  .map(([bytes, isSalted, isCalled]) => [
    ...[0x7f, ...new Array<number>(32 - bytes.length).fill(0), ...bytes, 0x5f, 0x52],
    ...(isSalted ? [0x60, 0x07] : []),
    ...[0x60, bytes.length, 0x60, 32 - bytes.length, 0x60, 0x02, isSalted ? 0xf5 : 0xf0],
    ...(isCalled ? [0x5f, 0x5f, 0x5f, 0x5f, 0x60, 0x01, 0x85, 0x5a, 0xf1] : []),
  ]);
const program = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: push },
      { weight: 10, arbitrary: common },
      { weight: 1, arbitrary: push32 },
      { weight: 1, arbitrary: call },
      { weight: 1, arbitrary: create },
      { weight: 1, arbitrary: precompile },
      { weight: 1, arbitrary: p256Verify },
      { weight: 1, arbitrary: selfDestruct },
      { weight: 1, arbitrary: anyOpcode },
    ),
    { maxLength: 60 },
  )
  .map((parts) => Uint8Array.from(parts.flat()));
const anyCase: fc.Arbitrary<Case> = fc.record({
  code: program,
  other: program,
  data: fc.uint8Array({ maxLength: 40 }),
});

describe.each(FORKS)("on %s", (fork) => {
  it("random programs do the same, for the same gas, on our engine and on bare @ethereumjs/evm", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (example) => {
        const ours = runOurs(engineOf(fork), stateOf(example), CONTRACT, example.data);
        expect(ours).toEqual(await runTheirs(fork, example));
      }),
      { numRuns: 250 },
    );
  });

  it("one transaction leaves nothing in the engine for the next", async () => {
    const targets = fc.array(fc.constantFrom(CONTRACT, OTHER), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyCase, targets, async (example, sequence) => {
        const kept = { engine: engineOf(fork), state: stateOf(example) };
        const fresh = stateOf(example);
        for (const to of sequence) {
          const ours = runOurs(kept.engine, kept.state, to, example.data);
          expect(ours).toEqual(runOurs(engineOf(fork), fresh, to, example.data));
          kept.state.endTransaction();
          fresh.endTransaction();
        }
      }),
      { numRuns: 100 },
    );
  });
});
