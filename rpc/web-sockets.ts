/**
 * JSON-RPC over WebSocket, on the same port. `ws` does the handshake, reads frames and answers pings; what we send are
 * whole frames on the socket itself, so that one that many are told is encoded once. A client that does not read is
 * disconnected: when too much waits for it that it did not ask for, or when it does not take its answers in time.
 */

import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Ticket } from "./admission.ts";
import type { Connection } from "./connections.ts";
import { isRoot } from "./http-posts.ts";
import { MAX_CONTROL_FRAMES, MAX_MESSAGE_PIECES, UNCOUNTED_BYTES } from "./limits.ts";
import type { RpcClient, Subscriber } from "./request-budget.ts";
import { REFUSED } from "./rpc-error.ts";
import { textFrame } from "./subscriptions/frame.ts";
import type { TransportParts } from "./transport-parts.ts";

/** Messages of one connection that are worked on; while there are so many, no more are read. */
const MAX_MESSAGES = 64;
const GOING_AWAY = 1001;
/** What a client has to say goodbye: a node that stops waits for no other. */
const CLOSE_MILLISECONDS = 1_000;
const LOOK_INTERVAL = 1_000;
/** Of a frame from a client that is a ping or a pong, besides what it says. */
const CONTROL_BYTES = 6;
const MAX_HEADER_BYTES = 14;
const PING = new Uint8Array([0x89, 0]);

export class WebSockets {
  private readonly options: TransportParts;
  private readonly server: WebSocketServer;
  private readonly open = new Set<Client>();
  private readonly pings: NodeJS.Timeout;
  private readonly looks: NodeJS.Timeout;

  constructor(options: TransportParts) {
    this.options = options;
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Compressing costs more than it saves, and would make every frame another.
      perMessageDeflate: false,
      maxPayload: options.limits.bodyBytes,
      maxFragments: MAX_MESSAGE_PIECES,
      maxBufferedChunks: MAX_MESSAGE_PIECES,
    });
    this.pings = setInterval(() => this.ping(), Math.ceil(options.limits.idleMilliseconds / 2));
    this.pings.unref();
    this.looks = setInterval(() => this.look(), LOOK_INTERVAL).unref();
  }

  get size(): number {
    return this.open.size;
  }

  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
  }

  close(): void {
    clearInterval(this.pings);
    clearInterval(this.looks);
    for (const client of this.open) client.end();
  }

  private upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { access, connections } = this.options;
    const socket = stream as Socket;
    socket.on("error", () => socket.destroy());
    const connection = connections.of(socket);
    const { host, origin } = request.headers;
    const isAllowed = access.isHostAllowed(host) && access.isOriginAllowed(origin, host);
    if (connection === undefined || !isAllowed || !isRoot(request.url)) {
      refuse(socket, isAllowed ? "404 Not Found" : "403 Forbidden");
      return;
    }
    socket.setTimeout(0);
    socket.setNoDelay(true);
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const client = new Client(this.options, webSocket, socket, connection);
      this.open.add(client);
      socket.once("close", () => this.open.delete(client));
    });
  }

  private ping(): void {
    for (const client of this.open) client.ping();
  }

  private look(): void {
    const now = performance.now();
    for (const client of this.open) client.dropIfLate(now);
  }
}

class Client implements Subscriber {
  private readonly options: TransportParts;
  private readonly webSocket: WebSocket;
  private readonly socket: Socket;
  private readonly connection: Connection;
  /** Whose answers are not sent. */
  private messages = 0;
  /** Bytes of answers that the client has not taken, and when it has to have taken them. */
  private untaken = 0;
  private takenBy = Number.POSITIVE_INFINITY;
  /** Bytes of a message that has not come whole, and the room that they have. */
  private arrived = 0;
  private controls = 0;
  private partial: Ticket | undefined;
  private isAlive = true;
  private isEnding = false;
  private isGathering = false;

  constructor(options: TransportParts, webSocket: WebSocket, socket: Socket, connection: Connection) {
    this.options = options;
    this.webSocket = webSocket;
    this.socket = socket;
    this.connection = connection;
    // First, so that a message that these bytes complete begins to count anew.
    socket.prependListener("data", (chunk: Buffer) => this.onBytes(chunk.length));
    socket.once("close", () => this.partial?.end());
    webSocket.on("message", (data) => this.onMessage(data));
    webSocket.on("ping", (data) => this.onControl(data.length));
    webSocket.on("pong", (data) => {
      this.onControl(data.length);
      this.isAlive = true;
    });
    // A frame that breaks the protocol: `ws` closes the connection with the code that says so.
    webSocket.on("error", () => undefined);
  }

  /** What it did not ask for just now. */
  send(frame: Uint8Array): void {
    const { socket } = this;
    if (socket.destroyed || !socket.writable) return;
    const waiting = socket.writableLength - this.untaken;
    if (waiting <= 0 || waiting + frame.length <= this.options.limits.bytesWaiting) socket.write(frame);
    else socket.destroy();
  }

  /** A client that takes a byte now and then, or none, would hold its place for ever. */
  dropIfLate(now: number): void {
    if (this.untaken === 0) return;
    const { requestMilliseconds, takenPerSecond } = this.options.limits;
    // From the first look on: the clock is not read for each answer.
    if (this.takenBy === Number.POSITIVE_INFINITY) {
      this.takenBy = now + requestMilliseconds + (1000 * this.untaken) / takenPerSecond;
    } else if (now > this.takenBy) this.socket.destroy();
  }

  onGone(listener: () => void): void {
    this.socket.once("close", listener);
  }

  ping(): void {
    this.controls = 0;
    // A ping that waits behind an answer says nothing.
    if (!this.isAlive && this.untaken === 0) {
      this.socket.destroy();
      return;
    }
    this.isAlive = false;
    this.send(PING);
  }

  /** After the answers to what it has asked. */
  end(): void {
    this.isEnding = true;
    if (this.messages === 0) this.sayGoodbye();
  }

  private sayGoodbye(): void {
    this.webSocket.close(GOING_AWAY);
    setTimeout(() => this.socket.destroy(), CLOSE_MILLISECONDS).unref();
  }

  private onBytes(bytes: number): void {
    this.arrived += bytes;
    if (this.arrived <= UNCOUNTED_BYTES) return;
    const { admission, limits } = this.options;
    // Pieces of nothing are no bytes of the message, and each has its header.
    const isTooMuch = this.arrived > UNCOUNTED_BYTES + limits.bodyBytes + MAX_MESSAGE_PIECES * MAX_HEADER_BYTES;
    this.partial ??= admission.admit(0, this.connection.address);
    if (isTooMuch || this.partial?.hold(bytes) !== true) this.socket.destroy();
  }

  /** A control frame may come in the midst of a message, and is no part of it. */
  private onControl(dataBytes: number): void {
    if (++this.controls > MAX_CONTROL_FRAMES) this.socket.destroy();
    this.arrived = Math.max(0, this.arrived - CONTROL_BYTES - dataBytes);
  }

  private onMessage(data: RawData): void {
    this.isAlive = true;
    this.arrived = 0;
    this.partial?.end();
    this.partial = undefined;
    if (this.isEnding) return;
    const body = textOf(data);
    const { address, number } = this.connection;
    const ticket = this.options.admission.admit(body.length, address);
    if (ticket === undefined) {
      this.send(textFrame(BUSY));
      return;
    }
    if (++this.messages >= MAX_MESSAGES) this.webSocket.pause();
    const client: RpcClient = {
      address,
      connection: number,
      subscriber: this,
      isGone: () => this.socket.destroyed,
      hold: (bytes) => ticket.hold(bytes),
      charge: (requests) => this.options.addresses.charge(address, requests),
    };
    void this.answer(body, client, () => {
      ticket.end();
      if (--this.messages < MAX_MESSAGES && this.webSocket.isPaused) this.webSocket.resume();
      if (this.isEnding && this.messages === 0) this.sayGoodbye();
    });
  }

  /** Requests that came together are answered in one write: a third of a small request was the write (measured). */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.socket.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.socket.uncork();
    });
  }

  /** However large: room is kept for answers, and only so many are under way. */
  private sendAnswer(frame: Uint8Array, onSent: () => void): void {
    const { socket } = this;
    if (socket.destroyed || !socket.writable) {
      onSent();
      return;
    }
    this.untaken += frame.length;
    this.takenBy += (1000 * frame.length) / this.options.limits.takenPerSecond;
    socket.write(frame, () => {
      this.untaken -= frame.length;
      if (this.untaken === 0) this.takenBy = Number.POSITIVE_INFINITY;
      onSent();
    });
  }

  /** Until the last byte is sent the answer is in memory: then `onSent` is called. */
  private async answer(body: string, client: RpcClient, onSent: () => void): Promise<void> {
    try {
      const answer = await this.options.rpc.answer(body, client);
      if (answer === undefined) onSent();
      else {
        this.gather();
        this.sendAnswer(textFrame(answer), onSent);
      }
    } catch (error) {
      onSent();
      this.options.onBug("WebSocket", error);
      this.socket.destroy();
    }
  }
}

const BUSY = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: {
    code: REFUSED,
    message: "the node has as many requests under way as it takes: try again later",
    data: { code: "RPC_BUSY" },
  },
});

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
