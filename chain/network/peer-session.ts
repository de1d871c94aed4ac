/**
 * One peer: the hello, and the channels. Each side opens a stream per channel for what it sends, and reads the
 * other's; so nobody has to agree on who opens, also when both dial at the same time. The session ends when anything
 * of it ends, and all its connections with it: both sides begin anew, never with half of something.
 */
import type { Connection, Stream } from "@libp2p/interface";
import { assert, isCoded } from "../../base/errors.ts";
import {
  type Addressed,
  type ChannelMessage,
  type ChannelName,
  type Channels,
  type DataMessage,
  decodeMessage,
  encodeMessage,
  type Hello,
  kindOf,
  type NodeMessage,
} from "../wire/node-message.ts";
import { type NetworkError, networkError } from "./errors.ts";
import { FrameReader, frameOf } from "./frames.ts";
import { MAX_BLOB_QUEUE, MAX_CONSENSUS_QUEUE, MAX_DATA_QUEUE, type Timing } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import type { OutgoingBytes } from "./outgoing-bytes.ts";
import type { PartialBound } from "./partial-bound.ts";
import { RateLimits } from "./rate-limits.ts";
import type { Offence } from "./score.ts";

export const PROTOCOLS: Readonly<Record<ChannelName, string>> = {
  consensus: "/opengpu/consensus/1",
  data: "/opengpu/data/1",
  blobs: "/opengpu/blobs/1",
};

export const CHANNELS = ["consensus", "data", "blobs"] as const;

/** Opened after both hellos. */
const LATER = ["data", "blobs"] as const;

/** What a session needs of the network around it. */
export interface SessionHost {
  readonly channels: Channels;
  readonly timing: Timing;
  /** Bytes of unfinished messages, of all sessions. */
  readonly partial: Pick<PartialBound, "bytes" | "check">;
  /** What waits to be sent, in all sessions. */
  readonly outgoing: OutgoingBytes;
  now(): number;
  hello(): Hello;
  /** Why this peer cannot stay. */
  refusal(session: PeerSession, hello: Hello): NetworkError | undefined;
  onReady(session: PeerSession): void;
  onMessage(session: PeerSession, message: NodeMessage): void;
  /** More waits than before, in this session. */
  onQueued(session: PeerSession): void;
  onExchange(session: PeerSession, message: Extract<DataMessage, { readonly type: "get-peers" | "peers" }>): void;
  onOffence(session: PeerSession, offence: Offence, error: Error): void;
  onClosed(session: PeerSession, reason: Error): void;
}

export function encodeFrame(channels: Channels, message: Addressed): Uint8Array {
  return frameOf(encodeMessage(channels, message));
}

interface Inbound {
  readonly stream: Stream;
  readonly connection: Connection;
  readonly reader: FrameReader;
  /** Since when the message that has begun is under way. */
  begun: number | undefined;
  /** How much of the shared budget it has. */
  counted: number;
}

export class PeerSession {
  readonly peer: string;
  readonly connection: Connection;
  readonly opened: number;
  readonly rates: RateLimits = new RateLimits();
  /** How much of what it brought by gossip was new and right. */
  useful = 0;
  readonly #host: SessionHost;
  readonly #outboxes: Readonly<Record<ChannelName, Outbox>>;
  readonly #inbound = new Map<ChannelName, Inbound>();
  #hello: Hello | undefined;
  #readyAt: number | undefined;
  #height = 0;
  #isConsensusOpen = false;
  #refusal: NetworkError | undefined;
  #isClosed = false;
  #heardAt: number;

  constructor(connection: Connection, host: SessionHost) {
    this.peer = connection.remotePeer.toString();
    this.connection = connection;
    this.#host = host;
    this.opened = host.now();
    this.#heardAt = this.opened;
    const now = () => host.now();
    this.#outboxes = {
      consensus: new Outbox(MAX_CONSENSUS_QUEUE, now, host.outgoing),
      data: new Outbox(MAX_DATA_QUEUE, now, host.outgoing),
      blobs: new Outbox(MAX_BLOB_QUEUE, now, host.outgoing),
    };
  }

  get isReady(): boolean {
    return this.#readyAt !== undefined && !this.#isClosed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** When its hello came. */
  get readyAt(): number | undefined {
    return this.#readyAt;
  }

  get hello(): Hello | undefined {
    return this.#hello;
  }

  get height(): number {
    return this.#height;
  }

  /** Why the peer was turned away after its hello. */
  get refusal(): NetworkError | undefined {
    return this.#refusal;
  }

  /** Bytes that wait to be sent. */
  get queued(): number {
    return Object.values(this.#outboxes).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes that have come of messages that are not complete. */
  get partial(): number {
    return [...this.#inbound.values()].reduce((sum, { counted }) => sum + counted, 0);
  }

  start(): void {
    this.#push("consensus", { channel: "consensus", message: { type: "hello", hello: this.#host.hello() } });
    void this.#open("consensus");
  }

  /** False when the message does not reach the peer: not ready, or no room. */
  send(channel: ChannelName, frame: Uint8Array, droppable: boolean): boolean {
    if (!this.isReady) return false;
    if (this.#outboxes[channel].push(frame, droppable)) {
      this.#host.onQueued(this);
      return !this.#isClosed;
    }
    // Votes have made room already. A validator without proposals and certificates is better off with a new start.
    if (channel === "consensus") this.close(networkError("NETWORK_NOT_DRAINING", "too much waits for the peer"));
    return false;
  }

  /** A stream that the peer opened. */
  accept(channel: ChannelName, stream: Stream, connection: Connection): void {
    if (this.#isClosed) {
      stream.abort(networkError("NETWORK_CLOSED", "the session has ended"));
      return;
    }
    if (this.#inbound.has(channel)) {
      stream.abort(networkError("NETWORK_REPLACED", "the channel is open already"));
      this.close(networkError("NETWORK_REPLACED", "the peer opened a channel that was open already"));
      return;
    }
    const reader = new FrameReader(this.#host.channels[channel].maxBytes);
    const inbound: Inbound = { stream, connection, reader, begun: undefined, counted: 0 };
    this.#inbound.set(channel, inbound);
    this.#watch(stream);
    // Until a listener is there, the stream keeps a bounded number of bytes.
    if (channel === "consensus" || this.isReady) this.#listen(channel, inbound);
  }

  /** Cuts the peer off if it is silent, stopped within a message, or takes nothing. */
  upkeep(now: number): void {
    const { timing } = this.#host;
    if (!this.isReady && now - this.opened > timing.helloTimeout) {
      this.close(networkError("NETWORK_NO_HELLO", "no hello came in time"));
    } else if (now - this.#heardAt > timing.silence) {
      this.close(networkError("NETWORK_SILENT", "nothing came for too long"));
    }
    for (const { begun } of this.#inbound.values()) {
      if (begun !== undefined && now - begun > timing.frameTimeout) this.#stall("stopped within a message");
    }
    for (const outbox of Object.values(this.#outboxes)) {
      if (outbox.stuckFor(now) > timing.drainTimeout) this.#stall("took nothing of what waits for it");
    }
  }

  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const outbox of Object.values(this.#outboxes)) outbox.close();
    for (const { counted } of this.#inbound.values()) this.#host.partial.bytes -= counted;
    this.#inbound.clear();
    this.#host.onClosed(this, reason);
  }

  /** It does not take what it is sent, or does not end what it began. */
  cutOff(reason: NetworkError): void {
    if (this.#isClosed) return;
    this.#host.onOffence(this, "unresponsive", reason);
    this.close(reason);
  }

  #stall(what: string): void {
    this.cutOff(networkError("NETWORK_SILENT", `the peer ${what}`));
  }

  #push(channel: ChannelName, message: Addressed): void {
    const isQueued = this.#outboxes[channel].push(encodeFrame(this.#host.channels, message), false);
    assert(isQueued, "the hello finds an empty queue");
  }

  async #open(channel: ChannelName): Promise<void> {
    try {
      const signal = AbortSignal.timeout(this.#host.timing.helloTimeout);
      const stream = await this.connection.newStream(PROTOCOLS[channel], { signal });
      if (this.#isClosed) {
        stream.abort(networkError("NETWORK_CLOSED", "the session has ended"));
        return;
      }
      this.#watch(stream);
      this.#outboxes[channel].attach(stream);
      if (channel !== "consensus") return;
      this.#isConsensusOpen = true;
      this.#openData();
      this.#refuse();
    } catch (error) {
      this.close(networkError("NETWORK_CLOSED", `cannot open the ${channel} channel`, { error: String(error) }));
    }
  }

  /** After both hellos: so no data comes to a peer that does not know us yet. */
  #openData(): void {
    if (this.#isConsensusOpen && this.isReady) for (const channel of LATER) void this.#open(channel);
  }

  #watch(stream: Stream): void {
    const ended = () => this.close(networkError("NETWORK_CLOSED", "the peer closed the connection"));
    stream.addEventListener("close", ended);
    stream.addEventListener("remoteCloseWrite", ended);
  }

  #listen(channel: ChannelName, inbound: Inbound): void {
    inbound.stream.addEventListener("message", ({ data }) => {
      if (this.#isClosed) return;
      this.#heardAt = this.#host.now();
      this.#read(channel, inbound, data instanceof Uint8Array ? data : data.subarray());
    });
  }

  #read(channel: ChannelName, inbound: Inbound, chunk: Uint8Array): void {
    const { reader } = inbound;
    try {
      for (const message of reader.push(chunk)) {
        inbound.begun = undefined;
        this.#receive(channel, message);
        if (this.#isClosed) return;
      }
    } catch (error) {
      // Where one message ends and the next begins is lost.
      this.#offend("malformed", error);
      this.close(networkError("NETWORK_CLOSED", "the peer sent no frames", { error: String(error) }));
    }
    if (this.#isClosed) return;
    inbound.begun = reader.buffered === 0 ? undefined : (inbound.begun ?? this.#heardAt);
    this.#host.partial.bytes += reader.buffered - inbound.counted;
    inbound.counted = reader.buffered;
    this.#host.partial.check();
  }

  #receive(channel: ChannelName, encoded: Uint8Array): void {
    const kind = kindOf(channel, encoded);
    if (kind !== undefined && !this.rates.allows(kind, encoded.length, this.#host.now())) {
      this.#offend("flood", networkError("NETWORK_BANNED", `more messages of kind ${kind} than allowed`));
      return;
    }
    try {
      this.#dispatch(decodeMessage(this.#host.channels, channel, encoded));
    } catch (error) {
      if (!isCoded(error, "WIRE_INVALID")) throw error;
      this.#offend("malformed", error);
    }
  }

  #dispatch(message: ChannelMessage): void {
    if (message.type === "hello") {
      this.#greet(message.hello);
      return;
    }
    if (!this.isReady) {
      const reason = networkError("NETWORK_NO_HELLO", "a message came before the hello");
      this.#offend("malformed", reason);
      this.close(reason);
      return;
    }
    switch (message.type) {
      case "status":
        this.#height = message.status.height;
        break;
      case "get-peers":
      case "peers":
        this.#host.onExchange(this, message);
        break;
      case "sync":
        this.#host.onMessage(this, message.message);
        break;
      default:
        this.#host.onMessage(this, message);
    }
  }

  #greet(hello: Hello): void {
    if (this.#hello !== undefined) {
      this.#offend("malformed", networkError("NETWORK_NO_HELLO", "a second hello"));
      return;
    }
    this.#hello = hello;
    this.#refusal = this.#host.refusal(this, hello);
    if (this.#refusal !== undefined) {
      this.#refuse();
      return;
    }
    this.#height = hello.height;
    this.#readyAt = this.#host.now();
    this.#host.onReady(this);
    for (const channel of LATER) {
      const inbound = this.#inbound.get(channel);
      if (inbound !== undefined) this.#listen(channel, inbound);
    }
    this.#openData();
  }

  /** After our own hello is out: so that the other side can tell why, too. */
  #refuse(): void {
    const refusal = this.#refusal;
    if (refusal !== undefined && this.#isConsensusOpen) queueMicrotask(() => this.close(refusal));
  }

  #offend(offence: Offence, error: unknown): void {
    this.#host.onOffence(this, offence, error instanceof Error ? error : new Error(String(error)));
  }
}
