/**
 * A whole node: the product's Node with its mempool, ledger, driver and store, on simulated disks, network and time. A
 * node that lost its disk catches up by a snapshot first.
 */
import type { Prng } from "../../base/prng.ts";
import { inTurns } from "../../base/work.ts";
import { type CheckResult, checkJob } from "../../chain/consensus/check-job.ts";
import type { ConsensusState } from "../../chain/consensus/state.ts";
import type { Evidence, FinalSegment, PeerId } from "../../chain/consensus/types.ts";
import { genesisWeights } from "../../chain/consensus-parameters.ts";
import { Node } from "../../chain/runtime/node.ts";
import type { NodeLog } from "../../chain/runtime/node-log.ts";
import { type NodeMeter, noMeter } from "../../chain/runtime/node-meter.ts";
import type { NodeNetwork } from "../../chain/runtime/node-network.ts";
import { Relay } from "../../chain/runtime/relay.ts";
import type { ClaimedTransaction } from "../../chain/senders/claim.ts";
import { ChainStore } from "../../chain/store/chain-store.ts";
import { Database } from "../../chain/store/database.ts";
import { discardImport } from "../../chain/store/import-state.ts";
import type { StoreLimits } from "../../chain/store/limits.ts";
import type { SourceLimits, SyncLimits } from "../../chain/sync/limits.ts";
import { SnapshotSource } from "../../chain/sync/snapshot-source.ts";
import { SyncRunner } from "../../chain/sync/sync-runner.ts";
import type { Verifier } from "../../chain/verification/verifier.ts";
import type { NodeMessage } from "../../chain/wire/node-message.ts";
import type { Address } from "../../vm/state/account.ts";
import { between } from "./chance.ts";
import { Forger } from "./forger.ts";
import { LedgerFinals } from "./ledger-finals.ts";
import { coinbaseOf, type LedgerWorld } from "./ledger-world.ts";
import type { Lifetime } from "./lifetime.ts";
import { MemoryLevel } from "./memory-level.ts";
import type { Receivers } from "./receivers.ts";
import { SimJournal } from "./sim-journal.ts";
import { type NodeHost, type NodeSettings, SimNode } from "./sim-node.ts";
import { SimSyncFolder } from "./sim-sync-folder.ts";

const STORE_LIMITS: Partial<StoreLimits> = { retainedVersions: 4 };

/** What whole nodes say to each other besides messages: gossip, and how far they are. */
export interface LedgerHost extends NodeHost {
  readonly nodes: readonly SimNode[];
  gossip(from: LedgerNode, bytes: number, deliver: (to: LedgerNode) => void): void;
  onInvalidBlock(node: LedgerNode, hash: string, code: string): void;
}

interface Running {
  readonly node: Node;
  readonly store: ChainStore;
  readonly forger: Forger | undefined;
}

/** Snapshots after a few blocks, and short waits: a run lasts less than a minute. */
const SNAPSHOT_BLOCKS = 6;
const SOURCE_LIMITS: Partial<SourceLimits> = { interval: SNAPSHOT_BLOCKS, unusedAge: 4_000, maxAge: 20_000 };
const SYNC_LIMITS: Partial<SyncLimits> = {
  parts: 4,
  chunkBytes: 2_048,
  requestTimeout: 1_500,
  pause: 300,
  offersWait: 200,
  peersWait: 1_500,
  offersInterval: 1_000,
  stallWait: 3_000,
};

export class LedgerNode extends SimNode {
  readonly finals: LedgerFinals;
  readonly level: MemoryLevel;
  readonly journal: SimJournal;
  readonly #syncFolder: SimSyncFolder;
  readonly #world: LedgerWorld;
  readonly #ledgerHost: LedgerHost;
  /** The peers' last final blocks, as they said. */
  readonly #heights = new Map<PeerId, number>();
  /** Snapshots that it has taken over. */
  imports = 0;
  #relay: Relay | undefined;
  #running: Running | undefined;

  constructor(settings: NodeSettings, host: LedgerHost, world: LedgerWorld) {
    super(settings, host);
    this.#world = world;
    this.#ledgerHost = host;
    this.finals = new LedgerFinals(world);
    this.level = new MemoryLevel(this.device(3));
    this.journal = new SimJournal(this.device(1));
    this.#syncFolder = new SimSyncFolder(this.device(1));
  }

  override get state(): ConsensusState | undefined {
    return this.#running?.node.consensus;
  }

  get node(): Node | undefined {
    return this.#running?.node;
  }

  /** In the last durable state. */
  nonceOf(address: Address): bigint | undefined {
    return this.#running === undefined ? undefined : (this.#running.store.state().reader.account(address)?.nonce ?? 0n);
  }

  /** Resolves when the node has acknowledged it; never when it crashes before. Rejects as Node.submit does. */
  submit(raw: Uint8Array): Promise<Uint8Array> | undefined {
    this.host.queue.settle();
    return this.#running?.node.submit(raw);
  }

  override receive(from: PeerId, message: NodeMessage): void {
    if (message.type !== "vote") this.host.queue.settle();
    if (message.type === "proposal") this.#running?.forger?.remember(message.proposal.block);
    this.#relay?.onMessage(from, message);
  }

  receiveTransactions(from: PeerId, batch: readonly ClaimedTransaction[]): void {
    this.host.queue.settle();
    void this.#running?.node.receiveTransactions(batch, from);
  }

  receiveFinalBlock(from: PeerId, segment: FinalSegment): void {
    this.host.queue.settle();
    void this.#running?.node.receiveFinalBlock(from, segment);
  }

  receiveStatus(from: PeerId, height: number): void {
    this.#heights.set(from, height);
  }

  override wipe(): void {
    super.wipe();
    this.journal.wipe();
  }

  protected override boot(life: Lifetime): void {
    this.host.queue.settle();
    this.#open(life).catch((error: unknown) => this.onFailure(life, error));
  }

  protected override loseMemory(): void {
    this.#running = undefined;
    this.#relay = undefined;
    this.#heights.clear();
  }

  protected override crashDisk(prng: Prng): void {
    this.level.crash(prng);
    this.journal.crash(prng);
  }

  protected override wipeChain(): void {
    this.level.wipe();
    this.#syncFolder.wipe();
    this.finals.wipe();
  }

  protected override get forgery(): SimNode["forgery"] {
    const forger = this.#running?.forger;
    return (
      forger && {
        blockOn: (parent, view) => forger.blockOn(parent, view),
        variantOf: (block, rootIsRight) => forger.variantOf(block, rootIsRight),
        publish: (raws) => this.#gossipTransactions(raws.map((raw) => ({ raw }))),
      }
    );
  }

  /** As open-node.ts does it. */
  async #open(life: Lifetime): Promise<void> {
    const { spec, genesis } = this.#world;
    const store = await ChainStore.over(new Database(this.level.open(life), "simulated"), {
      chain: { chainId: spec.chainId, genesisHash: genesis.hash },
      forImport: true,
      limits: STORE_LIMITS,
    });
    const clock = life.clock(() => this.skew);
    const source = new SnapshotSource(store, SOURCE_LIMITS);
    const height = (): number => store.head?.number ?? 0;
    const relay = new Relay(source, clock, height, (error) => this.onFailure(life, error));
    const network = this.#network(life);
    relay.network = network;
    this.#relay = relay;
    if (store.head === undefined && this.isLate) await this.#catchUp(life, store, relay, network);
    if (store.head === undefined) {
      await discardImport(store);
      await store.commit(genesis);
    }
    if (life.isOver) return;
    this.finals.follow(store);
    source.start(clock.now());
    const node: Node = this.#makeNode(life, store, () => this.#onStep(life, node));
    node.onBlock(({ number }) => source.onFinal(number, clock.now()));
    this.#running = { node, store, forger: this.#makeForger(node, store) };
    relay.node = node;
    await node.start(network, this.journal.raws);
  }

  async #catchUp(life: Lifetime, store: ChainStore, relay: Relay, network: NodeNetwork): Promise<void> {
    const { spec, genesis } = this.#world;
    const { crypto, parameters } = this.settings.core;
    const runner = new SyncRunner({
      store,
      files: this.#syncFolder.open(life),
      trust: {
        chainId: spec.chainId,
        crypto,
        trustingPeriod: spec.consensus.trustingPeriodSeconds * 1_000,
        maxSkew: parameters.maxSkew,
        genesis: genesis.header,
        validators: genesisWeights(spec),
      },
      send: (to, message) => network.send(to, message),
      penalise: (peer) => network.penalise(peer, "invalid"),
      clock: life.clock(() => this.skew),
      limits: SYNC_LIMITS,
      nearBlocks: SNAPSHOT_BLOCKS,
    });
    relay.sync = runner;
    for (const peer of this.peers) runner.onPeer(peer, true);
    const outcome = await runner.run();
    relay.sync = undefined;
    if (outcome.type === "failed") throw outcome.error;
    if (outcome.type === "imported") this.imports++;
  }

  #makeForger(node: Node, store: ChainStore): Forger | undefined {
    if (this.actor === undefined) return undefined;
    const { signer } = this.settings.core;
    const { prng } = this.settings;
    const world = this.#world;
    const state = node.consensus;
    return new Forger({ index: this.index, world, store, state, signer, prng, now: () => this.localTime });
  }

  #makeNode(life: Lifetime, store: ChainStore, onStep: () => void): Node {
    const { core, prng, executionTime } = this.settings;
    return new Node({
      spec: this.#world.spec,
      store,
      log: this.log.open(life),
      records: this.log.records,
      floor: this.log.floor,
      journal: this.journal.open(life),
      evidence: { entries: [], add: (_, evidence) => this.#onEvidence(life, evidence) },
      senders: {
        recover: async (raws) => {
          await life.wait(between(prng, 0.1, 0.5) * executionTime);
          return this.#world.recover(raws);
        },
      },
      verifier: this.#slowVerifier(life),
      crypto: core.crypto,
      signer: this.signer,
      coinbase: coinbaseOf(this.index),
      validators: this.#world.validators,
      logLimit: core.parameters.logLimit,
      clock: life.clock(() => this.skew),
      // Anything may happen between two transactions of a block.
      run: (work) => {
        life.queue.settle();
        return inTurns(work, () => (prng.below(4) > 0 ? undefined : life.wait(prng.below(20))));
      },
      say: this.#say(life),
      meter: this.#meter(life, store, onStep),
      onFailure: (error) => this.onFailure(life, error),
    });
  }

  /** The ledger executes at once: the time that a block takes is spent before, on the check of its signatures. */
  #slowVerifier(life: Lifetime): Pick<Verifier, "check"> {
    const { core, prng, executionTime } = this.settings;
    const quick = this.verifier(life);
    return {
      check: async (job): Promise<CheckResult> => {
        if (job.type !== "proposal" && job.type !== "block" && job.type !== "finals") return quick.check(job);
        await life.wait(between(prng, 0.5, 1) * executionTime);
        return checkJob(job, core.parameters.chainId, core.crypto);
      },
    };
  }

  #say(life: Lifetime): NodeLog {
    const quiet = (): void => undefined;
    return () => ({
      debug: quiet,
      info: quiet,
      warn: (data) => {
        const { hash, code } = data;
        if (!life.isOver && hash && code) this.#ledgerHost.onInvalidBlock(this, String(hash), String(code));
      },
      error: (data, message) => {
        if (!life.isOver) this.host.onAlarm(this, `${message} ${JSON.stringify(data, bigintText)}`);
      },
    });
  }

  #meter(life: Lifetime, store: ChainStore, onStep: () => void): NodeMeter {
    return {
      ...noMeter,
      block: (height) => {
        if (!life.isOver) this.#onBlock(store, height);
      },
      view: onStep,
    };
  }

  #onBlock(store: ChainStore, height: number): void {
    this.finals.follow(store);
    const block = this.finals.block(height);
    const certificate = this.finals.certificate(height);
    if (block !== undefined && certificate !== undefined) this.host.onBlock(this, block, certificate);
    this.#ledgerHost.gossip(this, STATUS_BYTES, (to) => to.receiveStatus(this.id, height));
  }

  #onEvidence(life: Lifetime, evidence: Evidence): boolean {
    if (!life.isOver) this.host.onEvidence(this, evidence);
    return true;
  }

  #onStep(life: Lifetime, { consensus }: Node): void {
    // Also of the step in which it crashes: the vote may be in the log, and is sent after the next start.
    for (const { block, status } of consensus.blocks.values()) if (status === "valid") this.noteExecuted(block.hash);
    if (life.isOver) return;
    this.host.onStep(this, "step");
  }

  #network(life: Lifetime): NodeNetwork {
    const { peers } = this;
    const known = new Set(peers);
    const say = (to: Receivers, message: NodeMessage): boolean => {
      if (to !== "all" && to !== "validators" && to !== "some" && !known.has(to)) return false;
      this.say(life, to, message);
      return true;
    };
    const gossip = (bytes: number, deliver: (to: LedgerNode) => void): void => {
      if (!life.isOver) this.#ledgerHost.gossip(this, bytes, deliver);
    };
    return {
      peers: () => peers.map((peer) => ({ peer, height: this.#heights.get(peer) ?? 0 })),
      send: say,
      broadcast: (message, to, most) => say(most === undefined ? to : "some", message),
      publishTransactions: (batch) => {
        if (!life.isOver) this.#gossipTransactions(batch);
      },
      publishFinalBlock: (segment) => {
        const bytes = segment.blocks.reduce((sum, { body }) => sum + body.length, 0);
        gossip(bytes, (to) => {
          if (!to.isValidator) to.receiveFinalBlock(this.id, segment);
        });
      },
      // Nobody works in these networks.
      publishProgress: () => undefined,
      // What is useless may be an honest peer's: it was, when it was sent.
      penalise: (peer, offence) => {
        if (!life.isOver && offence === "invalid") this.host.onBlame(this, peer);
      },
      stop: async () => undefined,
    };
  }

  #gossipTransactions(batch: readonly ClaimedTransaction[]): void {
    const bytes = batch.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#ledgerHost.gossip(this, bytes, (to) => to.receiveTransactions(this.id, batch));
  }
}

const STATUS_BYTES = 8;

function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
