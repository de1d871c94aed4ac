import { createBlockHeaderFromRLP } from "@ethereumjs/block";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpList, rlpOfInteger } from "../../../base/rlp.ts";
import { type BlockHeader, decodeHeader, encodeHeader, hashHeader, headerTime } from "../../../chain/blocks/header.ts";
import { anyHeader, HEADER } from "./support.ts";

/** The encoding with one of its sixteen fields replaced. */
function withField(index: number, field: RlpItem): Uint8Array {
  const fields = [...rlpList(decodeRlp(encodeHeader(HEADER)))];
  fields[index] = field;
  return encodeRlp(fields);
}

/** The encoding with an extra data made of these items. */
function withExtra(change: (items: RlpItem[]) => RlpItem[]): Uint8Array {
  const fields = rlpList(decodeRlp(encodeHeader(HEADER)));
  const extra = [...rlpList(decodeRlp(fields[12] as Uint8Array))];
  return withField(12, encodeRlp(change(extra)));
}

function replaced(index: number, item: RlpItem): (items: RlpItem[]) => RlpItem[] {
  return (items) => items.map((old, i) => (i === index ? item : old));
}

describe("a header", () => {
  it("decodes to what was encoded, and has one encoding", () => {
    fc.assert(
      fc.property(anyHeader, (header) => {
        const bytes = encodeHeader(header);
        const decoded = decodeHeader(bytes);
        expect(decoded).toEqual(header);
        expect(encodeHeader(decoded)).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it("is an Ethereum header to a library for Ethereum, with the same hash", () => {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork.Paris });
    // Ethereum bounds the extra data by 32 bytes; ours holds more, so the library is told not to check.
    const theirs = createBlockHeaderFromRLP(encodeHeader(HEADER), { common, skipConsensusFormatValidation: true });
    expect(bytesToHex(theirs.hash())).toBe(bytesToHex(hashHeader(HEADER)));
    expect(theirs.number).toBe(HEADER.number);
    expect(theirs.baseFeePerGas).toBe(HEADER.baseFeePerGas);
    expect(theirs.mixHash).toEqual(HEADER.beacon);
    expect(theirs.coinbase.toString()).toBe(HEADER.coinbase);
  });

  it("changes its hash when any field changes", () => {
    const hashes = new Set([bytesToHex(hashHeader(HEADER))]);
    const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 1);
    const changes: Partial<BlockHeader>[] = [
      { parentHash: flipped(HEADER.parentHash) },
      { stateRoot: flipped(HEADER.stateRoot) },
      { receiptsRoot: flipped(HEADER.receiptsRoot) },
      { transactionsRoot: flipped(HEADER.transactionsRoot) },
      { logsBloom: flipped(HEADER.logsBloom) },
      { beacon: flipped(HEADER.beacon) },
      { number: HEADER.number ^ 1n },
      { timestamp: HEADER.timestamp ^ 1n },
      { gasLimit: HEADER.gasLimit ^ 1n },
      { gasUsed: HEADER.gasUsed ^ 1n },
      { baseFeePerGas: HEADER.baseFeePerGas ^ 1n },
      { coinbase: `0x${"11".repeat(20)}` },
      { extra: { ...HEADER.extra, epoch: HEADER.extra.epoch + 1 } },
      { extra: { ...HEADER.extra, view: HEADER.extra.view + 1 } },
      { extra: { ...HEADER.extra, proposer: HEADER.extra.proposer ^ 1 } },
      { extra: { ...HEADER.extra, validatorSetHash: flipped(HEADER.extra.validatorSetHash) } },
      { extra: { ...HEADER.extra, nextValidatorSetHash: new Uint8Array(32).fill(7) } },
      { extra: { ...HEADER.extra, reveal: new Uint8Array(96).fill(7) } },
      { extra: { ...HEADER.extra, milliseconds: HEADER.extra.milliseconds ^ 1 } },
      { extra: { ...HEADER.extra, taskRoot: flipped(HEADER.extra.taskRoot) } },
      { extra: { ...HEADER.extra, parentCertificate: new Uint8Array([7]) } },
    ];
    for (const change of changes) hashes.add(bytesToHex(hashHeader({ ...HEADER, ...change })));
    expect(hashes.size).toBe(changes.length + 1);
  });

  it("may be of the last height and the last second there are", () => {
    const header = { ...HEADER, number: 2n ** 48n - 1n, timestamp: 8_639_999_999_999n };
    const read = decodeHeader(encodeHeader(header));
    expect(read).toMatchObject({ number: header.number, timestamp: header.timestamp });
    expect(Number.isSafeInteger(headerTime(read))).toBe(true);
    expect(new Date(headerTime(read)).toISOString()).toMatch(/^\+275760-09-12T23:59:59/);
  });

  it("tells its time in milliseconds", () => {
    const header = { ...HEADER, timestamp: 1_700_000_000n, extra: { ...HEADER.extra, milliseconds: 42 } };
    expect(headerTime(header)).toBe(1_700_000_000_042);
  });

  const malformed: Readonly<Record<string, Uint8Array>> = {
    nothing: new Uint8Array(0),
    "a byte string": encodeRlp(new Uint8Array(10)),
    "fifteen fields": encodeRlp(rlpList(decodeRlp(encodeHeader(HEADER))).slice(1)),
    "an ommers hash": withField(1, new Uint8Array(32)),
    "a difficulty": withField(7, new Uint8Array([1])),
    "a proof-of-work nonce": withField(14, new Uint8Array(8).fill(1)),
    "a root of 31 bytes": withField(3, new Uint8Array(31)),
    "a leading zero in its number": withField(8, new Uint8Array([0, 1])),
    "a number that the store's keys cannot hold": withField(8, rlpOfInteger(2n ** 48n)),
    "a time after the last date": withField(11, rlpOfInteger(8_640_000_000_000n)),
    "a gas limit of nine bytes": withField(9, new Uint8Array(9).fill(1)),
    "extra data that is not RLP": withField(12, new Uint8Array([0xff])),
    "extra data that is a string": withField(12, encodeRlp(new Uint8Array([1]))),
    "extra data of no items": withExtra(() => []),
    "extra data of nine items": withExtra((items) => items.slice(0, 9)),
    "a millisecond 1000": withExtra(replaced(4, rlpOfInteger(1000n))),
    "an epoch of seven bytes": withExtra(replaced(1, rlpOfInteger(2n ** 48n))),
    "a view of seven bytes": withExtra(replaced(2, rlpOfInteger(2n ** 48n))),
    "a proposer beyond every set": withExtra(replaced(3, rlpOfInteger(4096n))),
    "a validator-set hash of 31 bytes": withExtra(replaced(6, new Uint8Array(31))),
    "a next validator-set hash of 31 bytes": withExtra(replaced(7, new Uint8Array(31))),
    "a reveal of 95 bytes": withExtra(replaced(8, new Uint8Array(95))),
  };

  it.each(Object.keys(malformed))("with %s is refused as malformed", (name) => {
    expect(() => decodeHeader(malformed[name] as Uint8Array)).toThrow(
      expect.objectContaining({ code: "BLOCK_MALFORMED" }),
    );
  });

  it("of an unknown version is refused as such", () => {
    const bytes = withExtra(replaced(0, rlpOfInteger(2n)));
    expect(() => decodeHeader(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_VERSION_UNKNOWN" }));
  });

  it("with a certificate that is too long is refused before anything is done with it", () => {
    const bytes = withExtra(replaced(9, new Uint8Array(769)));
    expect(() => decodeHeader(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_TOO_LARGE" }));
    const huge = withExtra(replaced(9, new Uint8Array(1_000_000)));
    expect(() => decodeHeader(huge)).toThrow(expect.objectContaining({ code: "BLOCK_TOO_LARGE" }));
  });

  it("from arbitrary bytes is a header or a coded error", () => {
    const valid = encodeHeader(HEADER);
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.nat(255))
      .map(([at, byte]) => valid.map((old, i) => (i === at ? byte : old)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated), (bytes) => {
        try {
          expect(encodeHeader(decodeHeader(bytes))).toEqual(bytes);
        } catch (error) {
          expect(isCoded(error, "BLOCK_MALFORMED", "BLOCK_VERSION_UNKNOWN", "BLOCK_TOO_LARGE")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
