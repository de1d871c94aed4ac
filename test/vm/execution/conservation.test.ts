import { expect, test as it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import type { EvmEngine, EvmOutcome } from "../../../vm/evm/evm-engine.ts";
import { applyTransaction, beginContext, type ExecutionContext } from "../../../vm/execution/apply-transaction.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { signed, TEST_COINBASE, TestChain, testGenesis, testKey, testRules } from "../support/test-chain.ts";

const KEY = testKey(1);
const THIEF = "0x7000000000000000000000000000000000000007";
const CONTRACT = "0xc000000000000000000000000000000000000001";

/** An engine with a bug: whoever calls a contract gets the thief paid, or robs the contract. */
function faultyEngine(gift: bigint, destroyed: EvmOutcome["destroyed"] = []): EvmEngine {
  return {
    isPrecompile: () => false,
    execute: (_message, state) => {
      state.setBalance(THIEF, state.balance(THIEF) + gift);
      return {
        succeeded: true,
        gasUsed: 100n,
        gasRefund: 0n,
        output: new Uint8Array(0),
        logs: [],
        createdAddress: undefined,
        destroyed,
      };
    },
  };
}

async function run(engine: EvmEngine): Promise<{ context: ExecutionContext; receipt: Receipt; state: WorkingState }> {
  const balances = new Map([[KEY.address, 10n * OGPU], [THIEF, OGPU] as const]);
  const genesis = testGenesis(balances, testRules(), new Map([[CONTRACT, new Uint8Array([0])]]));
  const state = new WorkingState(genesis.reader);
  const environment = new TestChain(genesis).environment();
  const context = beginContext({ rules: testRules(), environment, state, engine });
  const { transaction, sender } = signed({ to: CONTRACT, value: 0n, gasLimit: 50_000n, maxPriorityFeePerGas: 2n }, KEY);
  return { context, receipt: await applyTransaction(context, transaction, sender), state };
}

it("a transaction that makes money is undone, costs all its gas and names who gained", async () => {
  const { context, receipt, state } = await run(faultyEngine(5n));
  expect(context.violations).toHaveLength(1);
  expect(context.violations[0]?.surplus).toBe(5n);
  expect(context.violations[0]?.changes).toContainEqual({ address: THIEF, change: 5n });
  expect(receipt.succeeded).toBe(false);
  expect(receipt.gasUsed).toBe(50_000n);
  expect(state.balance(THIEF)).toBe(OGPU);
  expect(state.balance(KEY.address)).toBe(10n * OGPU - 50_000n * 9n);
  expect(state.balance(TEST_COINBASE)).toBe(50_000n * 2n);
  expect(state.account(KEY.address)?.nonce).toBe(1n);
  expect(state.balanceDelta).toBe(state.minted - state.burned);
});

it("a transaction that loses money is undone as well", async () => {
  const { context, receipt, state } = await run(faultyEngine(-5n));
  expect(context.violations[0]?.surplus).toBe(-5n);
  expect(receipt.succeeded).toBe(false);
  expect(state.balance(THIEF)).toBe(OGPU);
});

it("a destroyed contract excuses neither new money nor lost money", async () => {
  expect((await run(faultyEngine(-5n, [CONTRACT]))).context.violations[0]?.surplus).toBe(-5n);
  expect((await run(faultyEngine(5n, [CONTRACT]))).context.violations[0]?.surplus).toBe(5n);
});
