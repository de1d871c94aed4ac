import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeReceipts, encodeReceipts } from "../../../chain/blocks/receipts-codec.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";

const hex = (length: number): fc.Arbitrary<`0x${string}`> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);

const anyLog: fc.Arbitrary<Log> = fc.record({
  address: hex(20),
  topics: fc.array(hex(32), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 70 }),
});

const anyReceipts: fc.Arbitrary<Receipt[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom(0, 1, 2),
      succeeded: fc.boolean(),
      gasUsed: fc.bigInt(0n, 2n ** 40n),
      effectiveGasPrice: fc.bigInt(0n, 2n ** 256n - 1n),
      logs: fc.array(anyLog, { maxLength: 3 }),
      createdAddress: fc.option(hex(20), { nil: undefined }),
    }),
    { maxLength: 10 },
  )
  .map((drawn) => {
    let cumulativeGasUsed = 0n;
    return drawn.map((fields) => {
      cumulativeGasUsed += fields.gasUsed;
      return { ...fields, type: fields.type as 0 | 1 | 2, cumulativeGasUsed, output: EMPTY_BYTES };
    });
  });

describe("stored receipts", () => {
  it("are read back as they were, without the output of calls", () => {
    fc.assert(
      fc.property(anyReceipts, (receipts) => {
        const withOutput = receipts.map((receipt) => ({ ...receipt, output: new Uint8Array([1, 2, 3]) }));
        expect(decodeReceipts(encodeReceipts(withOutput))).toEqual(receipts);
      }),
    );
  });

  it("from arbitrary bytes are receipts or a coded error", () => {
    fc.assert(
      fc.property(anyReceipts, fc.nat(), fc.nat(255), (receipts, position, byte) => {
        const bytes = encodeReceipts(receipts);
        bytes[position % bytes.length] = byte;
        try {
          expect(encodeReceipts(decodeReceipts(bytes))).toEqual(bytes);
        } catch (error) {
          expect(isCoded(error, "RECEIPTS_MALFORMED")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
