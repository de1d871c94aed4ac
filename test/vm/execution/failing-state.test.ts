import { expect, test as it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { OGPU } from "../../../base/units.ts";
import { BlockExecutor } from "../../../vm/execution/execute-block.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import type { StateVersion } from "../../../vm/state/state-version.ts";
import { hex, signed, TestChain, testGenesis, testKey, testRules } from "../support/test-chain.ts";

const KEY = testKey(1);
const CONTRACT: Address = "0xc000000000000000000000000000000000000001";
/** SSTORE(0, TLOAD(0)), TSTORE(0, 1), SLOAD(5): what a failed run leaves behind would show in slot 0. */
const CODE = hex("0x60005c600055600160005d6005545000");
const isSlotFive = (part: string): boolean => part.length === 66 && part.endsWith("5");

/** A state on a disk of which one part cannot be read. */
function withDamage(version: StateVersion, isDamaged: (part: Address | Hex) => boolean): StateVersion {
  const fail = (): never => {
    throw new CodedError("STORE_DAMAGED", "a record does not match its checksum");
  };
  const { reader } = version;
  const damaged: StateReader = {
    account: (address) => (isDamaged(address) ? fail() : reader.account(address)),
    storage: (address, slot) => (isDamaged(slot) ? fail() : reader.storage(address, slot)),
    hasStorage: (address) => reader.hasStorage(address),
    code: (codeHash) => reader.code(codeHash),
  };
  return { ...version, reader: damaged };
}

function genesis(): StateVersion {
  return testGenesis(new Map([[KEY.address, 10n * OGPU]]), testRules(), new Map([[CONTRACT, CODE]]));
}

const calls = [0n, 1n].map((nonce) => signed({ nonce, to: CONTRACT, value: 0n, gasLimit: 100_000n }, KEY));

it.each([
  ["a slot that a contract reads", isSlotFive],
  ["the sender's account", (part: string) => part === KEY.address],
])("a damaged record of %s ends the block and rejects no transaction", (_name, isDamaged) => {
  const chain = new TestChain(genesis());
  const executor = new BlockExecutor(testRules());
  for (const transactions of [calls.slice(0, 1), calls]) {
    const run = () => executor.execute(withDamage(genesis(), isDamaged), chain.environment(), transactions);
    expect(run).toThrow(expect.objectContaining({ code: "STORE_DAMAGED" }));
  }
});

it("an executor is as good as new after a block that failed", () => {
  const chain = new TestChain(genesis());
  const used = new BlockExecutor(testRules());
  const damaged = withDamage(genesis(), isSlotFive);
  const run = () => used.execute(damaged, chain.environment(), calls);
  expect(run).toThrow(expect.objectContaining({ code: "STORE_DAMAGED" }));
  const again = used.execute(genesis(), chain.environment(), calls);
  const fresh = new BlockExecutor(testRules()).execute(genesis(), chain.environment(), calls);
  expect(again.receipts).toEqual(fresh.receipts);
  expect(again.receipts.every(({ succeeded }) => succeeded)).toBe(true);
  expect(again.stateRoot).toEqual(fresh.stateRoot);
});
