/**
 * Plain requests straight from the socket. Node.js' HTTP server makes two streams and a dozen events of each request, which
 * take more time than everything else (measured on a busy machine: about 107 us of processor time per eth_getBalance, and
 * 34 to 55 without them). A
 * connection stays here as long as all it sends is plain; at the first request that is not, it is handed to that server,
 * whole and for good.
 */

import type { Socket } from "node:net";
import type { Ticket } from "./admission.ts";
import type { Connection } from "./connections.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { type PlainHead, plainHead } from "./http-head.ts";
import { BUSY, JSON_BODY, JSON_TYPE } from "./http-posts.ts";
import type { RpcClient } from "./request-budget.ts";
import { INTERNAL_ERROR } from "./rpc-error.ts";
import type { TransportParts } from "./transport-parts.ts";

/** Longer heads are left to Node.js, which has a bound of its own. */
const MAX_HEAD_BYTES = 4_096;
/** Larger bodies are counted before they come, which is not done here. */
const MAX_FAST_BODY_BYTES = 65_536;
/** Requests of one connection that are worked on; while there are so many, no more are read. */
const MAX_REQUESTS = 64;
/** A body of so many characters is not copied once more to stand behind its head: such memory is new each time. */
const LONG_BODY = 32_768;
const LOOK_INTERVAL = 1_000;
const HEAD_END = Buffer.from("\r\n\r\n");

export class FastPosts {
  readonly options: TransportParts;
  /** The server is stopping: connections are closed after their answers. */
  isClosing = false;
  private readonly open = new Set<FastConnection>();
  private readonly timer: NodeJS.Timeout;

  constructor(options: TransportParts) {
    this.options = options;
    this.timer = setInterval(() => this.look(), LOOK_INTERVAL);
    this.timer.unref();
  }

  /** `handOver` gives the socket to Node.js' server. */
  accept(socket: Socket, handOver: () => void): void {
    const connection = this.options.connections.of(socket);
    if (connection === undefined) return;
    const fast = new FastConnection(this, socket, connection, () => {
      this.open.delete(fast);
      handOver();
    });
    this.open.add(fast);
    socket.once("close", () => this.open.delete(fast));
  }

  /** Connections on which nothing is under way, or half a request, are closed at once, the others after their answers. */
  close(): void {
    this.isClosing = true;
    clearInterval(this.timer);
    for (const fast of this.open) fast.endIfIdle();
  }

  private look(): void {
    const now = performance.now();
    for (const fast of this.open) fast.dropIfLate(now);
  }
}

/** What goes back. */
interface Answer {
  readonly head: string;
  readonly body: string;
  /** A byte for each character, as nearly all have: such a text is sent by a copy, and others are encoded first. */
  readonly isLatin: boolean;
}

/** An answer that is there, or that those behind it wait for. */
interface Slot {
  answer: Answer | undefined;
  readonly isLast: boolean;
  readonly ticket: Ticket | undefined;
}

class FastConnection {
  private readonly posts: FastPosts;
  private readonly socket: Socket;
  private readonly connection: Connection;
  private readonly handOver: () => void;
  /** What has come and is not a whole request yet. */
  private readonly pending = new GrowingBytes();
  private pendingSince = 0;
  /** Bytes that must be there before it is worth looking again. */
  private needed = 0;
  private readonly slots: Slot[] = [];
  private lastHead: { readonly bytes: Buffer; readonly head: PlainHead } | undefined;
  /** Nothing more is read: the client or the server wants to end it. */
  private isEnding = false;
  private isLeaving = false;
  /** When the client has to have taken what is being sent. */
  private takenBy = Number.POSITIVE_INFINITY;
  private readonly onData = (chunk: Buffer): void => this.receive(chunk);
  private readonly onError = (): void => void this.socket.destroy();
  private readonly onTimeout = (): void => void this.socket.destroy();
  /** Whoever hangs up wants no answer: as Node.js' server has it. */
  private readonly onEnd = (): void => {
    this.isEnding = true;
    this.socket.end();
  };
  private readonly onDrain = (): void => {
    this.takenBy = Number.POSITIVE_INFINITY;
    this.work();
  };

  constructor(posts: FastPosts, socket: Socket, connection: Connection, handOver: () => void) {
    this.posts = posts;
    this.socket = socket;
    this.connection = connection;
    this.handOver = handOver;
    socket.setNoDelay(true);
    socket.setTimeout(posts.options.limits.idleMilliseconds);
    socket.on("data", this.onData).on("error", this.onError).on("timeout", this.onTimeout);
    socket.on("end", this.onEnd).on("drain", this.onDrain);
    // Answers that wait behind one that is worked on go nowhere any more.
    socket.once("close", () => {
      for (const { answer, ticket } of this.slots) if (answer !== undefined) ticket?.end();
    });
  }

  /** A client that sends or takes a byte now and then would hold its place for ever. */
  dropIfLate(now: number): void {
    const begun = now - this.posts.options.limits.requestMilliseconds;
    const isUnsent = this.pending.length > 0 && this.slots.length === 0 && this.pendingSince < begun;
    if (isUnsent || now > this.takenBy) this.socket.destroy();
  }

  endIfIdle(): void {
    if (this.slots.length === 0) this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    if (this.isEnding) return;
    if (this.pending.length === 0) this.pendingSince = performance.now();
    this.pending.add(chunk);
    this.work();
  }

  /** Begins all whole requests that there are, as far as there is room for their answers. */
  private work(): void {
    while (this.pending.length >= Math.max(1, this.needed) && !this.isEnding && !this.isLeaving) {
      if (this.slots.length >= MAX_REQUESTS || this.socket.writableNeedDrain) break;
      if (!this.takeRequest()) break;
    }
    if (this.isLeaving) this.leave();
    else this.setReading(this.slots.length < MAX_REQUESTS && !this.socket.writableNeedDrain);
  }

  private setReading(wanted: boolean): void {
    if (this.socket.isPaused() !== wanted) return;
    if (wanted) this.socket.resume();
    else this.socket.pause();
  }

  /** False: the rest of the request has yet to come, or the connection has to leave. */
  private takeRequest(): boolean {
    const { bytes } = this.pending;
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.isLeaving = bytes.length > MAX_HEAD_BYTES || !mayBecomePlain(bytes);
      this.needed = bytes.length + 1;
      return false;
    }
    const head = end > MAX_HEAD_BYTES ? undefined : this.headOf(bytes.subarray(0, end + 2));
    if (head === undefined || !this.isTaken(head)) {
      this.isLeaving = true;
      return false;
    }
    const start = end + HEAD_END.length;
    this.needed = start + head.contentLength;
    if (bytes.length < this.needed) return false;
    const body = bytes.toString("utf8", start, this.needed);
    this.pending.drop(this.needed);
    this.needed = 0;
    this.pendingSince = performance.now();
    this.begin(head, body);
    return true;
  }

  /** A client sends the same head again and again. */
  private headOf(bytes: Buffer): PlainHead | undefined {
    if (this.lastHead?.bytes.equals(bytes) === true) return this.lastHead.head;
    const head = plainHead(bytes.toString("latin1"));
    if (head !== undefined) this.lastHead = { bytes: Buffer.from(bytes), head };
    return head;
  }

  /** Whatever is to be refused is refused in one place, which is not here. */
  private isTaken({ contentLength, contentType = "", host, origin }: PlainHead): boolean {
    const { access, limits } = this.posts.options;
    const isPlainOrigin = origin === undefined || access.allowedOrigin(origin) === "*";
    const isAllowed =
      contentLength <= Math.min(MAX_FAST_BODY_BYTES, limits.bodyBytes) &&
      JSON_BODY.test(contentType) &&
      access.isHostAllowed(host);
    return isAllowed && isPlainOrigin && host !== undefined;
  }

  private begin({ contentLength, isLast }: PlainHead, body: string): void {
    const { admission, addresses, onBug } = this.posts.options;
    if (isLast) this.isEnding = true;
    const ticket = admission.admit(contentLength, this.connection.address);
    const slot: Slot = { answer: ticket === undefined ? this.busy(isLast) : undefined, isLast, ticket };
    this.slots.push(slot);
    if (ticket === undefined) {
      this.flush();
      return;
    }
    const { address, number } = this.connection;
    const client: RpcClient = {
      address,
      connection: number,
      isGone: () => !this.socket.writable,
      hold: (bytes) => ticket.hold(bytes),
      charge: (requests) => addresses.charge(address, requests),
    };
    this.posts.options.rpc.answer(body, client).then(
      (answer) => this.settle(slot, this.response(answer === undefined ? 204 : 200, answer, isLast)),
      (error) => {
        onBug("POST /", error);
        const failure = { jsonrpc: "2.0", id: null, error: { code: INTERNAL_ERROR, message: "internal error" } };
        this.settle(slot, this.response(500, JSON.stringify(failure), isLast));
      },
    );
  }

  private settle(slot: Slot, answer: Answer): void {
    slot.answer = answer;
    if (this.socket.writable) this.flush();
    else slot.ticket?.end();
  }

  /** Sends what is next in order: in one piece up to a long body, which ends one. */
  private flush(): void {
    let [text, long] = ["", ""];
    let [isLast, isLatin] = [false, true];
    const sent: Slot[] = [];
    for (
      let answer = this.slots[0]?.answer;
      answer !== undefined && !isLast && long === "";
      answer = this.slots[0]?.answer
    ) {
      const slot = this.slots.shift() as Slot;
      const { head, body } = answer;
      text += head;
      if (body.length < LONG_BODY) text += body;
      else long = body;
      isLast = slot.isLast;
      isLatin &&= answer.isLatin;
      sent.push(slot);
    }
    if (sent.length === 0) return;
    const encoding = isLatin ? "latin1" : "utf8";
    const onSent = (): void => {
      for (const { ticket } of sent) ticket?.end();
    };
    this.socket.cork();
    if (long !== "") this.socket.write(text, encoding);
    const isFlushed = this.socket.write(long === "" ? text : long, encoding, onSent);
    this.socket.uncork();
    if (!isFlushed) this.expectTaken(text.length + long.length);
    const isOver = isLast || (this.isEnding && this.slots.length === 0);
    if (isOver || (this.posts.isClosing && this.slots.length === 0)) this.socket.end();
    else if (this.slots[0]?.answer !== undefined) this.flush();
    else if (isFlushed) this.work();
  }

  private expectTaken(bytes: number): void {
    const { requestMilliseconds, takenPerSecond } = this.posts.options.limits;
    const begun = Number.isFinite(this.takenBy) ? this.takenBy : performance.now() + requestMilliseconds;
    this.takenBy = begun + (1000 * bytes) / takenPerSecond;
  }

  private busy(isLast: boolean): Answer {
    return this.response(503, JSON.stringify({ jsonrpc: "2.0", id: null, error: BUSY }), isLast);
  }

  private response(status: number, body: string | undefined, isLast: boolean): Answer {
    const cors = this.posts.options.access.allowedOrigin(undefined) === undefined ? "" : CORS_LINE;
    const isOver = isLast || (this.posts.isClosing && this.slots.length === 1);
    const ending = isOver ? "connection: close\r\n" : "";
    const retry = status === 503 ? "retry-after: 1\r\n" : "";
    if (body === undefined)
      return { head: `HTTP/1.1 ${STATUS[status]}\r\n${cors}${ending}\r\n`, body: "", isLatin: true };
    const length = Buffer.byteLength(body);
    const head = `HTTP/1.1 ${STATUS[status]}\r\ncontent-type: ${JSON_TYPE}\r\n${cors}${retry}${ending}content-length: ${length}\r\n\r\n`;
    return { head, body, isLatin: length === body.length };
  }

  /** To Node.js' server, once all answers before are sent. */
  private leave(): void {
    const { socket } = this;
    socket.pause();
    if (this.slots.length > 0) return;
    socket.off("data", this.onData).off("error", this.onError).off("timeout", this.onTimeout);
    socket.off("end", this.onEnd).off("drain", this.onDrain);
    const { bytes } = this.pending;
    this.pending.clear();
    this.handOver();
    if (bytes.length > 0) socket.unshift(bytes);
    socket.resume();
  }
}

const CORS_LINE = "access-control-allow-origin: *\r\n";
const STATUS: Readonly<Record<number, string>> = {
  200: "200 OK",
  204: "204 No Content",
  500: "500 Internal Server Error",
  503: "503 Service Unavailable",
};
const BEGINNING = "POST / HTTP/1.1\r\n";

function mayBecomePlain(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGINNING.length);
  return bytes.toString("latin1", 0, length) === BEGINNING.slice(0, length);
}
