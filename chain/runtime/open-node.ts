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
import { isCoded } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import { hashHeader } from "../blocks/header.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import type { Signer } from "../consensus/crypto.ts";
import type { FinalSegment, Message } from "../consensus/types.ts";
import { buildGenesisBlock } from "../genesis-block.ts";
import { MempoolJournal } from "../mempool/journal.ts";
import { SenderPool } from "../senders/sender-pool.ts";
import { ChainStore } from "../store/chain-store.ts";
import { WorkerVerifier } from "../verification/worker-verifier.ts";
import { ConsensusLog, type ConsensusLogOptions, type OpenedLog } from "../wal/consensus-log.ts";
import { decodeRecord, encodeRecord } from "../wire/log-record.ts";
import type { NodeMessage } from "../wire/node-message.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Node } from "./node.ts";
import { type NodeLog, silentLog } from "./node-log.ts";
import { type NodeMeter, noMeter } from "./node-meter.ts";
import type { NetworkFactory, NodeNetwork, NodeNetworkHandlers, Peer } from "./node-network.ts";
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

/** Throws the errors of the parts: STORE_, WAL_ and JOURNAL_ codes. Whatever was opened is closed again. */
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
  const { spec, directory, clock = systemClock, say = silentLog, meter = noMeter } = options;
  await mkdir(directory, { recursive: true });
  const store = await openStore(options);
  opened.add(() => store.close());
  const relay = new Relay(() => store.head?.number ?? 0);
  const network = await options.connect?.(relay);
  if (network !== undefined) opened.add(() => network.stop());
  const { log, records, floor, signer, notSigning } = await openLog(options);
  opened.add(() => log.close());
  const senders = new SenderPool();
  opened.add(() => senders.close());
  const verifier = new WorkerVerifier({ chainId: spec.chainId });
  opened.add(() => verifier.close());
  const journal = await MempoolJournal.open(join(directory, "mempool.journal"));
  opened.add(() => journal.close());
  const crypto = blsCrypto(bls);
  const { coinbase, validators, onFailure } = options;
  const node = new Node({
    ...{ spec, store, log, records, floor, journal, senders, verifier, crypto, signer, coinbase },
    ...{ clock, say, meter, onFailure },
    ...(validators && { validators }),
  });
  opened.add(() => node.stop());
  relay.node = node;
  await node.start(network, journal.load());
  return { node, network, notSigning, close: () => opened.close() };
}

async function openStore({ spec, directory, archive }: OpenNodeOptions): Promise<ChainStore> {
  const { header, executed } = buildGenesisBlock(spec);
  const genesisHash = hashHeader(header);
  const store = await ChainStore.open(join(directory, "chain"), {
    chain: { chainId: spec.chainId, genesisHash },
    ...(archive !== undefined && { archive }),
  });
  if (store.head === undefined) await store.commit({ header, hash: genesisHash, executed });
  return store;
}

interface SigningLog extends OpenedLog {
  readonly signer: Signer | undefined;
  readonly notSigning: string | undefined;
}

/**
 * A validator signs only over the log of all that it has signed. Where that is missing the disk may have been lost, so
 * the node follows, until its operator brings the log back or gives the validator a fresh key.
 */
async function openLog({ spec, directory, signer, isNewKey, onFailure }: OpenNodeOptions): Promise<SigningLog> {
  const folder = join(directory, "consensus");
  const { chainId } = spec;
  const optionsFor = (validator: Signer | undefined): ConsensusLogOptions => ({
    codec: { encode: encodeRecord, decode: decodeRecord },
    identity: { chainId, validator: validator?.id },
    onFailure,
  });
  const open = (validator: Signer | undefined): Promise<OpenedLog> => ConsensusLog.open(folder, optionsFor(validator));
  const openOrMake = async (validator: Signer | undefined): Promise<OpenedLog> => {
    try {
      return await open(validator);
    } catch (error) {
      if (!isCoded(error, "WAL_MISSING")) throw error;
      await ConsensusLog.create(folder, { chainId, validator: validator?.id });
      return open(validator);
    }
  };
  if (signer === undefined || isNewKey === true) {
    return { ...(await openOrMake(signer)), signer, notSigning: undefined };
  }
  try {
    return { ...(await open(signer)), signer, notSigning: undefined };
  } catch (error) {
    if (!isCoded(error, "WAL_MISSING")) throw error;
    const notSigning = "there is no record here of what this validator has signed";
    return { ...(await openOrMake(undefined)), signer: undefined, notSigning };
  }
}

/** Stands between the network, which comes first, and the node, which takes part later. */
class Relay implements NodeNetworkHandlers {
  node: Node | undefined;
  readonly #height: () => number;

  constructor(height: () => number) {
    this.#height = height;
  }

  onMessage(from: string, message: NodeMessage): void {
    if (isConsensus(message)) this.node?.receive(from, message);
  }

  async onTransactions(_: string, raws: readonly Uint8Array[]): ReturnType<NodeNetworkHandlers["onTransactions"]> {
    return (await this.node?.receiveTransactions(raws)) ?? "ignore";
  }

  async onFinalBlock(from: string, segment: FinalSegment): ReturnType<NodeNetworkHandlers["onFinalBlock"]> {
    return (await this.node?.receiveFinalBlock(from, segment)) ?? "ignore";
  }

  onPeer(peer: Peer, isConnected: boolean): void {
    if (isConnected) this.node?.onPeer(peer);
  }

  status(): { readonly height: number } {
    return { height: this.#height() };
  }
}

const CONSENSUS_TYPES: ReadonlySet<string> = new Set<Message["type"]>([
  "proposal",
  "vote",
  "certificate",
  "block",
  "finals",
  "fetch-block",
  "fetch-certificates",
  "fetch-finals",
]);

function isConsensus(message: NodeMessage): message is Message {
  return CONSENSUS_TYPES.has(message.type);
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
