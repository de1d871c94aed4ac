/**
 * The peers of a node. Everything that comes from them is bounded, decoded and within its rate when the handlers see
 * it; whatever else they do costs them score, and in the end the connection.
 */
import type { Connection, Stream } from "@libp2p/interface";
import { bls } from "../../base/bls.ts";
import type { Hex } from "../../base/bytes.ts";
import { CodedError, systemCodeOf } from "../../base/errors.ts";
import type { Progress } from "../../base/progress.ts";
import { announcedBlockOf } from "../blocks/consensus-block.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import type { FinalSegment } from "../consensus/types.ts";
import type { ClaimedTransaction } from "../senders/claim.ts";
import { finalCodec } from "../wire/gossip.ts";
import { addressed, type ChannelName, channelsOf, type NodeMessage, type RoleProof } from "../wire/node-message.ts";
import { parsePeerAddress, readPeerAddress } from "./address.ts";
import { Admission } from "./admission.ts";
import { closeGently, forgetPeer, stopHost } from "./closing.ts";
import { Conduct } from "./conduct.ts";
import { Dialer } from "./dialer.ts";
import { drawSome } from "./draw.ts";
import { cannotListen, falseRole, networkError } from "./errors.ts";
import { connectionGater, type GateHost } from "./gate.ts";
import { Gossip } from "./gossip.ts";
import { topicsOf } from "./gossip-options.ts";
import { GossipStreams } from "./gossip-streams.ts";
import { agentOf, makeHello } from "./hello.ts";
import { createHost, type Host } from "./host.ts";
import { GOSSIP_GRACE, TIMING, type Timing } from "./limits.ts";
import { type NetworkLog, SILENT_LOG } from "./log.ts";
import type { NetworkHandlers, NetworkOptions, PeerStatus } from "./options.ts";
import { OutgoingBound } from "./outgoing-bound.ts";
import { OutgoingBytes } from "./outgoing-bytes.ts";
import { PartialBound } from "./partial-bound.ts";
import { PeerExchange, usableAddresses } from "./peer-exchange.ts";
import { PeerMemory } from "./peer-memory.ts";
import { CHANNELS, encodeFrame, PeerSession, PROTOCOLS, type SessionHost } from "./peer-session.ts";
import { statusOf } from "./peer-status.ts";
import { freePlaces, placeLimits } from "./places.ts";
import { proveRole, RoleProofs } from "./role-proofs.ts";
import { type Offence, PeerScores } from "./score.ts";

/** Time that no adjustment of the clock moves. */
const now = (): number => performance.now();

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
  readonly #bound: OutgoingBound;
  readonly #outgoing = new OutgoingBytes();
  readonly #roles: RoleProofs;
  readonly #proof: RoleProof | undefined;
  readonly #streams: GossipStreams;
  readonly #conduct: Conduct;
  readonly #admission: Admission;
  readonly #memory: PeerMemory;
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
    const { validator } = options;
    this.#proof = validator && proveRole(validator, options, this.peerId);
    this.#roles = this.#makeRoles();
    this.#dialer = this.#makeDialer();
    this.#streams = new GossipStreams(libp2p);
    this.#conduct = new Conduct({
      ...{ scores, dialer: this.#dialer, roles: this.#roles, log: this.#log, now },
      session: (peer) => this.#sessions.get(peer),
    });
    const sessions = () => [...this.#sessions.values()];
    this.#admission = new Admission({ ...{ options, dialer: this.#dialer, roles: this.#roles }, sessions });
    this.#memory = new PeerMemory({
      ...{ file: options.peersFile, dialer: this.#dialer, log: this.#log, now },
      ready: () => this.#ready(),
    });
    this.#bound = new OutgoingBound({
      ...{ outgoing: this.#outgoing, maxBytes: options.maxOutgoingBytes, sessions },
      gossipOf: ({ connection }) => this.#streams.waiting(connection.remotePeer),
    });
    const isTrusted = (peer: string) => this.#conduct.isTrusted(peer);
    const partial = new PartialBound({ maxBytes: options.maxPartialBytes, sessions, isTrusted });
    this.#sessionHost = this.#makeSessionHost(partial);
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
      isFullFor: (peer, address) => (network === undefined ? false : network.#admission.cannotGreet(peer, address)),
    };
    const libp2p = await createHost({
      nodeKey: options.nodeKey,
      listen: options.listen ?? [],
      announce: options.announce ?? [],
      agent: agentOf(options),
      maxPeers: placeLimits(options).maxPeers,
      mdns: options.mdns ?? false,
      topics: Object.values(topics),
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

  /** Connects to another node, and stays connected. Throws NETWORK_BAD_ADDRESS. */
  addPeer(address: string): void {
    this.#dialer.add([parsePeerAddress(address)], "persistent");
    this.#schedule();
  }

  /** Throws NETWORK_CANNOT_LISTEN. */
  async start(): Promise<void> {
    const libp2p = this.#libp2p;
    libp2p.addEventListener("connection:open", ({ detail }) => this.#sessionOn(detail));
    libp2p.addEventListener("connection:close", ({ detail }) => this.#onConnectionEnd(detail));
    libp2p.addEventListener("peer:discovery", ({ detail }) => {
      this.#learn(detail.multiaddrs.map((address) => `${address.toString()}/p2p/${detail.id.toString()}`));
    });
    this.#isRunning = true;
    try {
      for (const channel of CHANNELS) await this.#handle(channel);
      await libp2p.start();
    } catch (error) {
      this.#isRunning = false;
      await stopHost(this.#libp2p, this.#log);
      throw cannotListen(this.#options.listen ?? [], error);
    }
    this.#gossip.start();
    this.#log.info({ peer: this.peerId, addresses: this.addresses() }, "network started");
    await this.#memory.recall({ peer: this.peerId, addresses: this.addresses() });
    this.#upkeep();
  }

  /** Afterwards nothing keeps the process alive. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#dialer.stop();
    this.#gossip.stop();
    await this.#memory.save();
    const reason = networkError("NETWORK_CLOSED", "this node stops");
    for (const session of [...this.#sessions.values()]) session.close(reason);
    for (const connection of this.#libp2p.getConnections()) connection.abort(reason);
    await stopHost(this.#libp2p, this.#log);
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

  /** To everybody at once, or to so many at most: encoded once. To how many it goes. */
  broadcast(message: NodeMessage, to: "validators" | "all", most: number = Number.POSITIVE_INFINITY): number {
    const form = addressed(message);
    const frame = encodeFrame(this.#sessionHost.channels, form);
    if (frame.length > this.#sessionHost.channels[form.channel].maxBytes) return 0;
    const meant = [...this.#ready()].filter((session) => to === "all" || this.#validatorOf(session) !== undefined);
    const sent = drawSome(meant, most).filter((session) => session.send(form.channel, frame, message.type === "vote"));
    return sent.length;
  }

  publishTransactions(transactions: readonly ClaimedTransaction[]): void {
    if (this.#isRunning) this.#gossip.publishTransactions(transactions);
  }

  publishFinalBlock(segment: FinalSegment): void {
    if (this.#isRunning) this.#gossip.publishFinalBlock(segment);
  }

  publishProgress(progress: Progress, worker: Hex): void {
    if (this.#isRunning) this.#gossip.publishProgress(progress, worker);
  }

  /** Tells all peers at once how far we are; otherwise they hear it every few seconds. */
  announceStatus(): void {
    this.#statusAt = now();
    const status = this.#handlers.status();
    const form = { channel: "consensus", message: { type: "status", status } } as const;
    const frame = encodeFrame(this.#sessionHost.channels, form);
    for (const session of this.#ready()) session.send("consensus", frame, true);
  }

  /** For what only the parts above can tell: a wrong signature, an answer that does not fit. */
  penalise(peer: string, offence: Offence): void {
    this.#conduct.offend(peer, offence, networkError("NETWORK_BANNED", `the peer's conduct: ${offence}`));
  }

  #makeRoles(): RoleProofs {
    const { chainId, genesis, crypto = blsCrypto(bls) } = this.#options;
    return new RoleProofs({
      ...{ chainId, genesis, crypto },
      isValidator: (key) => this.#handlers.isValidator(key),
      onFalse: (peer) => this.#conduct.offend(peer, "invalid", falseRole(peer)),
    });
  }

  /** The key of the validator that the peer is. */
  #validatorOf({ peer, hello }: PeerSession): Hex | undefined {
    return this.#roles.validatorOf(peer, hello);
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

  #makeSessionHost(partial: PartialBound): SessionHost {
    return {
      channels: channelsOf(this.#options.blockOf ?? announcedBlockOf),
      timing: this.#timing,
      partial,
      outgoing: this.#outgoing,
      now,
      hello: () => makeHello(this.#options, this.#proof, this.#handlers.status().height, this.addresses()),
      refusal: (session, hello) => this.#admission.refusal(session, hello),
      onReady: (session) => this.#onReady(session),
      onMessage: (session, message) => this.#deliver(session, message),
      onQueued: () => this.#bound.check(),
      onExchange: (session, message) => this.#exchange.onMessage(session, message),
      onOffence: (session, offence, error) => this.#conduct.offend(session.peer, offence, error),
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
        this.#conduct.offend(peer, "useless", networkError("NETWORK_BANNED", "addresses that nobody asked for")),
    });
  }

  #makeGossip(): Gossip {
    return new Gossip(this.#libp2p.services.gossip, {
      topics: topicsOf(this.#options.genesis),
      finals: finalCodec(this.#options.blockOf ?? announcedBlockOf),
      log: this.#log,
      now,
      hasGossipStreams: (peer) => this.#streams.isOpen(peer),
      admits: (peer, kind, bytes) => this.#isRunning && this.#conduct.admits(peer, kind, bytes),
      handlers: this.#handlers,
      onUseful: (peer) => {
        const session = this.#sessions.get(peer);
        if (session !== undefined) session.useful++;
      },
      onOffence: (peer, offence, error) => this.#conduct.offend(peer, offence, error),
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

  #onReady(session: PeerSession): void {
    this.#log.info({ peer: session.peer, role: this.#roleOf(session), height: session.height }, "peer connected");
    this.#learn(session.hello?.addresses.filter((address) => readPeerAddress(address)?.peer === session.peer) ?? []);
    this.#guard("onPeer", () => this.#handlers.onPeer(this.#statusOf(session), true));
    this.#schedule();
  }

  #onClosed(session: PeerSession, reason: Error): void {
    const { peer, connection, refusal, readyAt } = session;
    const last = readyAt === undefined ? undefined : this.#statusOf(session);
    this.#sessions.delete(peer);
    this.#exchange.onClosed(peer);
    this.#log.info({ peer, reason: reason.message, code: systemCodeOf(reason) }, "peer disconnected");
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
    if (!this.#dialer.isKnown(peer)) forgetPeer(this.#libp2p, connection.remotePeer, this.#log);
    if (last !== undefined) this.#guard("onPeer", () => this.#handlers.onPeer(last, false));
    this.#schedule();
  }

  #deliver(session: PeerSession, message: NodeMessage): void {
    try {
      this.#handlers.onMessage(session.peer, message);
    } catch (error) {
      if (error instanceof CodedError) this.#conduct.offend(session.peer, "invalid", error);
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

  #learn(addresses: readonly string[]): void {
    const usable = usableAddresses(addresses, { peer: this.peerId, addresses: this.addresses() });
    this.#dialer.add(
      usable.filter(({ peer }) => !this.#scores.isBanned(peer, now())),
      "learned",
    );
    this.#schedule();
  }

  #roleOf(session: PeerSession): PeerStatus["role"] {
    return this.#validatorOf(session) === undefined ? "follower" : "validator";
  }

  #statusOf(session: PeerSession): PeerStatus {
    return statusOf(session, {
      role: this.#roleOf(session),
      isPersistent: this.#dialer.isPersistent(session.peer),
      score: this.#scores.scoreOf(session.peer, now()),
    });
  }

  /** Looks after the peers now, and again when the next thing is due. */
  #upkeep(): void {
    if (!this.#isRunning) return;
    const time = now();
    for (const session of [...this.#sessions.values()]) {
      session.upkeep(time);
      if (!session.isClosed) this.#checkGossip(session, time);
    }
    this.#bound.look();
    const own = this.#options.validator?.id;
    // Nobody sends votes to a validator that is jailed, or not in the set yet.
    this.#gossip.followFinals(own === undefined || !this.#handlers.isValidator(own));
    if (time - this.#statusAt >= this.#timing.statusInterval) this.announceStatus();
    this.#memory.saveIfDue();
    const places = freePlaces([...this.#sessions.values()], placeLimits(this.#options));
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
    if (readyAt === undefined || time - readyAt < GOSSIP_GRACE || this.#streams.isOpen(connection.remotePeer)) return;
    session.close(networkError("NETWORK_CLOSED", "the gossip streams are lost", { peer }));
  }
}
