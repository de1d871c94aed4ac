/**
 * Many WebSocket clients in one process: each subscribes to heads, and the parent is told once all are subscribed, and of
 * every head that all have received. Arguments: port, clients. Plain sockets: ten thousand clients must not take the machine.
 */
import { connect, type Socket } from "node:net";

const [port, clients] = process.argv.slice(2).map(Number) as [number, number];
const ATONCE = 200;
const HANDSHAKE = [
  "GET / HTTP/1.1",
  "host: localhost",
  "upgrade: websocket",
  "connection: Upgrade",
  "sec-websocket-version: 13",
  "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
  "\r\n",
].join("\r\n");
const SUBSCRIBE = maskedFrame('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');

/** Clients that have received the head with that number. */
const heads = new Map<number, number>();
let subscribed = 0;
let opened = 0;

for (let i = 0; i < Math.min(ATONCE, clients); i++) open();

function open(): void {
  if (opened >= clients) return;
  opened++;
  const socket = connect(port, "127.0.0.1", () => socket.write(HANDSHAKE));
  let pending: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  socket.on("error", fail).on("close", () => fail(new Error("the server closed a connection")));
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (!isUpgraded) {
      const end = pending.indexOf("\r\n\r\n");
      if (end < 0) return;
      if (!pending.subarray(0, end).toString().startsWith("HTTP/1.1 101")) fail(new Error("no upgrade"));
      isUpgraded = true;
      pending = pending.subarray(end + 4);
      socket.write(SUBSCRIBE);
    }
    pending = takeFrames(pending, socket);
  });
}

/** What is left over. */
function takeFrames(bytes: Buffer, socket: Socket): Buffer {
  let rest = bytes;
  for (;;) {
    if (rest.length < 4) return rest;
    const short = (rest[1] as number) & 0x7f;
    const start = short === 126 ? 4 : 2;
    const length = short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < start + length) return rest;
    const opcode = (rest[0] as number) & 0x0f;
    if (opcode === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
    else onText(rest.toString("latin1", start, start + length));
    rest = rest.subarray(start + length);
  }
}

function onText(text: string): void {
  if (text.includes('"result":"0x')) {
    subscribed++;
    open();
    if (subscribed === clients) process.send?.({ event: "subscribed" });
    return;
  }
  const number = Number(/"number":"(0x[0-9a-f]+)"/.exec(text)?.[1]);
  const count = (heads.get(number) ?? 0) + 1;
  heads.set(number, count);
  if (count === clients) process.send?.({ event: "head", number });
}

/** As a client has to send it; a mask of zeros is one. */
function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function fail(error: Error): never {
  process.send?.({ event: "failed", reason: error.message });
  process.exit(1);
}
