/** Brings the state of a certified block into an empty store, if peers have one that is worth it. */
import { join } from "node:path";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { BlockHeader } from "../blocks/header.ts";
import type { Crypto } from "../consensus/crypto.ts";
import { genesisWeights } from "../consensus-parameters.ts";
import type { ChainStore } from "../store/chain-store.ts";
import type { SyncProgress } from "../sync/events.ts";
import type { Checkpoint } from "../sync/seal-chain.ts";
import { SyncFiles } from "../sync/sync-files.ts";
import { SyncRunner } from "../sync/sync-runner.ts";
import type { Clock } from "./clock.ts";
import type { SubsystemLog } from "./node-log.ts";
import type { NodeNetwork } from "./node-network.ts";
import type { Relay } from "./relay.ts";

export interface CatchUpOptions {
  /** A network that is so many blocks ahead is caught up with by its blocks. */
  readonly nearBlocks?: number;
  /** Peers are named, so one will come; otherwise the node may be the first of its network. */
  readonly expectsPeers?: boolean;
  /** About once a second while it lasts. */
  readonly onProgress?: (progress: SyncProgress) => void;
  /** Ends it; what was fetched stays for the next time. */
  readonly signal?: AbortSignal;
}

export interface CatchUpParts {
  readonly spec: ChainSpec;
  readonly genesis: BlockHeader;
  readonly store: ChainStore;
  readonly directory: string;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly network: NodeNetwork;
  readonly relay: Relay;
  readonly say: SubsystemLog;
}

const PROGRESS_INTERVAL = 1_000;

/** `checkpoint` is the seal of an epoch that the operator vouches for. Rejects with what the disk says, with the reason of a sync that failed, and with SYNC_STOPPED. */
export async function catchUp(
  parts: CatchUpParts,
  options: CatchUpOptions = {},
  checkpoint?: Checkpoint,
): Promise<void> {
  const { store, clock, network, relay, say } = parts;
  const runner = new SyncRunner({
    store,
    files: new SyncFiles(join(parts.directory, "sync")),
    trust: trustOf(parts, checkpoint),
    send: (to, message) => network.send(to, message),
    penalise: (peer, reason) => {
      say.warn({ peer, reason }, "a peer sent a false part of a snapshot");
      network.penalise(peer, "invalid");
    },
    clock,
    // Whoever names a checkpoint knows of a network.
    expectsPeers: options.expectsPeers === true || checkpoint !== undefined,
    ...(options.nearBlocks !== undefined && { nearBlocks: options.nearBlocks }),
  });
  relay.sync = runner;
  const stop = (): void => void runner.stop();
  if (options.signal?.aborted === true) stop();
  options.signal?.addEventListener("abort", stop);
  const endProgress = report(runner, clock, options.onProgress);
  try {
    for (const { peer } of network.peers()) runner.onPeer(peer, true);
    const outcome = await runner.run();
    if (outcome.type === "failed") throw outcome.error;
    say.info({ ...outcome }, outcome.type === "imported" ? "snapshot imported" : "no snapshot needed");
  } finally {
    endProgress();
    options.signal?.removeEventListener("abort", stop);
    relay.sync = undefined;
  }
}

function trustOf({ spec, genesis, crypto }: CatchUpParts, checkpoint: Checkpoint | undefined) {
  const { consensus } = spec;
  return {
    chainId: spec.chainId,
    crypto,
    trustingPeriod: consensus.trustingPeriodSeconds * 1000,
    maxSkew: consensus.maxSkewMilliseconds,
    genesis,
    validators: genesisWeights(spec),
    checkpoint,
  };
}

function report(runner: SyncRunner, clock: Clock, onProgress: CatchUpOptions["onProgress"]): () => void {
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.setTimer(PROGRESS_INTERVAL, () => {
      const progress = runner.progress();
      if (progress !== undefined) onProgress?.(progress);
      next();
    });
  };
  if (onProgress !== undefined) next();
  return () => cancel();
}
