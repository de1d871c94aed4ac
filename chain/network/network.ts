/**
 * The peers of a node. Everything that comes from them is bounded, decoded and within its rate when the handlers see
 * it; whatever else they do costs them score, and in the end the connection.
 */
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { CodedError } from "../../base/errors.ts";
import { announcedBlockOf } from "../blocks/consensus-block.ts";
import type { FinalSegment } from "../consensus/types.ts";
import { finalCodec } from "../wire/gossip.ts";
import { addressed, type ChannelName, channelsOf, type Hello, type NodeMessage } from "../wire/node-message.ts";
import { parsePeerAddress, readPeerAddress } from "./address.ts";
import { Dialer } from "./dialer.ts";
import { type NetworkError, networkError } from "./errors.ts";
import { connectionGater, type GateHost, scoredIp } from "./gate.ts";
import { Gossip, type GossipVerdict, hasGossipStreams } from "./gossip.ts";
import { topicsOf } from "./gossip-options.ts";
import { agentOf, makeHello, mismatch } from "./hello.ts";
import { createHost, type Host } from "./host.ts";
import { DEFAULT_MAX_PEERS, GOSSIP_GRACE, IP_PATIENCE, TIMING, type Timing } from "./limits.ts";
import { type NetworkLog, SILENT_LOG } from "./log.ts";
import type { NetworkHandlers, NetworkOptions, PeerStatus } from "./options.ts";
import { PeerExchange, usableAddresses } from "./peer-exchange.ts";
import { encodeFrame, PeerSession, PROTOCOLS, type SessionHost } from "./peer-session.ts";
import { freePlaces, isFull } from "./places.ts";
import { type Offence, PeerScores } from "./score.ts";

/** Time that no adjustment of the clock moves. */
function now(): number {
  return performance.now();
}

export class Network {
  readonly #options: NetworkOptions;
  readonly #handlers: NetworkHandlers;
  readonly #libp2p: Host;
  readonly #gossip: Gossip;
  readonly #dialer: Dialer;
  readonly #log: NetworkLog;
  readonly #timing: Timing;
  readonly #scores: PeerScores;
  readonly #sessions = new Map<string, PeerSession>();
  readonly #sessionHost: SessionHost;
  readonly #exchange: PeerExchange;
  #timer: NodeJS.Timeout | undefined;
  #statusAt = 0;
  #isRunning = false;

  private constructor(libp2p: Host, scores: PeerScores, options: NetworkOptions, handlers: NetworkHandlers) {
    this.#options = options;
    this.#handlers = handlers;
    this.#libp2p = libp2p;
    this.#scores = scores;
    this.#log = options.log ?? SILENT_LOG;
    this.#timing = { ...TIMING, ...options.timing };
    this.#dialer = this.#makeDialer();
    this.#sessionHost = this.#makeSessionHost();
    this.#exchange = this.#makeExchange();
    this.#gossip = this.#makeGossip();
  }

  /** Not started. Throws NETWORK_BAD_ADDRESS or NETWORK_BAD_KEY. */
  static async create(options: NetworkOptions, handlers: NetworkHandlers): Promise<Network> {
    const persistent = (options.persistent ?? []).map(parsePeerAddress);
    const bootstrap = (options.bootstrap ?? []).map(parsePeerAddress);
    const topics = topicsOf(options.genesis);
    const scores = new PeerScores();
    // libp2p asks the gate only once it runs.
    let network: Network | undefined;
    const gate: GateHost = {
      connections: (peer) => (network === undefined ? [] : network.#libp2p.getConnections(peer)),
      isBanned: (peer) => scores.isBanned(peer, now()),
      isFullFor: (peer) => (network === undefined ? false : network.#isFullFor(peer, "inbound")),
    };
    const libp2p = await createHost({
      nodeKey: options.nodeKey,
      listen: options.listen ?? [],
      announce: options.announce ?? [],
      agent: agentOf(options),
      maxPeers: options.maxPeers ?? DEFAULT_MAX_PEERS,
      mdns: options.mdns ?? false,
      topics: [topics.transactions, topics.finals],
      gater: connectionGater(gate),
    });
    network = new Network(libp2p, scores, options, handlers);
    network.#dialer.add(persistent, "persistent");
    network.#dialer.add(bootstrap, "bootstrap");
    return network;
  }

  get peerId(): string {
    return this.#libp2p.peerId.toString();
  }

  /** Where this node can be reached, with its id. */
  addresses(): string[] {
    return this.#libp2p.getMultiaddrs().map((address) => address.toString());
  }

  /** Those that have said hello. */
  peers(): readonly PeerStatus[] {
    return this.#ready().map((session) => this.#statusOf(session));
  }

  /** Throws NETWORK_CANNOT_LISTEN. */
  async start(): Promise<void> {
    const libp2p = this.#libp2p;
    libp2p.addEventListener("connection:open", ({ detail }) => this.#onConnection(detail));
    libp2p.addEventListener("connection:close", ({ detail }) => this.#onConnectionEnd(detail));
    libp2p.addEventListener("peer:discovery", ({ detail }) => {
      this.#learn(detail.multiaddrs.map((address) => `${address.toString()}/p2p/${detail.id.toString()}`));
    });
    this.#isRunning = true;
    try {
      for (const channel of ["consensus", "data"] as const) await this.#handle(channel);
      await libp2p.start();
    } catch (error) {
      this.#isRunning = false;
      await this.#stopLibp2p();
      const listen = this.#options.listen ?? [];
      const text = error instanceof Error ? error.message : String(error);
      // libp2p gives advice to programmers first, then the stack of each cause.
      const reason = /\bE[A-Z]{4,}\b.*/.exec(text)?.[0] ?? text.split("\n")[0];
      throw networkError("NETWORK_CANNOT_LISTEN", `cannot listen on ${listen.join(", ")}: ${reason}`, {
        listen,
        hint: "Another program may use that port, or this machine lacks that address: choose others with --p2p-port or --listen.",
      });
    }
    this.#gossip.start(this.#options.role === "follower");
    this.#log.info({ peer: this.peerId, addresses: this.addresses() }, "network started");
    this.#upkeep();
  }

  /** Afterwards nothing keeps the process alive. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#dialer.stop();
    this.#gossip.stop();
    const reason = networkError("NETWORK_CLOSED", "this node stops");
    for (const session of [...this.#sessions.values()]) session.close(reason);
    for (const connection of this.#libp2p.getConnections()) connection.abort(reason);
    await this.#stopLibp2p();
  }

  /** False when the peer is not connected or too much waits for it, so that the message is lost. */
  send(to: string, message: NodeMessage): boolean {
    const session = this.#sessions.get(to);
    if (session?.isReady !== true) return false;
    const form = addressed(message);
    const frame = encodeFrame(this.#sessionHost.channels, form);
    if (frame.length > this.#sessionHost.channels[form.channel].maxBytes) return false;
    return session.send(form.channel, frame, message.type === "vote");
  }

  /** To everybody at once: encoded once. To how many it goes. */
  broadcast(message: NodeMessage, to: "validators" | "all"): number {
    const form = addressed(message);
    const frame = encodeFrame(this.#sessionHost.channels, form);
    if (frame.length > this.#sessionHost.channels[form.channel].maxBytes) return 0;
    let count = 0;
    for (const session of this.#ready()) {
      if (to === "validators" && session.hello?.role !== "validator") continue;
      if (session.send(form.channel, frame, message.type === "vote")) count++;
    }
    return count;
  }

  publishTransactions(raws: readonly Uint8Array[]): void {
    if (this.#isRunning) this.#gossip.publishTransactions(raws);
  }

  publishFinalBlock(segment: FinalSegment): void {
    if (this.#isRunning) this.#gossip.publishFinalBlock(segment);
  }

  /** Tells all peers at once how far we are; otherwise they hear it every few seconds. */
  announceStatus(): void {
    this.#statusAt = now();
    const status = this.#handlers.status();
    const frame = encodeFrame(this.#sessionHost.channels, {
      channel: "consensus",
      message: { type: "status", status },
    });
    for (const session of this.#ready()) session.send("consensus", frame, true);
  }

  /** For what only the parts above can tell: a wrong signature, an answer that does not fit. */
  penalise(peer: string, offence: Offence): void {
    this.#offend(peer, offence, networkError("NETWORK_BANNED", `the peer's conduct: ${offence}`));
  }

  #makeDialer(): Dialer {
    return new Dialer({
      libp2p: this.#libp2p,
      log: this.#log,
      timing: this.#timing,
      now,
      isExcluded: (peer) =>
        this.#sessions.has(peer) || peer === this.peerId || this.#scores.isBanned(peer, now()) || !this.#isRunning,
      onDue: () => this.#schedule(),
    });
  }

  #makeSessionHost(): SessionHost {
    return {
      channels: channelsOf(this.#options.blockOf ?? announcedBlockOf),
      timing: this.#timing,
      partial: { bytes: 0 },
      now,
      hello: () => makeHello(this.#options, this.#handlers.status().height, this.addresses()),
      refusal: (session, hello) => this.#refusal(session, hello),
      onReady: (session) => this.#onReady(session),
      onMessage: (session, message) => this.#deliver(session, message),
      onExchange: (session, message) => this.#exchange.onMessage(session, message),
      onOffence: (session, offence, error) => this.#offend(session.peer, offence, error),
      onClosed: (session, reason) => this.#onClosed(session, reason),
    };
  }

  #makeExchange(): PeerExchange {
    return new PeerExchange({
      interval: this.#timing.exchangeInterval,
      ready: () => this.#ready(),
      send: (session, message) => {
        session.send("data", encodeFrame(this.#sessionHost.channels, { channel: "data", message }), false);
      },
      learn: (addresses) => this.#learn(addresses),
      onUnasked: ({ peer }) =>
        this.#offend(peer, "useless", networkError("NETWORK_BANNED", "addresses that nobody asked for")),
    });
  }

  #makeGossip(): Gossip {
    return new Gossip(this.#libp2p.services.gossip, {
      topics: topicsOf(this.#options.genesis),
      finals: finalCodec(this.#options.blockOf ?? announcedBlockOf),
      log: this.#log,
      now,
      hasGossipStreams: (peer) => this.#hasGossipStreams(peer),
      admits: (peer, kind, bytes) => this.#admits(peer, kind, bytes),
      onTransactions: (peer, raws): Promise<GossipVerdict> => this.#handlers.onTransactions(peer, raws),
      onFinalBlock: (peer, segment): Promise<GossipVerdict> => this.#handlers.onFinalBlock(peer, segment),
      onOffence: (peer, offence, error) => this.#offend(peer, offence, error),
    });
  }

  #ready(): PeerSession[] {
    return [...this.#sessions.values()].filter(({ isReady }) => isReady);
  }

  async #handle(channel: ChannelName): Promise<void> {
    const accept = (stream: Stream, connection: Connection) => {
      const session = this.#sessionOn(connection);
      if (session === undefined) stream.abort(networkError("NETWORK_CLOSED", "this node stops"));
      else session.accept(channel, stream, connection);
    };
    await this.#libp2p.handle(PROTOCOLS[channel], accept, { maxInboundStreams: 1, maxOutboundStreams: 1 });
  }

  #onConnection(connection: Connection): void {
    this.#sessionOn(connection);
  }

  /** The peer's session; the first connection begins it. */
  #sessionOn(connection: Connection): PeerSession | undefined {
    const peer = connection.remotePeer.toString();
    const known = this.#sessions.get(peer);
    if (known !== undefined) return known;
    if (!this.#isRunning || connection.status !== "open") {
      connection.abort(networkError("NETWORK_CLOSED", "this node stops"));
      return undefined;
    }
    const session = new PeerSession(connection, this.#sessionHost);
    this.#sessions.set(peer, session);
    session.start();
    return session;
  }

  /** Whichever connection ends: gossip may have had its stream on it, so all begins anew. */
  #onConnectionEnd(connection: Connection): void {
    const session = this.#sessions.get(connection.remotePeer.toString());
    session?.close(networkError("NETWORK_CLOSED", "the connection ended"));
  }

  #refusal({ peer, connection }: PeerSession, hello: Hello): NetworkError | undefined {
    const wrong = mismatch(peer, hello, this.#options);
    if (wrong !== undefined || !this.#isFullFor(peer, connection.direction)) return wrong;
    return networkError("NETWORK_FULL", "no place for another peer", { peer });
  }

  #isFullFor(peer: string, direction: "inbound" | "outbound"): boolean {
    const others = this.#ready().filter((session) => session.peer !== peer);
    return !this.#dialer.isPersistent(peer) && isFull(others, direction, this.#options);
  }

  #onReady(session: PeerSession): void {
    this.#log.info({ peer: session.peer, role: session.hello?.role, height: session.height }, "peer connected");
    this.#learn(session.hello?.addresses.filter((address) => readPeerAddress(address)?.peer === session.peer) ?? []);
    this.#guard("onPeer", () => this.#handlers.onPeer(this.#statusOf(session), true));
    this.#schedule();
  }

  #onClosed(session: PeerSession, reason: Error): void {
    const { peer, connection, refusal, readyAt } = session;
    const last = readyAt === undefined ? undefined : this.#statusOf(session);
    this.#sessions.delete(peer);
    this.#exchange.onClosed(peer);
    this.#log.info({ peer, reason: reason.message, code: codeOf(reason) }, "peer disconnected");
    for (const open of this.#libp2p.getConnections(connection.remotePeer)) {
      if (refusal === undefined) open.abort(reason);
      else void closeGently(open, reason);
    }
    if (!this.#isRunning) return;
    if (refusal !== undefined) {
      this.#dialer.forget(peer);
      this.#guard("onRefused", () => this.#handlers.onRefused?.(peer, refusal));
    }
    this.#dialer.ended(peer, readyAt === undefined ? 0 : now() - readyAt);
    if (!this.#dialer.isKnown(peer)) this.#forget(connection.remotePeer);
    if (last !== undefined) this.#guard("onPeer", () => this.#handlers.onPeer(last, false));
    this.#schedule();
  }

  /** What libp2p remembers of peers is otherwise bounded by time alone. */
  #forget(peer: PeerId): void {
    this.#libp2p.peerStore.delete(peer).catch((error: unknown) => {
      this.#log.debug({ error: String(error) }, "cannot forget a peer");
    });
  }

  #deliver(session: PeerSession, message: NodeMessage): void {
    try {
      this.#handlers.onMessage(session.peer, message);
    } catch (error) {
      if (error instanceof CodedError) this.#offend(session.peer, "invalid", error);
      else this.#log.error({ error, type: message.type }, "the handler of a message failed");
    }
  }

  #guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#log.error({ error, what }, "a handler failed");
    }
  }

  #offend(peer: string, offence: Offence, error: Error): void {
    const session = this.#sessions.get(peer);
    this.#log.debug({ peer, offence, error: error.message }, "a peer offends");
    const ip = session === undefined ? undefined : scoredIp(session.connection.remoteAddr.toString());
    if (ip !== undefined) this.#scores.offend(ip, offence, now(), 1 / IP_PATIENCE);
    if (this.#scores.offend(peer, offence, now()) === "tolerate") return;
    this.#log.warn({ peer, offence, error: error.message }, "a peer is banned");
    this.#dialer.forget(peer);
    session?.close(networkError("NETWORK_BANNED", `banned: ${error.message}`, { peer, offence }));
  }

  /**
   * Also before the hello: gossipsub hands a message over once, so who is not heard when it comes first could hide what
   * others send.
   */
  #admits(peer: string, kind: "transactions" | "final", bytes: number): boolean {
    const session = this.#sessions.get(peer);
    if (session === undefined || !this.#isRunning) return false;
    if (session.rates.allows(kind, bytes, now())) return true;
    this.#offend(peer, "flood", networkError("NETWORK_BANNED", `more gossip of kind ${kind} than allowed`));
    return false;
  }

  #learn(addresses: readonly string[]): void {
    const usable = usableAddresses(addresses, { peer: this.peerId, addresses: this.addresses() });
    this.#dialer.add(
      usable.filter(({ peer }) => !this.#scores.isBanned(peer, now())),
      "learned",
    );
    this.#schedule();
  }

  #statusOf(session: PeerSession): PeerStatus {
    const { peer, connection, height, hello, queued } = session;
    return {
      peer,
      address: connection.remoteAddr.toString(),
      direction: connection.direction,
      role: hello?.role ?? "follower",
      height,
      agent: hello?.agent ?? "",
      isPersistent: this.#dialer.isPersistent(peer),
      queued,
      score: this.#scores.scoreOf(peer, now()),
    };
  }

  /** Looks after the peers now, and again when the next thing is due. */
  #upkeep(): void {
    if (!this.#isRunning) return;
    const time = now();
    for (const session of [...this.#sessions.values()]) {
      session.upkeep(time);
      if (!session.isClosed) this.#checkGossip(session, time);
    }
    if (time - this.#statusAt >= this.#timing.statusInterval) this.announceStatus();
    const places = freePlaces([...this.#sessions.values()], this.#options);
    this.#dialer.dialDue(places);
    this.#gossip.retry();
    if (places > 0) this.#exchange.ask(time, Math.random());
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#isRunning) return;
    clearTimeout(this.#timer);
    const wait = Math.min(this.#timing.upkeepInterval, this.#dialer.wait() ?? Number.POSITIVE_INFINITY);
    this.#timer = setTimeout(() => this.#upkeep(), wait);
  }

  /** gossipsub does not open a stream again that was lost while the connection stayed. */
  #checkGossip(session: PeerSession, time: number): void {
    const { readyAt, connection, peer } = session;
    if (readyAt === undefined || time - readyAt < GOSSIP_GRACE || this.#hasGossipStreams(connection.remotePeer)) return;
    session.close(networkError("NETWORK_CLOSED", "the gossip streams are lost", { peer }));
  }

  #hasGossipStreams(peer: PeerId): boolean {
    return hasGossipStreams(this.#libp2p.getConnections(peer), this.#libp2p.services.gossip.protocols);
  }

  async #stopLibp2p(): Promise<void> {
    try {
      await this.#libp2p.stop();
    } catch (error) {
      this.#log.warn({ error: String(error) }, "libp2p did not stop cleanly");
    }
  }
}

function codeOf(error: Error): string | undefined {
  return error instanceof CodedError ? error.code : undefined;
}

/** So that what was written still arrives. */
async function closeGently(connection: Connection, reason: Error): Promise<void> {
  try {
    await connection.close({ signal: AbortSignal.timeout(1_000) });
  } catch {
    connection.abort(reason);
  }
}
