/** WebSocket frames, right and wrong (RFC 6455), and what a client reads of a server's. */
import fc, { type Arbitrary } from "fast-check";
import { torn } from "./http-bytes.ts";

export const HANDSHAKE: Uint8Array = Buffer.from(
  [
    "GET / HTTP/1.1",
    "host: localhost",
    "upgrade: websocket",
    "connection: Upgrade",
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    "\r\n",
  ].join("\r\n"),
);

interface Frame {
  readonly fin: boolean;
  readonly reserved: number;
  readonly opcode: number;
  readonly masked: boolean;
  readonly payload: Uint8Array;
  /** What is said of the length: the truth, the truth in too many bytes, or something else. */
  readonly length: "true" | "long" | "huge" | "negative";
}

function encode({ fin, reserved, opcode, masked, payload, length }: Frame): Uint8Array {
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = masked ? 0x80 : 0;
  const isShort = length === "true" && payload.length < 126;
  if (isShort) return Buffer.concat([Buffer.from([first, mask | payload.length]), key(masked), payload]);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(
    { true: BigInt(payload.length), long: BigInt(payload.length), huge: 2n ** 40n, negative: 2n ** 63n }[length],
  );
  return Buffer.concat([Buffer.from([first, mask | 127]), size, key(masked), payload]);
}

/** A mask of zeros is one. */
function key(masked: boolean): Uint8Array {
  return Buffer.alloc(masked ? 4 : 0);
}

/** A text frame as a client sends it. */
export function clientFrame(text: string): Uint8Array {
  const payload = Buffer.from(text);
  return encode({ fin: true, reserved: 0, opcode: 1, masked: true, payload, length: "true" });
}

const payload: Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 150 }),
  fc.string({ unit: "binary", maxLength: 100 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}',
      '{"jsonrpc":"2.0","id":8,"method":"eth_subscribe","params":["newHeads"]}',
      '[{"jsonrpc":"2.0","id":9,"method":"net_version"},3]',
      "[".repeat(50_000),
    )
    .map((text) => Buffer.from(text)),
  // Overlong, half a character, a surrogate, beyond Unicode.
  fc
    .constantFrom([0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80])
    .map((bytes) => Uint8Array.from(bytes)),
);

const goodFrame: Arbitrary<Frame> = fc.record({
  fin: fc.constant(true),
  reserved: fc.constant(0),
  opcode: fc.constantFrom(1, 2, 9, 10),
  masked: fc.constant(true),
  payload: payload.map((bytes) => bytes.subarray(0, 120)),
  length: fc.constant("true" as const),
});

const anyFrame: Arbitrary<Frame> = fc.record({
  fin: fc.boolean(),
  reserved: fc.constantFrom(0, 0, 0, 1, 4, 7),
  opcode: fc.nat({ max: 15 }),
  masked: fc.boolean(),
  payload,
  length: fc.constantFrom("true" as const, "true" as const, "long" as const, "huge" as const, "negative" as const),
});

/** A message in parts, with a ping between them. */
const fragments: Arbitrary<readonly Frame[]> = fc.array(payload, { minLength: 2, maxLength: 4 }).map((parts) =>
  parts.flatMap((part, index): Frame[] => {
    const common = { reserved: 0, masked: true, length: "true" } as const;
    const ping = { ...common, fin: true, opcode: 9, payload: Buffer.from("ping") };
    const frame = { ...common, fin: index === parts.length - 1, opcode: index === 0 ? 1 : 0, payload: part };
    return index === 0 ? [frame] : [ping, frame];
  }),
);

/** A handshake, then frames, torn into pieces. */
export const webSocketBytes: Arbitrary<Uint8Array[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        goodFrame.map((frame) => [frame]),
        anyFrame.map((frame) => [frame]),
        fragments,
      ),
      { maxLength: 6 },
    ),
    fc.array(fc.nat(), { maxLength: 5 }),
  )
  .map(([frames, cuts]) => [HANDSHAKE, ...torn(Buffer.concat(frames.flat().map(encode)), cuts)]);

/** The texts that a server sent after its handshake; throws on anything that is not whole, unmasked frames. */
export function textsOf(received: Buffer): readonly string[] {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return [];
  const texts: string[] = [];
  let rest = received.subarray(end + 4);
  while (rest.length >= 2) {
    const opcode = (rest[0] as number) & 0x0f;
    const short = (rest[1] as number) & 0x7f;
    if (((rest[1] as number) & 0x80) !== 0) throw new Error("a server does not mask");
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    // The connection may be cut within a frame.
    if (rest.length < start) break;
    const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short;
    if (rest.length < start + length) break;
    if (opcode === 1) texts.push(rest.toString("utf8", start, start + length));
    else if (![8, 9, 10].includes(opcode)) throw new Error(`a frame with opcode ${opcode}`);
    rest = rest.subarray(start + length);
  }
  return texts;
}
