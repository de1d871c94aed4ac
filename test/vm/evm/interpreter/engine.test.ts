import { expect, test as it } from "vitest";
import { bytesToBigint, bytesToHex, EMPTY_BYTES, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import type { EvmOutcome } from "../../../../vm/evm/evm-engine.ts";
import type { ExecutionListener } from "../../../../vm/evm/execution-listener.ts";
import { InterpreterEngine } from "../../../../vm/evm/interpreter/engine.ts";
import type { BlockEnvironment } from "../../../../vm/execution/environment.ts";
import { TOKEN_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../../vm/state/account.ts";
import { MemoryState } from "../../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../../vm/state/working-state.ts";
import { testRules } from "../../support/test-chain.ts";

const CALLER: Address = "0x00000000000000000000000000000000000ca11e";
const CONTRACT: Address = "0x00000000000000000000000000000000000c0de1";
const SLOT_0: Hex = `0x${"0".repeat(64)}`;

const ENVIRONMENT: BlockEnvironment = {
  number: 5n,
  timestamp: 99n,
  milliseconds: 0,
  consensus: undefined,
  coinbase: "0x00000000000000000000000000000000000000cb",
  gasLimit: 2n ** 63n,
  baseFeePerGas: 7n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  blockHash: () => undefined,
};

interface Run {
  readonly outcome: EvmOutcome;
  readonly state: WorkingState;
  /** By how much the message changed the sum of all balances. */
  readonly delta: bigint;
}

/** Calls a contract with this code, or, without `to`, creates one from it. */
function run(code: string, gasLimit: bigint, to?: Address, onStep?: ExecutionListener["onStep"]): Run {
  const state = new WorkingState(new MemoryState());
  const bytes = hexToBytes(`0x${code}`);
  const codeHash = bytesToHex(keccak256(bytes));
  state.setAccount(CALLER, { nonce: 1n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH });
  if (to !== undefined) {
    state.putCode(codeHash, bytes);
    state.setAccount(to, { nonce: 1n, balance: 10n ** 6n, codeHash });
  }
  state.endTransaction();
  const engine = new InterpreterEngine(testRules(), onStep && { listener: { onStep } });
  const data = to === undefined ? bytes : EMPTY_BYTES;
  const message = { from: CALLER, to, value: 5n, data, gasLimit, gasPrice: 1n, accessList: [] };
  const before = state.balanceDelta;
  const outcome = engine.execute(message, state, ENVIRONMENT);
  return { outcome, state, delta: state.balanceDelta - before };
}

it("calls nest 1,024 deep and no deeper", () => {
  // Slot 0 counts frames, and every frame calls the contract again.
  const { outcome, state } = run("6001600054016000555f5f5f5f5f305af100", 10n ** 15n, CONTRACT);
  expect(outcome.succeeded).toBe(true);
  expect(bytesToBigint(state.storage(CONTRACT, SLOT_0))).toBe(1_025n);
});

it.each([2n ** 50n, 2n ** 53n + 1n, 2n ** 63n - 1n])("gas of %d is counted to the unit", (gasLimit) => {
  // Returns what GAS says; before it, a call of an account without code gives back what it got.
  const { outcome } = run("5f5f5f5f5f60995af1505a5f5260205ff3", gasLimit, CONTRACT);
  const left = bytesToBigint(outcome.output);
  // PUSH0, MSTORE to a new word, PUSH1, PUSH0, RETURN.
  const afterwards = 2n + 6n + 3n + 2n;
  expect(gasLimit - left + afterwards).toBe(outcome.gasUsed);
  expect(outcome.gasUsed).toBeLessThan(3_000n);
});

it("a new contract that destroys itself in favour of itself burns what it holds, and the state says so", () => {
  const { outcome, state, delta } = run("30ff", 100_000n);
  expect(outcome.destroyed).toEqual([outcome.createdAddress]);
  expect(state.burned).toBe(5n);
  expect(delta).toBe(-5n);
});

it("a burn is undone with the frame that made it", () => {
  // CREATE of a contract that destroys itself in favour of itself, then REVERT.
  const { outcome, state, delta } = run("6130ff5f526002601e6003f05f5ffd", 200_000n, CONTRACT);
  expect(outcome).toMatchObject({ succeeded: false, destroyed: [] });
  expect(state.burned).toBe(0n);
  expect(delta).toBe(0n);
});

it("an old contract that destroys itself in favour of itself keeps everything", () => {
  const { outcome, state } = run("30ff", 100_000n, CONTRACT);
  expect(outcome).toMatchObject({ succeeded: true, destroyed: [] });
  expect(state.balance(CONTRACT)).toBe(10n ** 6n + 5n);
  expect(state.burned).toBe(0n);
});

it.each([
  ["DELEGATECALL", "f4", ""],
  ["CALLCODE", "f2", "5f"],
])("%s of a native module is refused, and costs 1,000 gas", (_name, opcode, value) => {
  const call = `5f5f5f5f${value}73${TOKEN_ADDRESS.slice(2)}5a${opcode}5f5260205ff3`;
  const { outcome } = run(call, 100_000n, CONTRACT);
  expect(bytesToBigint(outcome.output)).toBe(0n);
  expect(outcome.gasUsed).toBeGreaterThan(1_000n);
  expect(outcome.gasUsed).toBeLessThan(1_400n);
});

it("a listener sees every opcode and changes nothing", () => {
  const code = "600a5b60019003806002575f5f5f5f5f305ff15000";
  const opcodes: number[] = [];
  const traced = run(code, 100_000n, CONTRACT, (_frame, opcode) => opcodes.push(opcode));
  const plain = run(code, 100_000n, CONTRACT);
  expect(traced.outcome).toEqual(plain.outcome);
  // PUSH1, ten rounds of seven, the call with its arguments, POP, STOP; the call has no gas for its first opcode.
  expect(opcodes).toHaveLength(1 + 70 + 8 + 2 + 1);
});

it("a jump into the data of a PUSH fails, also in code that is run again", () => {
  const jumpIntoPush = "600456605b00";
  for (let i = 0; i < 2; i++) expect(run(jumpIntoPush, 100_000n, CONTRACT).outcome.succeeded).toBe(false);
  expect(run("600456005b00", 100_000n, CONTRACT).outcome.succeeded).toBe(true);
});
