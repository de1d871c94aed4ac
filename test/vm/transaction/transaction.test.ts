import { Common, Mainnet } from "@ethereumjs/common";
import { createTxFromRLP } from "@ethereumjs/tx";
import fc from "fast-check";
import { expect, test as it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { recoverSender, signTransaction } from "../../../vm/transaction/sign.ts";
import {
  decodeTransaction,
  signingHash,
  type TransactionType,
  type UnsignedTransaction,
  unsignedHash,
} from "../../../vm/transaction/transaction.ts";
import { testKey } from "../support/test-chain.ts";

const hexOf = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);

const transactions: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    type: fc.constantFrom<TransactionType>(0, 1, 2),
    isProtected: fc.boolean(),
    nonce: fc.bigInt(0n, 2n ** 64n - 2n),
    maxFeePerGas: fc.bigInt(0n, 2n ** 128n),
    maxPriorityFeePerGas: fc.bigInt(0n, 2n ** 128n),
    gasLimit: fc.bigInt(21_000n, 2n ** 64n - 1n),
    to: fc.option(hexOf(20), { nil: undefined }),
    value: fc.bigInt(0n, 2n ** 256n - 1n),
    data: fc.uint8Array({ maxLength: 300 }),
    accessList: fc.array(fc.record({ address: hexOf(20), slots: fc.array(hexOf(32), { maxLength: 3 }) }), {
      maxLength: 3,
    }),
  })
  .map(({ type, isProtected, accessList, ...rest }) => ({
    ...rest,
    type,
    chainId: type === 0 && !isProtected ? undefined : 1n,
    maxPriorityFeePerGas: type === 2 ? rest.maxPriorityFeePerGas : rest.maxFeePerGas,
    accessList: type === 0 ? [] : accessList,
  }));

it("what is signed decodes to the same fields, the same sender and the same bytes", () => {
  const key = testKey(9);
  fc.assert(
    fc.property(transactions, (unsigned) => {
      const raw = signTransaction(unsigned, key.privateKey);
      const decoded = decodeTransaction(raw);
      expect(decoded).toMatchObject(unsigned);
      expect(signingHash(decoded)).toEqual(unsignedHash(unsigned));
      expect(recoverSender(decoded)).toBe(key.address);
    }),
    { numRuns: 300 },
  );
});

it("@ethereumjs/tx reads the same hash and sender from our bytes", () => {
  const key = testKey(9);
  const common = new Common({ chain: Mainnet, hardfork: "cancun" });
  const acceptable = transactions.filter(
    ({ maxFeePerGas, maxPriorityFeePerGas, gasLimit, data, to }) =>
      maxPriorityFeePerGas <= maxFeePerGas &&
      gasLimit * maxFeePerGas < 2n ** 256n &&
      (to !== undefined || data.length > 0),
  );
  fc.assert(
    fc.property(acceptable, (unsigned) => {
      const raw = signTransaction(unsigned, key.privateKey);
      const theirs = createTxFromRLP(raw, { common });
      expect(theirs.hash()).toEqual(decodeTransaction(raw).hash);
      expect(theirs.getSenderAddress().toString()).toBe(key.address);
    }),
    { numRuns: 200 },
  );
});
