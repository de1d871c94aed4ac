/** A WebSocket text frame (RFC 6455, section 5.2), as a server sends it: unmasked and whole. */

const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Encoded once, it can be written to any number of connections. */
export function textFrame(text: string): Uint8Array {
  const length = Buffer.byteLength(text);
  const headerBytes = length < LENGTH_16 ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = FINAL_TEXT;
  if (headerBytes === 2) frame[1] = length;
  else if (headerBytes === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerBytes);
  return frame;
}
