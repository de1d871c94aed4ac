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
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import { hashHeader, isSealHeader } from "../blocks/header.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import type { Signer } from "../consensus/crypto.ts";
import { buildGenesisBlock, type GenesisBlock } from "../genesis-block.ts";
import { MempoolJournal } from "../mempool/journal.ts";
import { SenderPool } from "../senders/sender-pool.ts";
import { type ChainHead, ChainStore } from "../store/chain-store.ts";
import { discardImport } from "../store/import-state.ts";
import type { StoreLimits } from "../store/limits.ts";
import type { SourceLimits } from "../sync/limits.ts";
import type { Checkpoint } from "../sync/seal-chain.ts";
import { SnapshotSource } from "../sync/snapshot-source.ts";
import { WorkerVerifier } from "../verification/worker-verifier.ts";
import { type CatchUpOptions, catchUp } from "./catch-up.ts";
import { type Clock, systemClock } from "./clock.ts";
import { INLINE_RECOVERIES } from "./limits.ts";
import { Node } from "./node.ts";
import { type NodeLog, silentLog } from "./node-log.ts";
import { type NodeMeter, noMeter } from "./node-meter.ts";
import type { NetworkFactory, NodeNetwork } from "./node-network.ts";
import { openLog } from "./open-log.ts";
import { Relay } from "./relay.ts";
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
  /** Bounds of the store's memory. */
  readonly limits?: Partial<StoreLimits>;
  /** When states are kept for those that catch up. */
  readonly snapshots?: Partial<SourceLimits>;
  readonly clock?: Clock;
  readonly say?: NodeLog;
  readonly meter?: NodeMeter;
  readonly onFailure: (error: unknown) => void;
}

export interface OpenNode {
  readonly node: Node;
  readonly network: NodeNetwork | undefined;
  /** Why the node follows although it has a key, if so. */
  readonly notSigning: string | undefined;
  close(): Promise<void>;
}

/** Throws the errors of the parts: STORE_, WAL_, MEMPOOL_JOURNAL_, NETWORK_ and SYNC_ codes. Closes what it opened. */
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
  const relay = new Relay(source, clock, () => store.head?.number ?? 0, onFailure);
  const network = await options.connect?.(relay, signer === undefined ? "follower" : "validator");
  relay.network = network;
  if (network !== undefined) {
    opened.add(() => network.stop());
    const parts = { spec, genesis: genesis.header, store, directory, crypto, clock, network, relay, say: say("sync") };
    if (store.head === undefined && options.catchUp !== false) await catchUp(parts, options.catchUp);
  }
  await commitGenesis(store, genesis);
  source.start(clock.now());
  const senders = new SenderPool({ inline: INLINE_RECOVERIES });
  opened.add(() => senders.close());
  const verifier = new WorkerVerifier({ chainId: spec.chainId });
  opened.add(() => verifier.close());
  const journal = await MempoolJournal.open(join(directory, "mempool.journal"));
  opened.add(() => journal.close());
  const { coinbase, validators } = options;
  const node = new Node({
    ...{ spec, store, log, records, floor, journal, senders, verifier, crypto, signer, coinbase },
    ...{ clock, say, meter, onFailure },
    ...(validators && { validators }),
  });
  opened.add(() => node.stop());
  node.onBlock(({ number }) => source.onFinal(number, clock.now()));
  const checkpoint = options.catchUp === false ? undefined : options.catchUp?.checkpoint;
  if (checkpoint !== undefined) node.onBlock((block) => checkCheckpoint(block, checkpoint, onFailure));
  relay.node = node;
  await node.start(network, journal.load());
  return { node, network, notSigning, close: () => opened.close() };
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

/** Where no snapshot was fetched, nobody has compared the chain with what the operator was told. */
function checkCheckpoint(
  { header, hash }: ChainHead,
  checkpoint: Checkpoint,
  onFailure: (error: unknown) => void,
): void {
  if (!isSealHeader(header) || header.extra.epoch !== checkpoint.epoch || bytesToHex(hash) === checkpoint.hash) return;
  onFailure(
    new CodedError("SYNC_CHECKPOINT_UNKNOWN", `epoch ${checkpoint.epoch} ends with another block than the checkpoint`, {
      expected: checkpoint.hash,
      found: bytesToHex(hash),
      hint: "One of the two is false: ask several people that you trust. Then delete the folder and start again.",
    }),
  );
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
