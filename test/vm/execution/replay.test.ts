import fc from "fast-check";
import { encodeFunctionData } from "viem";
import { expect, it } from "vitest";
import { EMPTY_BYTES, hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { BlockReplay } from "../../../vm/execution/replay.ts";
import { tokenAbi } from "../../../vm/interfaces/abi/token.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { encodeReceipt } from "../../../vm/receipt/receipt.ts";
import { type Address, EMPTY_ACCOUNT } from "../../../vm/state/account.ts";
import { signed, TestChain, type TestKey, testGenesis, testKey } from "../support/test-chain.ts";

const KEYS: readonly TestKey[] = [1, 2, 3].map(testKey);
/** Adds one to slot 0 and answers with it. */
const COUNTER: Address = "0x00000000000000000000000000000000000c0de1";
const COUNTER_CODE = hexToBytes("0x6000546001018060005560005260206000f3");
const BURN = hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: "burn" }));
const SUPPLY = hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: "totalSupply" }));

const KINDS = [
  { to: KEYS[0]?.address, value: 5n, data: EMPTY_BYTES },
  { to: COUNTER, value: 0n, data: EMPTY_BYTES },
  { to: TOKEN_ADDRESS, value: 7n, data: BURN },
  // What it answers depends on what was burned earlier in the block.
  { to: TOKEN_ADDRESS, value: 0n, data: SUPPLY },
  { to: undefined, value: 0n, data: COUNTER_CODE },
] as const;

it("runs a block again to the same receipts and changes, one transaction after the other", async () => {
  const steps = fc.array(fc.record({ key: fc.nat({ max: 2 }), kind: fc.constantFrom(...KINDS) }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, async (wanted) => {
      const balances = new Map(KEYS.map(({ address }) => [address, OGPU]));
      const chain = new TestChain(testGenesis(balances, undefined, new Map([[COUNTER, COUNTER_CODE]])));
      const nonces = [0n, 0n, 0n];
      const transactions = wanted.map(({ key, kind }) => {
        const nonce = nonces[key] as bigint;
        nonces[key] = nonce + 1n;
        return signed({ nonce, gasLimit: 100_000n, ...kind }, KEYS[key] as TestKey);
      });
      const parent = chain.state.reader;
      const environment = chain.environment();
      const executed = await chain.block(transactions);
      const replay = new BlockReplay(chain.rules, parent, environment);
      const again = executed.included.map((recovered) => replay.run(recovered));
      const own = executed.receipts.slice(0, executed.included.length);
      expect(again.map(({ receipt }) => encodeReceipt(receipt))).toEqual(own.map(encodeReceipt));
      expect(again.map(({ receipt }) => receipt.output)).toEqual(own.map(({ output }) => output));
      for (const { before, changes } of again) {
        for (const address of changes.accounts.keys()) expect(before.accounts.has(address)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

it("shows what was there before each transaction, whatever comes after it", async () => {
  const [alice] = KEYS as readonly [TestKey];
  const chain = new TestChain(testGenesis(new Map([[alice.address, OGPU]])));
  const parent = chain.state.reader;
  const environment = chain.environment();
  const transactions = [0n, 1n].map((nonce) =>
    signed({ nonce, to: "0x00000000000000000000000000000000000000aa", value: 1n, data: EMPTY_BYTES }, alice),
  );
  const replay = new BlockReplay(chain.rules, parent, environment);
  const [first, second] = transactions.map((transaction) => replay.run(transaction));
  expect(first?.before.accounts.get(alice.address)?.nonce).toBe(0n);
  expect(second?.before.accounts.get(alice.address)?.nonce).toBe(1n);
  const receiver = "0x00000000000000000000000000000000000000aa";
  expect((first?.before.accounts.get(receiver) ?? EMPTY_ACCOUNT).balance).toBe(0n);
  expect(second?.before.accounts.get(receiver)?.balance).toBe(1n);
});
