import { expect, test as it } from "vitest";
import { concatBytes } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { SECP256K1_ORDER, signHash } from "../../../base/secp256k1.ts";
import { OGPU } from "../../../base/units.ts";
import type { TransactionErrorCode } from "../../../vm/transaction/errors.ts";
import { recoverSender, signTransaction } from "../../../vm/transaction/sign.ts";
import {
  decodeTransaction,
  encodeSigned,
  type UnsignedTransaction,
  unsignedHash,
} from "../../../vm/transaction/transaction.ts";
import { TEST_GAS_LIMIT, TestChain, testGenesis, testKey, unsigned } from "../support/test-chain.ts";

const KEY = testKey(1);
const CONTRACT_KEY = testKey(2);
const BALANCES = new Map([
  [KEY.address, 10n * OGPU],
  [CONTRACT_KEY.address, 10n * OGPU],
]);

function encode(overrides: Partial<UnsignedTransaction> = {}): Uint8Array {
  return signTransaction(unsigned(overrides), KEY.privateKey);
}

function highS(): Uint8Array {
  const transaction = unsigned();
  const { r, s, yParity } = signHash(unsignedHash(transaction), KEY.privateKey);
  return encodeSigned(transaction, { r, s: SECP256K1_ORDER - s, yParity: yParity === 0 ? 1 : 0 });
}

/** Every way to be wrong, each with a code of its own. */
const WRONG: readonly (readonly [name: string, code: TransactionErrorCode, raw: () => Uint8Array])[] = [
  ["nothing at all", "TX_MALFORMED", () => new Uint8Array(0)],
  ["not RLP", "TX_MALFORMED", () => new Uint8Array([0xf8, 0xff, 1])],
  ["trailing bytes", "TX_MALFORMED", () => concatBytes(encode(), new Uint8Array([0]))],
  ["a list of the wrong length", "TX_MALFORMED", () => new Uint8Array([0xc2, 0x80, 0x80])],
  ["a recipient of 19 bytes", "TX_MALFORMED", () => encode({ to: `0x${"aa".repeat(19)}` })],
  ["a blob transaction", "TX_TYPE_UNSUPPORTED", () => new Uint8Array([3, 0xc0])],
  ["an unknown type", "TX_TYPE_UNSUPPORTED", () => new Uint8Array([0x7f, 0xc0])],
  ["too many bytes", "TX_TOO_LARGE", () => encode({ data: new Uint8Array(140_000), gasLimit: 900_000n })],
  ["another chain's id", "TX_WRONG_CHAIN", () => encode({ chainId: 1n })],
  ["no chain id", "TX_UNPROTECTED", () => encode({ type: 0, chainId: undefined })],
  ["r of zero", "TX_SIGNATURE_INVALID", () => encodeSigned(unsigned(), { r: 0n, s: 1n, yParity: 0 })],
  ["s of zero", "TX_SIGNATURE_INVALID", () => encodeSigned(unsigned(), { r: 1n, s: 0n, yParity: 0 })],
  ["r of the order", "TX_SIGNATURE_INVALID", () => encodeSigned(unsigned(), { r: SECP256K1_ORDER, s: 1n, yParity: 0 })],
  ["s in the upper half", "TX_SIGNATURE_HIGH_S", highS],
  ["the last nonce of all", "TX_NONCE_OVERFLOW", () => encode({ nonce: 2n ** 64n - 1n })],
  ["a nonce ahead", "TX_NONCE_TOO_HIGH", () => encode({ nonce: 7n })],
  ["more than the sender has", "TX_INSUFFICIENT_FUNDS", () => encode({ value: 11n * OGPU })],
  ["gas for less than nothing", "TX_INTRINSIC_GAS_TOO_LOW", () => encode({ gasLimit: 20_999n })],
  [
    "gas below the price of its call data",
    "TX_CALLDATA_FLOOR_TOO_LOW",
    () => encode({ data: new Uint8Array(100).fill(1), gasLimit: 21_000n + 1_700n }),
  ],
  ["a fee that overflows", "TX_FEE_OVERFLOW", () => encode({ maxFeePerGas: 2n ** 255n })],
  ["a fee below the base fee", "TX_FEE_BELOW_BASE_FEE", () => encode({ maxFeePerGas: 1n })],
  ["a tip above the maximum", "TX_PRIORITY_FEE_ABOVE_MAX_FEE", () => encode({ maxPriorityFeePerGas: 101n })],
  ["more gas than the block has", "TX_GAS_LIMIT_ABOVE_BLOCK", () => encode({ gasLimit: TEST_GAS_LIMIT + 1n })],
  ["more gas than a transaction may", "TX_GAS_LIMIT_ABOVE_CAP", () => encode({ gasLimit: 2n ** 24n + 1n })],
  [
    "init code that is too long",
    "TX_INITCODE_TOO_LARGE",
    () => encode({ to: undefined, data: new Uint8Array(49_153), gasLimit: 900_000n }),
  ],
  [
    "a contract as sender",
    "TX_SENDER_HAS_CODE",
    () => signTransaction(unsigned({ nonce: 1n }), CONTRACT_KEY.privateKey),
  ],
];

it.each(WRONG)("%s is refused with %s and leaves the state untouched", async (_name, code, raw) => {
  const genesis = testGenesis(BALANCES, undefined, new Map([[CONTRACT_KEY.address, new Uint8Array([0])]]));
  const chain = new TestChain(genesis);
  let error: CodedError;
  try {
    const transaction = decodeTransaction(raw());
    const executed = await chain.block([{ transaction, sender: recoverSender(transaction) }]);
    error = executed.rejected[0]?.error as CodedError;
    expect(executed.receipts).toEqual([]);
    // The block has emission, but the sender's account is as it was.
    for (const address of BALANCES.keys()) {
      expect(chain.state.reader.account(address)).toEqual(genesis.reader.account(address));
    }
  } catch (failure) {
    error = failure as CodedError;
  }
  expect(error).toBeInstanceOf(CodedError);
  expect(error.code).toBe(code);
});

it("a nonce that was used is refused as too low", async () => {
  const chain = new TestChain(testGenesis(BALANCES));
  const transaction = decodeTransaction(encode());
  const sender = recoverSender(transaction);
  const first = await chain.block([{ transaction, sender }]);
  expect(first.receipts[0]?.succeeded).toBe(true);
  const again = await chain.block([{ transaction, sender }]);
  expect(again.rejected.map(({ error }) => error.code)).toEqual(["TX_NONCE_TOO_LOW"]);
});
