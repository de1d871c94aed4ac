/** One simulated node: a core, its gate, its disk, its application and its clock, and what a crash does to them. */
import type { Prng } from "../../base/prng.ts";
import { checkJob } from "../../chain/consensus/check-job.ts";
import type { Effect, Event, TimerName } from "../../chain/consensus/events.ts";
import { revealMessage, voteMessage } from "../../chain/consensus/messages.ts";
import { restore } from "../../chain/consensus/restore.ts";
import type { ConsensusState, CoreOptions } from "../../chain/consensus/state.ts";
import { step } from "../../chain/consensus/step.ts";
import type { Block, Certificate, Evidence, Message, PeerId, Vote } from "../../chain/consensus/types.ts";
import type { ValidatorId } from "../../chain/consensus/validator-set.ts";
import { VoteGate } from "../../chain/consensus/vote-gate.ts";
import type { Actor, ActorContext } from "./actors/actor.ts";
import { between } from "./chance.ts";
import { CounterApp, decodeBody, type EpochPlan, encodeBody, hashBlock, nextRoot, sealBlock } from "./counter-app.ts";
import type { Disk } from "./disk.ts";
import type { EventQueue } from "./event-queue.ts";

/** What the node does to the world around it. */
export interface NodeHost {
  readonly queue: EventQueue;
  transmit(from: SimNode, to: PeerId | "all", message: Message): void;
  onStep(node: SimNode, event: Event): void;
  onSend(node: SimNode, message: Message): void;
  onCommit(node: SimNode, blocks: readonly Block[], certificate: Certificate): void;
  onEvidence(node: SimNode, evidence: Evidence): void;
  /** A peer sent something with a false signature. */
  onBlame(node: SimNode, peer: PeerId): void;
  onAlarm(node: SimNode, reason: string): void;
  /** Between any two writes: where a crash may strike. */
  onWriteBoundary(node: SimNode): void;
}

export interface NodeSettings {
  readonly index: number;
  readonly options: CoreOptions & { readonly signer: NonNullable<CoreOptions["signer"]> };
  readonly plan: EpochPlan;
  readonly disk: Disk;
  readonly prng: Prng;
  readonly actor: Actor | undefined;
  readonly conspiracy: ActorContext["conspiracy"];
  /** Milliseconds for executing a block. */
  readonly executionTime: number;
  readonly writeTime: number;
}

export class SimNode {
  readonly index: number;
  readonly id: ValidatorId;
  readonly disk: Disk;
  readonly actor: Actor | undefined;
  /** Milliseconds that the node's clock is ahead. */
  skew = 0;
  peers: readonly PeerId[] = [];
  readonly #settings: NodeSettings;
  readonly #host: NodeHost;
  /** Transactions that clients keep sending until they are final: a restarted node hears of them again. */
  readonly #known = new Set<number>();
  readonly #executed = new Set<Block["hash"]>();
  #seenHeight = 0;
  #isFollower = false;
  #running: Running | undefined;

  constructor(settings: NodeSettings, host: NodeHost) {
    this.index = settings.index;
    this.id = settings.options.signer.id;
    this.disk = settings.disk;
    this.actor = settings.actor;
    this.#settings = settings;
    this.#host = host;
  }

  get isHonest(): boolean {
    return this.actor === undefined;
  }

  get state(): ConsensusState | undefined {
    return this.#running?.state;
  }

  /** Transactions that it has not seen final. */
  get unfinishedTransactions(): number {
    return this.#known.size;
  }

  /** Ever, and with the right result: after a restart it signs its old votes again before executing again. */
  hasExecuted(hash: Block["hash"]): boolean {
    return this.#executed.has(hash);
  }

  get waitingVotes(): number {
    return this.#running?.gate.size ?? 0;
  }

  start(): void {
    const { disk, options, plan } = this.#settings;
    const base = disk.base();
    const app = new CounterApp(plan, base.final, base.epoch.root.height);
    const { signer, ...follower } = options;
    const state = restore(this.#isFollower ? follower : { ...follower, signer }, base, disk.log);
    this.#running = { state, app, gate: new VoteGate(), durable: 0, outbox: [], timers: new Map() };
    this.#dropFinal();
    for (const id of this.#known) app.addTransaction(id);
    this.#step({ type: "start" });
    this.#step({ type: "work", waiting: app.hasWork });
  }

  /** A commit may have become durable in the moment of a crash. */
  #dropFinal(): void {
    for (; this.#seenHeight < this.disk.height; this.#seenHeight++) {
      const block = this.disk.block(this.#seenHeight + 1);
      if (block !== undefined) for (const id of decodeBody(block.body).transactions) this.#known.delete(id);
    }
  }

  crash(): void {
    if (this.#running === undefined) return;
    this.#running = undefined;
    this.disk.crash(this.#settings.prng);
  }

  /**
   * The disk is lost, and with it the guard: whatever the key signed may be forgotten, so it signs no more. The node
   * starts again as a follower.
   */
  wipe(): void {
    this.crash();
    this.disk.wipe();
    this.#seenHeight = 0;
    this.#isFollower = true;
  }

  addTransaction(id: number): void {
    this.#known.add(id);
    if (this.#running === undefined) return;
    this.#running.app.addTransaction(id);
    this.#step({ type: "work", waiting: true });
  }

  receive(from: PeerId, message: Message): void {
    const running = this.#running;
    if (running === undefined || !hashesAreRight(message)) return;
    const { crypto, parameters } = this.#settings.options;
    for (const job of running.gate.prepare(running.state, from, message)) {
      const { events, blamed } = checkJob(job, parameters.chainId, crypto);
      for (const event of events) this.#step(event);
      for (const peer of blamed) this.#host.onBlame(this, peer);
    }
  }

  get #localTime(): number {
    return Math.floor(this.#host.queue.now + this.skew);
  }

  #step(event: Event): void {
    const running = this.#running;
    if (running === undefined) return;
    const effects = step(running.state, this.#localTime, event);
    this.#host.onStep(this, event);
    for (const effect of effects) {
      // A crash at a write boundary ends the step where it is.
      if (this.#running !== running) return;
      this.#perform(running, effect);
    }
  }

  /** Later, unless the node has crashed since. */
  #later(running: Running, delay: number, run: () => void): void {
    this.#host.queue.after(delay, () => {
      if (this.#running === running) run();
    });
  }

  #perform(running: Running, effect: Effect): void {
    switch (effect.type) {
      case "persist":
        this.disk.append(effect.records, effect.position);
        this.#write(running);
        return;
      case "compact":
        this.disk.replace(effect.records);
        this.#write(running);
        return;
      case "commit":
        this.#commit(running, effect.blocks, effect.certificate);
        return;
      case "send":
        if (effect.after <= running.durable) this.#send(effect.to, effect.message);
        else running.outbox.push(effect);
        return;
      case "serve":
        this.#serve(effect);
        return;
      case "execute":
        this.#execute(running, effect.block);
        return;
      case "build": {
        const block = running.app.build(effect);
        this.#executed.add(block.hash);
        const { epoch, view } = effect;
        this.#later(running, 1, () => this.#step({ type: "built", epoch, view, block }));
        return;
      }
      case "timer":
        this.#setTimer(running, effect.timer, effect.at);
        return;
      case "evidence":
        this.#host.onEvidence(this, effect.evidence);
        return;
      case "alarm":
        this.#host.onAlarm(this, effect.reason);
    }
  }

  #write(running: Running): void {
    this.#host.onWriteBoundary(this);
    if (this.#running !== running) return;
    const { prng, writeTime } = this.#settings;
    this.#inOrder(running, "log", between(prng, 0.1, writeTime), () => {
      const position = this.disk.finishLogWrite();
      this.#host.onWriteBoundary(this);
      if (position === undefined || this.#running !== running) return;
      running.durable = position;
      const ready = running.outbox.filter(({ after }) => after <= position);
      running.outbox = running.outbox.filter(({ after }) => after > position);
      for (const { to, message } of ready) this.#send(to, message);
      this.#step({ type: "synced", position });
    });
  }

  #commit(running: Running, blocks: readonly Block[], certificate: Certificate): void {
    this.disk.submit({ blocks, certificate });
    this.#host.onWriteBoundary(this);
    if (this.#running !== running) return;
    running.app.commit(blocks);
    const { prng, writeTime } = this.#settings;
    this.#inOrder(running, "store", between(prng, 0.1, 3 * writeTime), () => {
      const done = this.disk.finishCommit();
      if (done === undefined) return;
      this.#dropFinal();
      this.#host.onCommit(this, done.blocks, done.certificate);
      this.#host.onWriteBoundary(this);
      this.#step({ type: "committed", hash: done.certificate.hash });
      this.#step({ type: "work", waiting: running.app.hasWork });
    });
  }

  /** A device does one thing after the other. */
  readonly #freeAt = { log: 0, store: 0 };
  #inOrder(running: Running, device: "log" | "store", delay: number, run: () => void): void {
    const { now } = this.#host.queue;
    const done = Math.max(now, this.#freeAt[device]) + delay;
    this.#freeAt[device] = done;
    this.#later(running, done - now, run);
  }

  #execute(running: Running, block: Block): void {
    const { prng, executionTime } = this.#settings;
    this.#later(running, between(prng, 0.5, 1) * executionTime, () => {
      const valid = running.app.execute(block);
      if (valid) this.#executed.add(block.hash);
      this.#step({ type: "executed", hash: block.hash, valid });
    });
  }

  #setTimer(running: Running, timer: TimerName, at: number | undefined): void {
    const token = {};
    running.timers.set(timer, token);
    if (at === undefined) return;
    this.#later(running, Math.max(0, at - this.#localTime), () => {
      if (running.timers.get(timer) === token) this.#step({ type: "timer", timer });
    });
  }

  #serve({ to, request }: Extract<Effect, { type: "serve" }>): void {
    if (request.type === "fetch-block") {
      const block = this.disk.blockOf(request.hash);
      if (block !== undefined) this.#send(to, { type: "block", block });
    } else if (request.type === "fetch-finals") {
      const segments = this.disk.segmentsAbove(request.height);
      if (segments.length > 0) this.#send(to, { type: "finals", segments });
    }
  }

  #send(to: PeerId | "all", message: Message): void {
    if (this.actor === undefined) {
      this.#host.onSend(this, message);
      this.#host.transmit(this, to, message);
      return;
    }
    const context = this.#actorContext();
    if (context?.state.own === undefined) return;
    for (const said of this.actor.outgoing(context, { to, message })) this.#host.transmit(this, said.to, said.message);
  }

  #actorContext(): ActorContext | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    const { state, app } = running;
    const { options, prng } = this.#settings;
    return {
      prng,
      peers: this.peers,
      conspiracy: this.#settings.conspiracy,
      state,
      sign: (content): Vote => ({
        ...content,
        validator: state.own ?? 0,
        signature: options.signer.sign(voteMessage(options.parameters.chainId, content)),
      }),
      blockOn: (parent, view) => {
        const epoch = state.epoch.number;
        const reveal = options.signer.sign(revealMessage(options.parameters.chainId, epoch, view));
        const time = Math.max(parent.time, this.#localTime);
        const parentCertificate = certificateOver(state, parent);
        const proposer = state.own ?? 0;
        const whole = { epoch, view, parent, time, emptyOnly: false, proposer, reveal, parentCertificate };
        return app.build({ type: "build", ...whole });
      },
      variantOf: (block, rootIsRight) => variantOf(block, rootIsRight, (hash) => this.#held(hash), prng),
    };
  }

  #held(hash: Block["hash"]): Block | undefined {
    return this.state?.blocks.get(hash)?.block ?? this.disk.blockOf(hash);
  }
}

/** What a block on that parent carries: the votes for it, unless it is the epoch's root. */
function certificateOver(state: ConsensusState, parent: Block): Certificate | undefined {
  if (parent.hash === state.epoch.root.hash) return undefined;
  return parent.hash === state.final.hash ? state.finalCertificate : state.rounds.get(parent.view)?.notarization;
}

interface Running {
  readonly state: ConsensusState;
  readonly app: CounterApp;
  readonly gate: VoteGate;
  /** The log is durable up to this position. */
  durable: number;
  outbox: Extract<Effect, { type: "send" }>[];
  readonly timers: Map<TimerName, object>;
}

/** The hash of a block is computed by whoever receives it, as a decoder of real blocks would. */
function hashesAreRight(message: Message): boolean {
  if (message.type === "proposal") return hashBlock(message.proposal.block) === message.proposal.block.hash;
  if (message.type === "block") return hashBlock(message.block) === message.block.hash;
  if (message.type !== "finals") return true;
  return message.segments.every(({ blocks }) => blocks.every((block) => hashBlock(block) === block.hash));
}

function variantOf(
  block: Block,
  rootIsRight: boolean,
  held: (hash: Block["hash"]) => Block | undefined,
  prng: Prng,
): Block {
  const parent = held(block.parent);
  const transactions = [...decodeBody(block.body).transactions, 1_000_000 + prng.below(1_000_000)];
  const isRight = rootIsRight && parent !== undefined;
  const root = isRight ? nextRoot(decodeBody(parent.body).root, transactions) : prng.bytes(32);
  return sealBlock({ ...block, empty: false, body: encodeBody({ transactions, root }) });
}
