import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import { logJson, logText } from "../../rpc/format.ts";

it("writes a log as text as JSON writes it", () => {
  const hex = (length: number): fc.Arbitrary<Hex> =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => bytesToHex(bytes));
  const log = fc.record({
    address: hex(20),
    topics: fc.array(hex(32), { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 100 }),
  });
  const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(log, hex(32), hex(32), amount, amount, fc.nat(), fc.nat(), (one, ...rest) => {
      const [hash, blockHash, number, timestamp, index, logIndex] = rest;
      const block = { header: { number, timestamp }, hash: Buffer.from(blockHash.slice(2), "hex") };
      const place = { block: block as unknown as StoredHeader, index };
      expect(logText(one, hash, place, logIndex)).toBe(JSON.stringify(logJson(one, hash, place, logIndex)));
    }),
  );
});
