/**
 * Opens a node in a folder and puts its parts together:
 *
 *   chain/      final blocks and state (LevelDB)
 *   consensus/  the log of consensus: what this validator has signed
 *   mempool.journal  transactions of our clients that wait
 *   sync/       chunks of a snapshot that is being fetched
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bls } from "../../base/bls.ts";
import { inTurns } from "../../base/work.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { requireKnownUpgrades } from "../../vm/modules/governance/upgrades.ts";
import type { Address } from "../../vm/state/account.ts";
import { hashHeader } from "../blocks/header.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import type { Signer } from "../consensus/crypto.ts";
import { buildGenesisBlock, type GenesisBlock } from "../genesis-block.ts";
import { MempoolJournal } from "../mempool/journal.ts";
import { SenderPool } from "../senders/sender-pool.ts";
import { type ChainHead, ChainStore } from "../store/chain-store.ts";
import { discardImport } from "../store/import-state.ts";
import type { StoreLimits } from "../store/limits.ts";
import type { SourceLimits } from "../sync/limits.ts";
import { SnapshotSource } from "../sync/snapshot-source.ts";
import { WorkerVerifier } from "../verification/worker-verifier.ts";
import { BlobExchange } from "./blob-exchange.ts";
import { type CatchUpOptions, catchUp } from "./catch-up.ts";
import { type Clock, systemClock } from "./clock.ts";
import { EvidenceBook } from "./evidence-book.ts";
import { checkCheckpoint, expired, type Footing, footingOf, type Vouched, Wakefulness } from "./footing.ts";
import { EXECUTION_SLICE, INLINE_RECOVERIES } from "./limits.ts";
import { Node } from "./node.ts";
import { type NodeLog, silentLog } from "./node-log.ts";
import { type NodeMeter, noMeter } from "./node-meter.ts";
import type { NetworkFactory, NodeNetwork } from "./node-network.ts";
import { openLog } from "./open-log.ts";
import { Relay } from "./relay.ts";
import { slicer } from "./slices.ts";
import { UpgradeWatch } from "./upgrade-watch.ts";
import type { ValidatorSource } from "./validator-source.ts";

export interface OpenNodeOptions {
  readonly spec: ChainSpec;
  readonly directory: string;
  /** The validator's key. A node without one follows. */
  readonly signer?: Signer;
  /** The key has never signed on this chain: a log for it is made where there is none. */
  readonly isNewKey?: boolean;
  readonly coinbase: Address;
  readonly archive?: boolean;
  readonly validators?: ValidatorSource;
  readonly connect?: NetworkFactory;
  /** How an empty folder gets its first state; `false` for genesis and all blocks since. */
  readonly catchUp?: CatchUpOptions | false;
  /** What its operator says that it may trust. */
  readonly vouched?: Vouched;
  /** Bounds of the store's memory. */
  readonly limits?: Partial<StoreLimits>;
  /** When states are kept for those that catch up. */
  readonly snapshots?: Partial<SourceLimits>;
  /** Names of the upgrades that the program knows; those of this one otherwise. */
  readonly knownUpgrades?: readonly string[];
  readonly clock?: Clock;
  readonly say?: NodeLog;
  readonly meter?: NodeMeter;
  /** Waited for before a node with a signer signs anything; never called for one that follows. */
  readonly beforeSigning?: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export interface OpenNode {
  readonly node: Node;
  readonly network: NodeNetwork | undefined;
  /** Blobs of its peers, and for them. */
  readonly blobs: BlobExchange;
  /** Why the node follows although it has a key, if so. */
  readonly notSigning: string | undefined;
  /** Whether its chain is one to rely on, or shown to be by a checkpoint that is still to come. */
  footing(): Footing;
  close(): Promise<void>;
}

/**
 * Throws the errors of the parts: STORE_, WAL_, MEMPOOL_JOURNAL_, NETWORK_ and SYNC_ codes, and UPGRADE_REQUIRED. Closes
 * what it opened.
 */
export async function openNode(options: OpenNodeOptions): Promise<OpenNode> {
  const opened = new Closing();
  try {
    return await openParts(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openParts(options: OpenNodeOptions, opened: Closing): Promise<OpenNode> {
  const { spec, directory, clock = systemClock, say = silentLog, meter = noMeter, onFailure } = options;
  const crypto = blsCrypto(bls);
  const genesis = buildGenesisBlock(spec);
  await mkdir(directory, { recursive: true });
  const store = await openStore(options, genesis);
  opened.add(() => store.close());
  const source = new SnapshotSource(store, options.snapshots ?? {});
  opened.add(() => source.close());
  const { log, records, floor, signer, notSigning } = await openLog({
    folder: join(directory, "consensus"),
    chainId: spec.chainId,
    signer: options.signer,
    isNewKey: options.isNewKey ?? false,
    onFailure,
  });
  opened.add(() => log.close());
  const trustingPeriod = trustingPeriodOf(options);
  const relay = new Relay(source, clock, () => store.head?.number ?? 0, onFailure);
  const awake = new Wakefulness(trustingPeriod, clock.now());
  relay.isAwake = () => {
    if (awake.isAwake(clock.now())) return true;
    if (store.head !== undefined) onFailure(expired(store.head));
    return false;
  };
  const network = await options.connect?.(relay, signer);
  relay.network = network;
  const blobs = new BlobExchange(clock, onFailure);
  blobs.network = network;
  relay.blobs = blobs;
  if (network !== undefined) {
    opened.add(() => network.stop());
    const parts = { spec, genesis: genesis.header, store, directory, crypto, clock, network, relay, say: say("sync") };
    const { checkpoint } = options.vouched ?? {};
    if (store.head === undefined && options.catchUp !== false) await catchUp(parts, options.catchUp, checkpoint);
  }
  await commitGenesis(store, genesis);
  const watchUpgrades = upgradeWatch(options, store, say);
  source.start(clock.now());
  const senders = new SenderPool({ inline: INLINE_RECOVERIES });
  opened.add(() => senders.close());
  const verifier = new WorkerVerifier({ chainId: spec.chainId });
  opened.add(() => verifier.close());
  const journal = await MempoolJournal.open(join(directory, "mempool.journal"));
  opened.add(() => journal.close());
  const warn = (error: unknown): void => say("node").warn({ error: String(error) }, "evidence could not be kept");
  const evidence = await EvidenceBook.open(join(directory, "evidence.jsonl"), warn);
  opened.add(() => evidence.close());
  const { coinbase, validators, knownUpgrades } = options;
  const slices = slicer(EXECUTION_SLICE);
  const node = new Node({
    ...{ spec, store, log, records, floor, journal, evidence, senders, verifier, crypto, signer, coinbase },
    ...{ clock, say, meter, onFailure },
    run: (work) => inTurns(work, slices()),
    ...(validators && { validators }),
    ...(knownUpgrades && { knownUpgrades }),
  });
  opened.add(() => node.stop());
  const footing = new Ground(options, node, trustingPeriod, clock);
  awake.onBlock(node.head, clock.now());
  node.onBlock((block) => awake.onBlock(block, clock.now()));
  node.onBlock(({ number }) => source.onFinal(number, clock.now()));
  node.onBlock((block) => footing.onBlock(block));
  node.onBlock(watchUpgrades);
  if (signer !== undefined) await options.beforeSigning?.();
  relay.node = node;
  await node.start(network, journal.load());
  return { node, network, blobs, notSigning, footing: () => footing.now, close: () => opened.close() };
}

/** Looks now and after every block. Throws UPGRADE_REQUIRED when the next block is not for this program. */
function upgradeWatch({ knownUpgrades }: OpenNodeOptions, store: ChainStore, say: NodeLog): () => void {
  const watch = new UpgradeWatch(knownUpgrades, say("node"));
  const look = (): void => watch.look(store.state().reader, store.head?.number ?? 0);
  requireKnownUpgrades(store.state().reader, BigInt(store.head?.number ?? 0), knownUpgrades);
  look();
  return look;
}

/** Milliseconds. */
function trustingPeriodOf({ spec, vouched, connect }: OpenNodeOptions): number {
  // Who hears nobody cannot be deceived.
  if (vouched?.development === true || connect === undefined) return Number.POSITIVE_INFINITY;
  return spec.consensus.trustingPeriodSeconds * 1000;
}

/** What the node stands on: checked at the start, and where its operator named a block, until that block has come. */
class Ground {
  readonly #options: OpenNodeOptions;
  readonly #trustingPeriod: number;
  readonly #clock: Clock;
  #footing: Footing;

  /** Throws SYNC_TRUST_EXPIRED. */
  constructor(options: OpenNodeOptions, { head, consensus }: Node, trustingPeriod: number, clock: Clock) {
    const { vouched = {} } = options;
    const isValidator = consensus.own !== undefined;
    const isAlone = isValidator && consensus.epoch.set.ids.length === 1;
    this.#options = options;
    this.#trustingPeriod = trustingPeriod;
    this.#clock = clock;
    this.#footing = footingOf({ head, now: clock.now(), trustingPeriod, vouched, isValidator, isAlone });
  }

  get now(): Footing {
    return this.#footing;
  }

  onBlock(block: ChainHead): void {
    const { vouched, onFailure } = this.#options;
    if (vouched?.checkpoint === undefined) return;
    const facts = { now: this.#clock.now(), trustingPeriod: this.#trustingPeriod, footing: this.#footing };
    try {
      this.#footing = checkCheckpoint(block, vouched.checkpoint, facts);
    } catch (error) {
      onFailure(error);
    }
  }
}

async function openStore(options: OpenNodeOptions, { header }: GenesisBlock): Promise<ChainStore> {
  const { spec, directory, archive, limits } = options;
  return await ChainStore.open(join(directory, "chain"), {
    chain: { chainId: spec.chainId, genesisHash: hashHeader(header) },
    forImport: true,
    ...(archive !== undefined && { archive }),
    ...(limits !== undefined && { limits }),
  });
}

async function commitGenesis(store: ChainStore, { header, executed }: GenesisBlock): Promise<void> {
  if (store.head !== undefined) return;
  await discardImport(store);
  await store.commit({ header, hash: hashHeader(header), executed });
}

/** What was opened, to be closed in the opposite order, each whatever became of the others. */
class Closing {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
