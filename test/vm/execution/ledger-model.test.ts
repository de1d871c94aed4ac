import fc from "fast-check";
import { expect, test as it } from "vitest";
import { bytesToBigint, type Hex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { SECP256K1_ORDER, signHash } from "../../../base/secp256k1.ts";
import { OGPU } from "../../../base/units.ts";
import { emissionOfBlock } from "../../../genesis/emission.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import { recoverSender } from "../../../vm/transaction/sign.ts";
import {
  decodeTransaction,
  encodeSigned,
  type UnsignedTransaction,
  unsignedHash,
} from "../../../vm/transaction/transaction.ts";
import { NaiveLedger, type NaiveTransaction } from "../support/naive-ledger.ts";
import {
  hex,
  TEST_CAP,
  TEST_CHAIN_ID,
  TEST_COINBASE,
  TEST_EMISSION,
  TEST_GAS_LIMIT,
  TestChain,
  type TestKey,
  testGenesis,
  testKey,
} from "../support/test-chain.ts";

const KEYS: readonly TestKey[] = [1, 2, 3, 4].map(testKey);
const STRANGER = "0x1234567890123456789012345678901234567890";
/** The first four bytes of keccak-256 of "burn()". */
const BURN = hex("0x44df8e70");

/** What somebody might send: mostly right, wrong in one or more ways now and then. */
const transactions: fc.Arbitrary<NaiveTransaction & { nonceOffset: bigint }> = fc.record({
  kind: fc.constantFrom("legacy", "accessList", "dynamicFee" as const),
  from: fc.constantFrom(...KEYS.map(({ address }) => address as string)),
  to: fc.constantFrom(...KEYS.map(({ address }) => address as string), STRANGER, TOKEN_ADDRESS, TEST_COINBASE),
  nonce: fc.constant(0n),
  nonceOffset: fc.oneof({ weight: 9, arbitrary: fc.constant(0n) }, fc.constantFrom(-1n, 1n, 7n)),
  value: fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt(0n, 3n * OGPU), fc.constant(2n ** 255n)),
  gasLimit: fc.oneof(
    { weight: 4, arbitrary: fc.constant(21_000n) },
    { weight: 4, arbitrary: fc.bigInt(21_000n, 60_000n) },
    fc.bigInt(0n, 30_000n),
    fc.constantFrom(TEST_GAS_LIMIT + 1n, 2n ** 24n + 1n, 2n ** 64n - 1n),
  ),
  maxFee: fc.oneof({ weight: 6, arbitrary: fc.bigInt(7n, 50n) }, fc.bigInt(0n, 10n), fc.constant(2n ** 250n)),
  maxPriorityFee: fc.bigInt(0n, 20n),
  chainId: fc.oneof({ weight: 12, arbitrary: fc.constant(TEST_CHAIN_ID) }, fc.constantFrom(1n, undefined)),
  isBurn: fc.boolean(),
  hasHighS: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
});

function toUnsigned(tx: NaiveTransaction): UnsignedTransaction {
  return {
    type: tx.kind === "legacy" ? 0 : tx.kind === "accessList" ? 1 : 2,
    chainId: tx.chainId,
    nonce: tx.nonce,
    maxFeePerGas: tx.maxFee,
    maxPriorityFeePerGas: tx.maxPriorityFee,
    gasLimit: tx.gasLimit,
    to: tx.to as Hex,
    value: tx.value,
    data: tx.isBurn ? BURN : new Uint8Array(0),
    accessList: [],
  };
}

function encode(tx: NaiveTransaction): Uint8Array {
  const key = KEYS.find(({ address }) => address === tx.from) as TestKey;
  const transaction = toUnsigned(tx);
  const signature = signHash(unsignedHash(transaction), key.privateKey);
  if (!tx.hasHighS) return encodeSigned(transaction, signature);
  // The other root: valid mathematics, refused by EIP-2.
  const yParity = signature.yParity === 0 ? 1 : 0;
  return encodeSigned(transaction, { r: signature.r, s: SECP256K1_ORDER - signature.s, yParity });
}

/** Only legacy transactions can lack a chain id; only dynamic-fee ones have a priority fee of their own. */
function normalise(tx: NaiveTransaction): NaiveTransaction {
  const chainId = tx.kind === "legacy" ? tx.chainId : (tx.chainId ?? 1n);
  return { ...tx, chainId, maxPriorityFee: tx.kind === "dynamicFee" ? tx.maxPriorityFee : tx.maxFee };
}

it("the executor and a naive ledger agree on every balance, error, gas and supply", async () => {
  const blocks = fc.array(fc.array(transactions, { maxLength: 12 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(blocks, async (plan) => {
      const balances = new Map(KEYS.map(({ address }, i) => [address, BigInt(i) * 2n * OGPU] as const));
      const ledger = new NaiveLedger({
        chainId: TEST_CHAIN_ID,
        token: TOKEN_ADDRESS,
        cap: TEST_CAP,
        blockGasLimit: TEST_GAS_LIMIT,
        emission: (number) => emissionOfBlock(TEST_EMISSION, number),
      });
      for (const [address, balance] of balances) ledger.fund(address, balance);
      const chain = new TestChain(testGenesis(balances));
      for (const block of plan) await checkBlock(chain, ledger, block);
    }),
    { numRuns: 150 },
  );
});

async function checkBlock(
  chain: TestChain,
  ledger: NaiveLedger,
  block: readonly (NaiveTransaction & { nonceOffset: bigint })[],
): Promise<void> {
  const expected: string[] = [];
  const decoded: RecoveredTransaction[] = [];
  const actualEarly = new Map<number, string>();
  let gasLeft = TEST_GAS_LIMIT;
  for (const [i, draft] of block.entries()) {
    const next = ledger.accounts.get(draft.from)?.nonce ?? 0n;
    const nonce = next + draft.nonceOffset;
    const tx = normalise({ ...draft, nonce: nonce < 0n ? 0n : nonce });
    const { verdict, gasUsed } = ledger.apply(tx, { baseFee: chain.baseFee, coinbase: TEST_COINBASE, gasLeft });
    expected.push(verdict);
    gasLeft -= gasUsed;
    try {
      const transaction = decodeTransaction(encode(tx));
      decoded.push({ transaction, sender: recoverSender(transaction) });
    } catch (error) {
      actualEarly.set(i, (error as CodedError).code);
    }
  }
  ledger.endBlock(chain.number + 1n, TEST_COINBASE);
  const executed = await chain.block(decoded);
  expect(executed.violations).toEqual([]);
  const verdicts = new Map<Uint8Array, string>();
  for (const [i, { transaction }] of executed.included.entries()) {
    verdicts.set(transaction.hash, executed.receipts[i]?.succeeded === true ? "ok" : "failed");
  }
  for (const { transaction, error } of executed.rejected) verdicts.set(transaction.hash, error.code);
  const late = decoded.map(({ transaction }) => verdicts.get(transaction.hash) as string);
  const actual = block.map((_, i) => actualEarly.get(i) ?? (late.shift() as string));
  expect(actual).toEqual(expected);
  expect(executed.gasUsed).toBe(TEST_GAS_LIMIT - gasLeft);
  checkMoney(chain, ledger);
}

function checkMoney(chain: TestChain, ledger: NaiveLedger): void {
  for (const [address, { balance, nonce }] of ledger.accounts) {
    const account = chain.state.reader.account(address as Hex);
    expect(account?.balance ?? 0n).toBe(balance);
    if (address !== TOKEN_ADDRESS) expect(account?.nonce ?? 0n).toBe(nonce);
  }
  const supply = readSupply(chain.state.reader);
  expect(supply).toEqual({ genesis: ledger.genesis, minted: ledger.minted, burned: ledger.burned });
  expect(supply.genesis + supply.minted - supply.burned).toBe(ledger.sumOfBalances());
}

it("bytes that were tampered with either change the sender or are refused, and never crash", async () => {
  const base = encode(normalise({ ...SAMPLE, from: (KEYS[0] as TestKey).address }));
  fc.assert(
    fc.property(fc.nat(base.length - 1), fc.integer({ min: 1, max: 255 }), (position, flip) => {
      const bytes = Uint8Array.from(base);
      bytes[position] = (bytes[position] as number) ^ flip;
      try {
        const transaction = decodeTransaction(bytes);
        expect(transaction.raw).toEqual(bytes);
        expect(recoverSender(transaction)).not.toBe((KEYS[0] as TestKey).address);
      } catch (error) {
        expect(error).toBeInstanceOf(CodedError);
        expect((error as CodedError).code).toMatch(/^TX_/);
      }
    }),
    { numRuns: 2_000 },
  );
});

const SAMPLE: NaiveTransaction = {
  kind: "dynamicFee",
  from: "",
  to: STRANGER,
  nonce: 3n,
  value: bytesToBigint(new Uint8Array([1, 2, 3])),
  gasLimit: 21_000n,
  maxFee: 100n,
  maxPriorityFee: 2n,
  chainId: TEST_CHAIN_ID,
  isBurn: true,
  hasHighS: false,
};
