import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import type { VoteContent } from "../../../base/votes.ts";
import type { Certificate, FinalSegment, LogRecord, Vote } from "../../../chain/consensus/types.ts";
import { finalCodec } from "../../../chain/wire/gossip.ts";
import { MAX_COUNT } from "../../../chain/wire/limits.ts";
import { recordCodec } from "../../../chain/wire/log-record.ts";
import {
  type Addressed,
  addressed,
  type ConsensusMessage,
  channelsOf,
  type DataMessage,
  decodeMessage,
  encodeMessage,
  kindOf,
  type NodeMessage,
} from "../../../chain/wire/node-message.ts";
import { anyBlock } from "../network/support/nodes.ts";

const channels = channelsOf(anyBlock);
const records = recordCodec(anyBlock);
const finals = finalCodec(anyBlock);

const count = fc.integer({ min: 0, max: MAX_COUNT });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hash: fc.Arbitrary<Hex> = bytes(32).map((value) => bytesToHex(value));
const block = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((body) => anyBlock(body));
const content: fc.Arbitrary<VoteContent> = fc
  .record({
    kind: fc.constantFrom("PROPOSE" as const, "NOTARIZE" as const, "NULLIFY" as const, "FINALIZE" as const),
    epoch: count,
    view: count,
    hash,
  })
  .map((vote) => (vote.kind === "NULLIFY" ? { ...vote, hash: "0x" as const } : vote));
const vote: fc.Arbitrary<Vote> = fc
  .tuple(content, fc.nat(4095), bytes(96))
  .map(([value, validator, signature]) => ({ ...value, validator, signature }));
const certificate: fc.Arbitrary<Certificate> = fc
  .record({
    kind: fc.constantFrom("NOTARIZE" as const, "NULLIFY" as const, "FINALIZE" as const),
    epoch: count,
    view: count,
    hash,
    signers: fc.uint8Array({ maxLength: 512 }),
    signature: bytes(96),
  })
  .map((value) => (value.kind === "NULLIFY" ? { ...value, hash: "0x" as const } : value));
const segment: fc.Arbitrary<FinalSegment> = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
  certificate,
});
const address = fc.constantFrom("/ip4/192.0.2.1/tcp/30333", "/ip6/::1/tcp/1/p2p/12D3KooW");
const type = <T extends string>(value: T) => fc.constant(value);

const messages: fc.Arbitrary<NodeMessage> = fc.oneof(
  fc.record({ type: type("proposal"), proposal: fc.record({ vote, block, parentView: count }) }),
  fc.record({ type: type("vote"), vote }),
  fc.record({ type: type("certificate"), certificate }),
  fc.record({ type: type("block"), block }),
  fc.record({ type: type("finals"), segments: fc.array(segment, { maxLength: 3 }) }),
  fc.record({ type: type("fetch-block"), hash }),
  fc.record({ type: type("fetch-certificates"), epoch: count, from: count, to: count }),
  fc.record({ type: type("fetch-finals"), height: count }),
  fc.record({ type: type("get-offers"), id: fc.nat(0xffff) }),
  fc.record({ type: type("refused"), id: fc.nat(0xffff), reason: type("busy") }),
);

const consensus: fc.Arbitrary<ConsensusMessage> = fc.oneof(
  fc.record({
    type: type("hello"),
    hello: fc.record({
      version: fc.nat(0xffff),
      chainId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      genesis: hash,
      proof: fc.option(fc.record({ key: bytes(48).map((key) => bytesToHex(key)), signature: bytes(96) }), {
        nil: undefined,
      }),
      height: count,
      addresses: fc.array(address, { maxLength: 8 }),
      agent: fc.constantFrom("", "ogpu/0.1.0"),
    }),
  }),
  fc.record({ type: type("status"), status: fc.record({ height: count }) }),
);
const data: fc.Arbitrary<DataMessage> = fc.oneof(
  fc.record({ type: type("get-peers") }),
  fc.record({ type: type("peers"), addresses: fc.array(address, { maxLength: 32 }) }),
);

const anyMessage: fc.Arbitrary<Addressed> = fc.oneof(
  messages.map(addressed),
  consensus.map((message): Addressed => ({ channel: "consensus", message })),
  data.map((message): Addressed => ({ channel: "data", message })),
);

const logRecords: fc.Arbitrary<LogRecord> = fc.oneof(
  fc.record({ type: type("vote"), vote: content }),
  fc.record({ type: type("block"), block }),
  fc.record({ type: type("certificate"), certificate }),
);

/** The same, or a value changed in one place, cut short, or continued. */
function mutated(encoded: Uint8Array): fc.Arbitrary<Uint8Array> {
  const at = fc.nat(Math.max(0, encoded.length - 1));
  return fc.oneof(
    fc.tuple(at, fc.nat(255)).map(([index, byte]) => encoded.map((old, i) => (i === index ? byte : old))),
    at.map((length) => encoded.slice(0, length)),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map((tail) => Uint8Array.from([...encoded, ...tail])),
    fc
      .tuple(at, fc.uint8Array({ maxLength: 8 }))
      .map(([index, middle]) => Uint8Array.from([...encoded.slice(0, index), ...middle, ...encoded.slice(index)])),
  );
}

/** Decoding either gives a value whose encoding is the input, or throws WIRE_INVALID. */
function staysStrict<T>(input: Uint8Array, decode: (bytes: Uint8Array) => T, encode: (value: T) => Uint8Array): void {
  let value: T;
  try {
    value = decode(input);
  } catch (error) {
    expect(error).toBeInstanceOf(CodedError);
    expect((error as CodedError).code).toBe("WIRE_INVALID");
    return;
  }
  expect(Uint8Array.from(encode(value))).toEqual(Uint8Array.from(input));
}

describe("messages between nodes", () => {
  it("come out as they went in", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const encoded = encodeMessage(channels, message);
        expect(decodeMessage(channels, message.channel, encoded)).toEqual(message.message);
        expect(kindOf(message.channel, encoded)).toBe(message.message.type);
      }),
    );
  });

  it("are refused with one code when they are changed, or mean what their bytes say", () => {
    const changed = anyMessage.chain((message) =>
      mutated(Uint8Array.from(encodeMessage(channels, message))).map((input) => ({ channel: message.channel, input })),
    );
    fc.assert(
      fc.property(changed, ({ channel, input }) => {
        staysStrict(
          input,
          (bytes) => decodeMessage(channels, channel, bytes),
          (message) => encodeMessage(channels, { channel, message } as Addressed),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("are refused with one code when they are random", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("consensus" as const, "data" as const),
        fc.uint8Array({ maxLength: 300 }),
        (channel, input) => {
          staysStrict(
            input,
            (bytes) => decodeMessage(channels, channel, bytes),
            (message) => encodeMessage(channels, { channel, message } as Addressed),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("keep consensus apart from bulk", () => {
    const vote: Vote = { kind: "NULLIFY", epoch: 0, view: 1, hash: "0x", validator: 0, signature: new Uint8Array(96) };
    const encoded = encodeMessage(channels, addressed({ type: "vote", vote }));
    expect(() => decodeMessage(channels, "data", encoded)).toThrow(CodedError);
    expect(addressed({ type: "get-offers", id: 1 }).channel).toBe("data");
  });

  it.each<[string, Partial<Vote>]>([
    ["a nullify vote with a hash", { kind: "NULLIFY", hash: `0x${"11".repeat(32)}` }],
    ["a notarize vote without one", { kind: "NOTARIZE", hash: "0x" }],
  ])("refuse %s", (_, change) => {
    const vote: Vote = {
      kind: "NULLIFY",
      epoch: 0,
      view: 1,
      hash: "0x",
      validator: 0,
      signature: new Uint8Array(96),
      ...change,
    };
    const encoded = encodeMessage(channels, addressed({ type: "vote", vote }));
    expect(() => decodeMessage(channels, "consensus", encoded)).toThrow("a vote has a hash unless it nullifies");
  });

  it("are short: a vote takes 150 bytes", () => {
    const vote: Vote = {
      kind: "NOTARIZE",
      epoch: 3,
      view: 70_000,
      hash: `0x${"11".repeat(32)}`,
      validator: 50,
      signature: new Uint8Array(96),
    };
    expect(encodeMessage(channels, addressed({ type: "vote", vote })).length).toBeLessThan(150);
  });
});

describe("records of the consensus log", () => {
  it("come out as they went in", () => {
    fc.assert(
      fc.property(logRecords, (record) => {
        expect(records.decode(records.encode(record))).toEqual(record);
      }),
    );
  });

  it("are refused with one code when they are changed", () => {
    const changed = logRecords.chain((record) => mutated(Uint8Array.from(records.encode(record))));
    fc.assert(
      fc.property(changed, (input) => staysStrict(input, records.decode, records.encode)),
      { numRuns: 1_000 },
    );
  });
});

describe("final blocks in gossip", () => {
  it("come out as they went in, and are refused with one code when they are changed", () => {
    fc.assert(
      fc.property(segment, (value) => {
        expect(finals.decode(finals.encode(value))).toEqual(value);
      }),
    );
    const changed = segment.chain((value) => mutated(Uint8Array.from(finals.encode(value))));
    fc.assert(fc.property(changed, (input) => staysStrict(input, finals.decode, finals.encode)));
  });
});
