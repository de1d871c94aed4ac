/** A whole network under one seed: faults, then healing, then rest; the invariants are watched all along. */
import { Prng } from "../../base/prng.ts";
import type { Crypto } from "../../chain/consensus/crypto.ts";
import { verifyParameters } from "../../chain/consensus/parameters.ts";
import type { PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import type { PeerId } from "../../chain/consensus/types.ts";
import type { ValidatorId } from "../../chain/consensus/validator-set.ts";
import { drawSome } from "../../chain/network/draw.ts";
import type { NodeMessage } from "../../chain/wire/node-message.ts";
import type { ActorContext } from "./actors/actor.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { checkersOf } from "./checkers/all-checkers.ts";
import type { CheckedWorld, Checker } from "./checkers/checker.ts";
import { CounterClients } from "./counter-clients.ts";
import { CounterNode, counterEpoch } from "./counter-node.ts";
import { type CheckCounter, type CheckCounts, countingKeys, countsPerBlock } from "./counting-keys.ts";
import { describeError } from "./describe-error.ts";
import { EventQueue } from "./event-queue.ts";
import { FaultInjector } from "./fault-injector.ts";
import { LedgerClients } from "./ledger-clients.ts";
import { type LedgerHost, LedgerNode } from "./ledger-node.ts";
import { type LedgerWorld, makeLedgerWorld } from "./ledger-world.ts";
import { messageBytes } from "./message-bytes.ts";
import { Network } from "./network.ts";
import type { Receivers } from "./receivers.ts";
import { planEpochs, type Scenario } from "./scenario.ts";
import { type KeyMaker, simulatedKeys } from "./sim-crypto.ts";
import type { NodeHost, NodeSettings, SimNode } from "./sim-node.ts";
import { Trace } from "./trace.ts";
import { type BytesPerBlock, Traffic } from "./traffic.ts";
import { wireTrip } from "./wire-trip.ts";
import type { Workload } from "./workload.ts";

/** Parts of the run, as shares of its length. */
const HEALED_AT = 0.45;
const REST_AT = 0.85;
/** The last transactions get this long to become final. */
const LAST_TRANSACTIONS = 8_000;

/**
 * Seven views in a row may be those of leaders that are silent or gone: somebody's seed has them. So long is waited for
 * the last transactions in such a case before it counts as a halt.
 */
const PATIENCE = 40_000;

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
  readonly transactions: number;
  /** Snapshots that wiped nodes have taken over. */
  readonly imports: number;
  /** How often liars said something else than an honest node would have. */
  readonly lies: number;
  readonly crashes: number;
  /** Of each node, until the network rests. */
  readonly writeBoundaries: readonly number[];
  /** Milliseconds from a block's time to its commit on each honest node. */
  readonly finality: { readonly p50: number; readonly p95: number };
  /** Per node and final block. */
  readonly bytes: BytesPerBlock;
  /** Signature checks per node and final block; an aggregate of many is one. */
  readonly checks: CheckCounts;
}

export class Simulation implements LedgerHost {
  readonly queue: EventQueue = new EventQueue();
  readonly nodes: readonly SimNode[];
  /** What the checkers see of it. */
  readonly world: CheckedWorld;
  readonly #scenario: Scenario;
  readonly #keys: KeyMaker;
  /** For the checkers, whose own checks do not count. */
  readonly #crypto: Crypto;
  readonly #prng: Prng;
  /** Who gets what is sent to some. */
  readonly #draws: Prng;
  readonly #network: Network;
  readonly #injector: FaultInjector;
  readonly #workload: Workload;
  readonly #clients: LedgerClients | undefined;
  readonly #trace: Trace;
  readonly #traffic: Traffic;
  readonly #checkers: readonly Checker[];
  readonly #indexOf: ReadonlyMap<PeerId, number>;
  readonly #violations: string[] = [];
  readonly #violationCounts = new Map<string, number>();
  readonly #finality: number[] = [];
  readonly #honestBlocks = new Set<string>();
  #boundaries: readonly number[] = [];
  readonly #checks: CheckCounter = { single: 0, aggregate: 0, signers: 0 };

  constructor(scenario: Scenario, options: SimulationOptions = {}) {
    verifyParameters(scenario.parameters);
    this.#scenario = scenario;
    const keys = options.keys ?? simulatedKeys();
    this.#crypto = keys.crypto;
    this.#keys = countingKeys(keys, this.#checks);
    this.#prng = new Prng(`simulation ${scenario.seed}`);
    this.#draws = this.#prng.fork("draws");
    this.#trace = new Trace(options.onTrace);
    this.#traffic = new Traffic(scenario.validators);
    this.#network = new Network(this.queue, this.#prng.fork("network"), scenario.faultyLinks);
    const made = scenario.app === "ledger" ? this.#makeLedgerNodes(options) : this.#makeCounterNodes(options);
    this.nodes = made.nodes;
    this.#workload = made.workload;
    this.#clients = made.workload instanceof LedgerClients ? made.workload : undefined;
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
    this.world = this.#checkedWorld(made.ledger);
    this.#checkers = checkersOf(scenario.app).map(({ name, make }) =>
      make((reason) => this.#violate(`${name}: ${reason}`), this.world),
    );
  }

  /** What is thrown is a violation too, with all that was found before it. */
  async run(): Promise<SimulationResult> {
    const onThrown = (error: unknown): void => this.#violate(`thrown: ${describeError(error)}`);
    // Also by what nobody waits for, as a message that was received.
    process.on("unhandledRejection", onThrown);
    try {
      await this.#play();
    } catch (error) {
      onThrown(error);
    } finally {
      process.off("unhandledRejection", onThrown);
    }
    return this.#result();
  }

  async #play(): Promise<void> {
    const length = this.#scenario.minutes * 60_000;
    for (const node of this.nodes) node.start();
    this.#injector.start();
    this.#workload.start(length * REST_AT - LAST_TRANSACTIONS);
    await this.queue.runUntil(length * HEALED_AT);
    this.#note("heal");
    this.#network.quality = this.#scenario.goodLinks;
    this.#injector.heal();
    await this.queue.runUntil(length * REST_AT);
    for (const end = this.queue.now + PATIENCE; this.#isUnfinished() && this.queue.now < end; ) {
      await this.queue.runUntil(this.queue.now + 1_000);
    }
    this.#checkProgress();
    // A crash after this would be followed by nothing that could go wrong.
    this.#boundaries = this.#injector.boundaries;
    const heightAtRest = this.#maxHeight();
    const rest = length * (1 - REST_AT);
    await this.queue.runUntil(this.queue.now + rest);
    this.#checkRest(heightAtRest, rest);
    for (const checker of this.#checkers) checker.onEnd?.();
  }

  transmit(from: SimNode, to: Receivers, message: NodeMessage): void {
    const arrived = this.#arrived(from, message);
    if (arrived === undefined) return;
    const { bytes } = arrived;
    const deliver = { run: (index: number) => this.#deliver(from, index, arrived.message, bytes) };
    const receivers = this.#receivers(from, to);
    for (const index of receivers) this.#network.carry(from.index, index, deliver);
    this.#traffic.sent(from.index, bytes, receivers.length);
  }

  #receivers(from: SimNode, to: Receivers): readonly number[] {
    if (to !== "all" && to !== "validators" && to !== "some") {
      const single = this.#indexOf.get(to);
      return single === undefined ? [] : [single];
    }
    const others: number[] = [];
    for (const { index, isValidator } of this.nodes) {
      if (index !== from.index && (to === "all" || isValidator)) others.push(index);
    }
    if (to !== "some") return others;
    const { certificateFanout } = this.#scenario.parameters;
    return drawSome(others, certificateFanout, () => this.#draws.uint32() / 2 ** 32);
  }

  gossip(from: LedgerNode, bytes: number, deliver: (to: LedgerNode) => void): void {
    const run = (index: number): void => {
      const to = this.nodes[index];
      if (!(to instanceof LedgerNode) || !to.isUp) return;
      this.#traffic.received(index, bytes);
      deliver(to);
    };
    for (const { index } of this.nodes) if (index !== from.index) this.#network.carry(from.index, index, { run });
    this.#traffic.sent(from.index, bytes, this.nodes.length - 1);
  }

  onStep(node: SimNode, what: string): void {
    const { state } = node;
    this.#trace.add(this.queue.now, node.index, what, state?.epoch.number, state?.view, state?.final.hash.slice(2, 10));
    if (node.isHonest) for (const checker of this.#checkers) checker.onStep?.(node);
  }

  onSend(node: SimNode, message: NodeMessage): void {
    if (message.type === "proposal") this.#honestBlocks.add(message.proposal.block.hash);
    for (const checker of this.#checkers) checker.onSend?.(node, message);
  }

  onBlock(...[node, block, certificate]: Parameters<NodeHost["onBlock"]>): void {
    if (!node.isHonest) return;
    this.#finality.push(node.localTime - block.time);
    this.#clients?.onBlock(block);
    for (const checker of this.#checkers) checker.onBlock?.(node, block, certificate);
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

  /** A liar's too: one whose lies fail would be no more than silent. */
  onFailure(node: SimNode, reason: string): void {
    this.#violate(`alarm: node ${node.index}${node.isHonest ? "" : ` (${node.actor?.name})`} failed: ${reason}`);
  }

  onInvalidBlock(node: LedgerNode, hash: string, code: string): void {
    if (!node.isHonest || !this.#honestBlocks.has(hash)) return;
    this.#violate(`validity: node ${node.index} finds the block ${hash} of an honest node invalid: ${code}`);
  }

  onWriteBoundary(node: SimNode): void {
    this.#injector.onWriteBoundary(node);
  }

  #arrived(from: SimNode, message: NodeMessage): { readonly message: NodeMessage; readonly bytes: number } | undefined {
    if (this.#scenario.app === "counter") return { message, bytes: messageBytes(message) };
    const arrived = wireTrip(message);
    if (!(arrived instanceof Error)) return arrived;
    if (from.isHonest) this.#violate(`wire: node ${from.index} sent a ${message.type}: ${arrived.message}`);
    return undefined;
  }

  #deliver(from: SimNode, index: number, message: NodeMessage, bytes: number): void {
    const node = this.nodes[index];
    if (node === undefined || !node.isUp) return;
    this.#traffic.received(index, bytes);
    node.receive(from.id, message);
  }

  #settings(index: number, conspiracy: ActorContext["conspiracy"], options: SimulationOptions): NodeSettings {
    const { parameters, actors, executionTimes, skews } = this.#scenario;
    const actor = actors.get(index);
    const { crypto } = this.#keys;
    const signer = this.#keys.signer(`validator ${index}`);
    return {
      index,
      core: { parameters, crypto, signer, bugs: options.bugs ?? new Set<PlantedBug>() },
      prng: this.#prng.fork(`node ${index}`),
      actor: actor === undefined ? undefined : ACTORS.get(actor)?.(),
      conspiracy,
      executionTime: executionTimes[index] ?? 1,
      writeTime: 3,
      skew: skews[index] ?? 0,
    };
  }

  #makeSettings(options: SimulationOptions): NodeSettings[] {
    const conspiracy: ActorContext["conspiracy"] = new Map();
    return Array.from({ length: this.#scenario.validators }, (_, index) => this.#settings(index, conspiracy, options));
  }

  #makeCounterNodes(options: SimulationOptions): Made {
    const settings = this.#makeSettings(options);
    const plan = planEpochs(this.#scenario, settings.map(idOf));
    const genesis = counterEpoch(plan);
    const nodes = settings.map((own) => new CounterNode(own, this, plan, genesis));
    const { transactionEvery } = this.#scenario;
    const workload = new CounterClients(this.queue, this.#prng.fork("transactions"), nodes, transactionEvery);
    return { nodes, workload, ledger: undefined };
  }

  #makeLedgerNodes(options: SimulationOptions): Made {
    const settings = this.#makeSettings(options);
    const plan = planEpochs(this.#scenario, settings.map(idOf));
    const ledger = makeLedgerWorld(this.#scenario.parameters, plan);
    const nodes = settings.map((own) => new LedgerNode(own, this, ledger));
    const workload = new LedgerClients(this.queue, this.#prng.fork("transactions"), nodes, ledger, {
      every: this.#scenario.transactionEvery,
      onRefused: (reason) => this.#violate(`refused: ${reason}`),
    });
    return { nodes, workload, ledger };
  }

  #checkedWorld(ledger: LedgerWorld | undefined): CheckedWorld {
    const { queue } = this;
    return {
      chainId: this.#scenario.parameters.chainId,
      crypto: this.#crypto,
      honest: this.nodes.filter(({ isHonest }) => isHonest),
      ledger,
      get now(): number {
        return queue.now;
      },
    };
  }

  #isUnfinished(): boolean {
    return this.nodes.some((node) => node.isHonest && this.#workload.unfinishedOn(node) > 0);
  }

  /** Some time after everything is healed, whatever was sent is final everywhere, and all are at the same height. */
  #checkProgress(): void {
    if (this.#maxHeight() === 0) this.#violate("progress: no block was made, so nothing was checked");
    for (const node of this.nodes.filter(({ isHonest }) => isHonest)) {
      const missing = this.#workload.unfinishedOn(node);
      if (missing === 0) continue;
      const { epoch, view, finalView } = node.state ?? {};
      this.#violate(
        `progress: node ${node.index} lacks ${missing} of ${this.#workload.total} transactions after healing (epoch ${epoch?.number}, view ${view}, final ${finalView}, height ${node.finals.height})`,
      );
    }
    for (const { hash, nodes } of this.#clients?.acknowledgedUnfinal ?? []) {
      this.#violate(`acknowledged: transaction ${hash} was acknowledged by node ${nodes.join(", ")}, and is not final`);
    }
  }

  /**
   * Without transactions there is a block per heartbeat, and another where its finality was delayed. Liars delay that of
   * the other too, and so on: of 600 networks a few had five or six in a row. A chain that makes blocks for nothing has
   * five a second.
   */
  #checkRest(heightBefore: number, duration: number): void {
    const { parameters, actors } = this.#scenario;
    const blocks = this.#maxHeight() - heightBefore;
    const allowed = 2 * Math.ceil(duration / parameters.heartbeat) + (actors.size === 0 ? 2 : 6);
    if (blocks > allowed)
      this.#violate(`rest: ${blocks} blocks in ${Math.round(duration)} ms of rest, more than ${allowed}`);
  }

  #maxHeight(): number {
    return Math.max(...this.nodes.filter(({ isHonest }) => isHonest).map(({ finals }) => finals.height));
  }

  #note(line: string): void {
    this.#trace.add(this.queue.now, line);
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
    const blocks = Math.max(1, this.#maxHeight());
    return {
      violations: this.#violations,
      traceHash: this.#trace.hash,
      steps: this.#trace.lines,
      heights: honest.map(({ finals }) => finals.height),
      epochs: 1 + Math.max(...honest.map(({ finals }) => finals.lastEpoch)),
      transactions: this.#workload.total,
      imports: this.nodes.reduce((sum, node) => sum + (node instanceof LedgerNode ? node.imports : 0), 0),
      lies: this.nodes.reduce((sum, { lies }) => sum + lies, 0),
      crashes: this.#injector.crashes,
      writeBoundaries: this.#boundaries,
      finality: { p50: at(0.5), p95: at(0.95) },
      bytes: this.#traffic.perBlock(blocks),
      checks: countsPerBlock(this.#checks, blocks * this.nodes.length),
    };
  }
}

interface Made {
  readonly nodes: readonly SimNode[];
  readonly workload: Workload;
  readonly ledger: LedgerWorld | undefined;
}

function idOf({ core }: NodeSettings): ValidatorId {
  return core.signer.id;
}

export function simulate(scenario: Scenario, options: SimulationOptions = {}): Promise<SimulationResult> {
  return new Simulation(scenario, options).run();
}
