/**
 * The load generator for reads: connections that stay open, each with some requests under way at any time. What is sent
 * is prepared, and of answers only their ends are looked for, so that the server is what is measured.
 */
import { connect, type Socket } from "node:net";

/** Finds the ends of answers in what a server sends: how many end in this chunk. Throws on what is no good answer. */
export type CountAnswers = (chunk: Buffer) => number;

export interface Load {
  readonly connections: number;
  /** Requests under way on each. */
  readonly depth: number;
  /** Requests in all. */
  readonly total: number;
}

export interface Protocol {
  /** Sent first; the answer to it ends with an empty line. */
  readonly handshake?: Buffer;
  readonly counter: () => CountAnswers;
}

/** Sends the requests in turn until `total` are answered. Answers with the seconds that took. */
export async function runPipelined(
  url: URL,
  { handshake, counter }: Protocol,
  requests: readonly Buffer[],
  { connections, depth, total }: Load,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url, handshake)));
  let sent = 0;
  let answered = 0;
  const start = performance.now();
  try {
    await new Promise<void>((resolve, reject) => {
      const send = (socket: Socket, count: number): void => {
        const next: Buffer[] = [];
        while (next.length < count && sent < total) next.push(requests[sent++ % requests.length] as Buffer);
        if (next.length > 0) socket.write(next.length === 1 ? (next[0] as Buffer) : Buffer.concat(next));
      };
      for (const socket of sockets) {
        const count = counter();
        socket.on("error", reject);
        socket.on("close", () => reject(new Error("the server closed a connection")));
        socket.on("data", (chunk) => {
          try {
            const ended = count(chunk);
            answered += ended;
            if (answered >= total) resolve();
            else if (ended > 0) send(socket, ended);
          } catch (error) {
            reject(error as Error);
          }
        });
        send(socket, depth);
      }
    });
    return (performance.now() - start) / 1000;
  } finally {
    for (const socket of sockets) socket.removeAllListeners("close").destroy();
  }
}

async function open(url: URL, handshake: Buffer | undefined): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  if (handshake === undefined) return socket;
  socket.write(handshake);
  const answer = await new Promise<Buffer>((resolve, reject) => socket.once("data", resolve).once("error", reject));
  if (!answer.toString("latin1").startsWith("HTTP/1.1 101")) throw new Error("the server does not speak WebSocket");
  return socket;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const ERROR = Buffer.from('"error"');
const NOTHING = Buffer.alloc(0);

function refuse(chunk: Buffer): void {
  if (chunk.includes(ERROR)) throw new Error(`refused: ${chunk.toString("utf8").slice(0, 400)}`);
}

/** Answers with a content length. */
export const HTTP: Protocol = {
  counter: () => {
    let carry: Buffer = NOTHING;
    return (chunk) => {
      refuse(chunk);
      const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
      let at = 0;
      let ended = 0;
      for (;;) {
        const end = bytes.indexOf(HEAD_END, at);
        if (end < 0) break;
        const next = end + HEAD_END.length + lengthOf(bytes.toString("latin1", at, end));
        if (next > bytes.length) break;
        at = next;
        ended++;
      }
      carry = at === bytes.length ? NOTHING : bytes.subarray(at);
      return ended;
    };
  },
};

function lengthOf(head: string): number {
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined || !head.startsWith("HTTP/1.1 200")) throw new Error(`not an answer to count: ${head}`);
  return Number(length);
}

/** Text frames, one for each answer. */
export const WEB_SOCKET: Protocol = {
  handshake: Buffer.from(
    [
      "GET / HTTP/1.1",
      "host: localhost",
      "upgrade: websocket",
      "connection: Upgrade",
      "sec-websocket-version: 13",
      "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
      "\r\n",
    ].join("\r\n"),
  ),
  counter: () => {
    let carry: Buffer = NOTHING;
    return (chunk) => {
      refuse(chunk);
      const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
      let at = 0;
      let ended = 0;
      while (bytes.length - at >= 4) {
        const short = (bytes[at + 1] as number) & 0x7f;
        if (short === 127) throw new Error("an answer that is longer than asked for");
        const next = at + (short === 126 ? 4 + bytes.readUInt16BE(at + 2) : 2 + short);
        if (next > bytes.length) break;
        if (((bytes[at] as number) & 0x0f) === 1) ended++;
        at = next;
      }
      carry = at === bytes.length ? NOTHING : bytes.subarray(at);
      return ended;
    };
  },
};

/** A request as a client sends it over WebSocket; a mask of zeros is one. */
export function prepareFrame(text: string): Buffer {
  if (text.length > 125) throw new RangeError("a frame with a short length");
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
