/** A whole network under one seed: faults, then healing, then rest; the invariants are watched all along. */
import { Prng } from "../../base/prng.ts";
import type { Event } from "../../chain/consensus/events.ts";
import { verifyParameters } from "../../chain/consensus/parameters.ts";
import type { PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import { makeEpoch } from "../../chain/consensus/state.ts";
import type { Message, PeerId } from "../../chain/consensus/types.ts";
import type { ValidatorId } from "../../chain/consensus/validator-set.ts";
import type { ActorContext } from "./actors/actor.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { exponential } from "./chance.ts";
import { ALL_CHECKERS } from "./checkers/all-checkers.ts";
import type { CheckedWorld, Checker } from "./checkers/checker.ts";
import { genesisBlock } from "./counter-app.ts";
import { Disk } from "./disk.ts";
import { EventQueue } from "./event-queue.ts";
import { FaultInjector } from "./fault-injector.ts";
import { messageBytes } from "./message-bytes.ts";
import { Network } from "./network.ts";
import { type NodeHost, SimNode } from "./node.ts";
import { planEpochs, type Scenario } from "./scenario.ts";
import { type KeyMaker, simulatedKeys } from "./sim-crypto.ts";
import { Trace } from "./trace.ts";

/** Parts of the run, as shares of its length. */
const HEALED_AT = 0.45;
const REST_AT = 0.85;
const TRANSACTION_EVERY = 400;
/** The last transactions get this long to become final. */
const LAST_TRANSACTIONS = 8_000;

const SHOWN_PER_INVARIANT = 4;

export interface SimulationOptions {
  readonly keys?: KeyMaker;
  readonly bugs?: ReadonlySet<PlantedBug>;
  readonly onTrace?: (line: string) => void;
}

export interface SimulationResult {
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly steps: number;
  /** Of the honest nodes. */
  readonly heights: readonly number[];
  readonly epochs: number;
  /** Milliseconds from a block's time to its commit on each honest node. */
  readonly finality: { readonly p50: number; readonly p95: number };
  /** Sent per node and final block, estimated from the messages' content. */
  readonly bytesPerBlock: number;
}

export class Simulation implements NodeHost {
  readonly queue: EventQueue = new EventQueue();
  readonly nodes: readonly SimNode[];
  readonly #scenario: Scenario;
  readonly #keys: KeyMaker;
  readonly #prng: Prng;
  readonly #network: Network;
  readonly #injector: FaultInjector;
  readonly #trace: Trace;
  readonly #checkers: readonly Checker[];
  readonly #indexOf: ReadonlyMap<PeerId, number>;
  readonly #violations: string[] = [];
  readonly #violationCounts = new Map<string, number>();
  readonly #finality: number[] = [];
  #bytes = 0;
  #transactions = 0;

  constructor(scenario: Scenario, options: SimulationOptions = {}) {
    verifyParameters(scenario.parameters);
    this.#scenario = scenario;
    this.#keys = options.keys ?? simulatedKeys();
    this.#prng = new Prng(`simulation ${scenario.seed}`);
    this.#trace = new Trace(options.onTrace);
    this.#network = new Network(this.queue, this.#prng.fork("network"), scenario.faultyLinks);
    this.nodes = this.#makeNodes(options);
    const ids = this.nodes.map(({ id }) => id);
    this.#indexOf = new Map(ids.map((id, index) => [id, index]));
    for (const node of this.nodes) node.peers = ids.filter((id) => id !== node.id);
    const world = {
      queue: this.queue,
      network: this.#network,
      nodes: this.nodes,
      trace: (line: string) => this.#note(line),
    };
    this.#injector = new FaultInjector(world, this.#prng.fork("faults"), scenario);
    this.#checkers = ALL_CHECKERS.map(({ name, make }) =>
      make((reason) => this.#violate(`${name}: ${reason}`), this.#checkedWorld()),
    );
  }

  run(): SimulationResult {
    const length = this.#scenario.minutes * 60_000;
    for (const node of this.nodes) node.start();
    this.#injector.start();
    this.#submitTransactions(length * REST_AT - LAST_TRANSACTIONS);
    this.queue.runUntil(length * HEALED_AT);
    this.#note("heal");
    this.#network.quality = this.#scenario.goodLinks;
    this.#injector.heal();
    this.queue.runUntil(length * REST_AT);
    this.#checkProgress();
    const heightAtRest = this.#maxHeight();
    this.queue.runUntil(length);
    this.#checkRest(heightAtRest, length * (1 - REST_AT));
    return this.#result();
  }

  transmit(from: SimNode, to: PeerId | "all", message: Message): void {
    const size = messageBytes(message);
    for (const peer of to === "all" ? from.peers : [to]) {
      const index = this.#indexOf.get(peer);
      const node = index === undefined ? undefined : this.nodes[index];
      if (node === undefined) continue;
      this.#bytes += size;
      this.#network.carry(from.index, node.index, () => node.receive(from.id, message));
    }
  }

  onStep(node: SimNode, event: Event): void {
    const detail = event.type === "message" ? event.message.type : event.type === "timer" ? event.timer : "";
    const { state } = node;
    this.#trace.add(
      `${this.queue.now.toFixed(3)} ${node.index} ${event.type} ${detail} ${state?.epoch.number} ${state?.view} ${state?.finalView} ${state?.final.hash.slice(2, 10)}`,
    );
    if (node.isHonest) for (const checker of this.#checkers) checker.onStep?.(node);
  }

  onSend(node: SimNode, message: Message): void {
    for (const checker of this.#checkers) checker.onSend?.(node, message);
  }

  onCommit(...[node, blocks, certificate]: Parameters<NodeHost["onCommit"]>): void {
    if (!node.isHonest) return;
    for (const { time } of blocks) this.#finality.push(this.queue.now + node.skew - time);
    for (const checker of this.#checkers) checker.onCommit?.(node, blocks, certificate);
  }

  onEvidence(...[node, evidence]: Parameters<NodeHost["onEvidence"]>): void {
    if (node.isHonest) for (const checker of this.#checkers) checker.onEvidence?.(node, evidence);
  }

  onBlame(node: SimNode, peer: PeerId): void {
    if (node.isHonest) for (const checker of this.#checkers) checker.onBlame?.(node, peer);
  }

  onAlarm(node: SimNode, reason: string): void {
    if (node.isHonest) this.#violate(`alarm: node ${node.index}: ${reason}`);
  }

  onWriteBoundary(node: SimNode): void {
    this.#injector.onWriteBoundary(node);
  }

  #makeNodes(options: SimulationOptions): SimNode[] {
    const { validators, parameters, actors, executionTimes, skews } = this.#scenario;
    const signers = Array.from({ length: validators }, (_, index) => this.#keys.signer(`validator ${index}`));
    const plan = planEpochs(
      this.#scenario,
      signers.map(({ id }): ValidatorId => id),
    );
    const conspiracy: ActorContext["conspiracy"] = new Map();
    const epoch = makeEpoch(0, plan.stakesOf(0), genesisBlock(), parameters);
    return signers.map((signer, index) => {
      const actor = actors.get(index);
      const settings = {
        index,
        options: { parameters, crypto: this.#keys.crypto, signer, bugs: options.bugs ?? new Set<PlantedBug>() },
        plan,
        disk: new Disk(epoch, parameters.capDivisor),
        prng: this.#prng.fork(`node ${index}`),
        actor: actor === undefined ? undefined : ACTORS.get(actor)?.(),
        conspiracy,
        executionTime: executionTimes[index] ?? 1,
        writeTime: 3,
      };
      const node = new SimNode(settings, this);
      node.skew = skews[index] ?? 0;
      return node;
    });
  }

  #checkedWorld(): CheckedWorld {
    const { queue } = this;
    return {
      chainId: this.#scenario.parameters.chainId,
      capDivisor: this.#scenario.parameters.capDivisor,
      crypto: this.#keys.crypto,
      honest: this.nodes.filter(({ isHonest }) => isHonest),
      get now(): number {
        return queue.now;
      },
    };
  }

  /** Clients send to every node. */
  #submitTransactions(until: number): void {
    const prng = this.#prng.fork("transactions");
    const submit = (): void => {
      if (this.queue.now > until) return;
      const id = ++this.#transactions;
      for (const node of this.nodes) node.addTransaction(id);
      this.queue.after(exponential(prng, TRANSACTION_EVERY), submit);
    };
    submit();
  }

  /** Some time after everything is healed, whatever was sent is final everywhere, and all are at the same height. */
  #checkProgress(): void {
    const honest = this.nodes.filter(({ isHonest }) => isHonest);
    for (const node of honest) {
      if (node.unfinishedTransactions === 0) continue;
      const { epoch, view, finalView } = node.state ?? {};
      this.#violate(
        `progress: node ${node.index} lacks ${node.unfinishedTransactions} of ${this.#transactions} transactions after healing (epoch ${epoch?.number}, view ${view}, final ${finalView}, height ${node.disk.height})`,
      );
    }
  }

  /** Without transactions there is a block per heartbeat, and another where a liar delayed its finality. */
  #checkRest(heightBefore: number, duration: number): void {
    const blocks = this.#maxHeight() - heightBefore;
    const allowed = 2 * Math.ceil(duration / this.#scenario.parameters.heartbeat) + 2;
    if (blocks > allowed)
      this.#violate(`rest: ${blocks} blocks in ${Math.round(duration)} ms of rest, more than ${allowed}`);
  }

  #maxHeight(): number {
    return Math.max(...this.nodes.filter(({ isHonest }) => isHonest).map(({ disk }) => disk.height));
  }

  #note(line: string): void {
    this.#trace.add(`${this.queue.now.toFixed(3)} ${line}`);
  }

  #violate(reason: string): void {
    // The first few of each invariant tell the story; a broken rule may be broken a thousand times.
    const name = reason.split(":", 1)[0] ?? "";
    const count = (this.#violationCounts.get(name) ?? 0) + 1;
    this.#violationCounts.set(name, count);
    if (count <= SHOWN_PER_INVARIANT) this.#violations.push(`at ${(this.queue.now / 1000).toFixed(3)} s: ${reason}`);
    this.#note(reason);
  }

  #result(): SimulationResult {
    const honest = this.nodes.filter(({ isHonest }) => isHonest);
    const sorted = [...this.#finality].sort((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    return {
      violations: this.#violations,
      traceHash: this.#trace.hash,
      steps: this.#trace.lines,
      heights: honest.map(({ disk }) => disk.height),
      epochs: Math.max(...honest.map(({ disk }) => disk.epochs.length)),
      finality: { p50: at(0.5), p95: at(0.95) },
      bytesPerBlock: Math.round(this.#bytes / this.nodes.length / Math.max(1, this.#maxHeight())),
    };
  }
}

export function simulate(scenario: Scenario, options: SimulationOptions = {}): SimulationResult {
  return new Simulation(scenario, options).run();
}
