import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToBytes, EMPTY_BYTES } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpList, rlpOfInteger } from "../../../base/rlp.ts";
import { FAILURES, packTransactions, RESULT_BYTES, recoverBatch } from "../../../chain/senders/batch.ts";
import type { TransactionErrorCode } from "../../../vm/transaction/errors.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";

/** Legacy, without a chain id: [nonce, gasPrice, gasLimit, to, value, data, v, r, s]. */
const GOOD = signTransaction(
  {
    ...{ type: 0, chainId: undefined, nonce: 1n, maxFeePerGas: 10n, maxPriorityFeePerGas: 10n, gasLimit: 21_000n },
    ...{ to: `0x${"11".repeat(20)}`, value: 1n, data: EMPTY_BYTES, accessList: [] },
  },
  keccak256(new Uint8Array([1])),
);

function withField(index: number, item: RlpItem): Uint8Array {
  return encodeRlp(rlpList(decodeRlp(GOOD)).map((field, i) => (i === index ? item : field)));
}

/** 0 or the number of a failure, for each. */
function outcomes(raws: readonly Uint8Array[]): readonly number[] {
  const results = recoverBatch(packTransactions(raws, 0, raws.length));
  return raws.map((_, i) => results[i * RESULT_BYTES] as number);
}

/** secp256k1's order. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const SAMPLES: Readonly<Partial<Record<TransactionErrorCode, Uint8Array>>> = {
  TX_MALFORMED: GOOD.subarray(0, GOOD.length - 1),
  TX_TYPE_UNSUPPORTED: new Uint8Array([3, 0xc0]),
  TX_NONCE_OVERFLOW: withField(0, rlpOfInteger(2n ** 64n - 1n)),
  TX_SIGNATURE_INVALID: withField(7, bigintToBytes(ORDER)),
  TX_SIGNATURE_HIGH_S: withField(8, bigintToBytes(ORDER - 1n)),
};

describe("a batch for the workers", () => {
  it("tells each reason by its own number", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...FAILURES].sort());
    for (const [code, raw] of Object.entries(SAMPLES)) {
      expect(outcomes([GOOD, raw]), code).toEqual([0, 1 + FAILURES.indexOf(code as TransactionErrorCode)]);
    }
  });

  it("knows every reason that bytes of whatever kind can give", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const flipped = fc
      .tuple(fc.nat(GOOD.length - 1), fc.integer({ min: 1, max: 255 }))
      .map(([at, change]) => GOOD.map((byte, i) => (i === at ? byte ^ change : byte)));
    const field = fc.tuple(fc.nat(8), fc.uint8Array({ maxLength: 40 })).map(([at, item]) => withField(at, item));
    fc.assert(
      fc.property(fc.array(fc.oneof(bytes, flipped, field), { maxLength: 5 }), (raws) => {
        for (const outcome of outcomes(raws)) expect(outcome).toBeLessThanOrEqual(FAILURES.length);
      }),
      { numRuns: 300 },
    );
  });
});
