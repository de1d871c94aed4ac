/** One node in one process: puts settings, keys, log, metrics, network, chain and RPC together, and takes them apart. */
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { bls } from "../../base/bls.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { hashHeader } from "../../chain/blocks/header.ts";
import { buildGenesisBlock } from "../../chain/genesis-block.ts";
import { loadNodeKey } from "../../chain/keys/node-key.ts";
import { Network } from "../../chain/network/network.ts";
import { meterOf } from "../../chain/observe/meter-of.ts";
import { createMetrics, type Metrics } from "../../chain/observe/metrics.ts";
import type { CatchUpOptions } from "../../chain/runtime/catch-up.ts";
import type { NodeMeter } from "../../chain/runtime/node-meter.ts";
import type { NetworkFactory } from "../../chain/runtime/node-network.ts";
import { type OpenNode, openNode } from "../../chain/runtime/open-node.ts";
import type { SyncProgress } from "../../chain/sync/events.ts";
import { verifyValidators } from "../../genesis/verify-validators.ts";
import manifest from "../../package.json" with { type: "json" };
import type { AdminServer } from "../../rpc/admin/admin-server.ts";
import { RpcHost } from "../../rpc/thread/rpc-host.ts";
import type { Address } from "../../vm/state/account.ts";
import type { CommandContext } from "../command.ts";
import { inputEnd } from "../input-end.ts";
import { makeFolder } from "../make-folder.ts";
import { BlockWatch } from "./block-watch.ts";
import { expectsPeers } from "./expects-peers.ts";
import { guardProcess } from "./guard-process.ts";
import { startNodeAdmin } from "./node-admin.ts";
import { type NodeLoggers, nodeLoggers } from "./node-loggers.ts";
import type { NodeSettings } from "./node-settings.ts";
import { snapshotText } from "./progress-text.ts";
import { chainShare, type Readiness, readinessOf } from "./readiness.ts";
import { hasSigned, markerPath, markSigned } from "./signing-marker.ts";
import { watchSyncing } from "./sync-watch.ts";

/** A follower makes no blocks, so nobody receives anything. */
const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const READY_LOOK_INTERVAL = 100;
/** Log lines about a snapshot where nobody watches: one in so many reports, which come every second. */
const REPORTS_PER_LINE = 5;

/** Runs until `signal` is aborted. Throws what made it impossible to start or to go on. */
export async function runNode(settings: NodeSettings, signal: AbortSignal, context: CommandContext): Promise<void> {
  const log = nodeLoggers(settings.log);
  const release = guardProcess(log.loggers("node"));
  const metrics = createMetrics();
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal, ...(settings.stopWithInput ? [inputEnd()] : [])]);
  try {
    await makeFolder(settings.dataDir);
    await checkFirstStart(settings);
    const node = new RunningNode(settings, log, metrics, context, (error) => failed.abort(error));
    try {
      await node.start(stopped);
      const verifiers = node.verify(stopped);
      if (!stopped.aborted) await once(stopped, "abort");
      await verifiers;
    } finally {
      log.loggers("node").info({}, "stopping");
      await node.stop();
    }
  } catch (error) {
    // A snapshot that was stopped on request is no failure.
    if (!(isCoded(error, "SYNC_STOPPED") && stopped.aborted)) throw error;
  } finally {
    metrics.close();
    release();
    // An input that is still open would keep the process alive.
    if (settings.stopWithInput) process.stdin.destroy();
  }
  failed.signal.throwIfAborted();
}

/**
 * Proofs of possession are part of the spec, which the database is bound to: once is enough. A proof says that nobody
 * made up a key to forge certificates with; where everybody has all keys that is known.
 */
async function checkFirstStart({ dataDir, spec, key }: NodeSettings): Promise<void> {
  if (key?.isDevelopment === true) return;
  const hasChain = await access(join(dataDir, "chain", "CURRENT")).then(
    () => true,
    () => false,
  );
  if (!hasChain) verifyValidators(spec, bls);
}

class RunningNode {
  readonly #settings: NodeSettings;
  readonly #log: NodeLoggers;
  readonly #metrics: Metrics;
  readonly #context: CommandContext;
  readonly #onFailure: (error: unknown) => void;
  #network: Network | undefined;
  #opened: OpenNode | undefined;
  #server: RpcHost | undefined;
  #admin: AdminServer | undefined;
  #endSyncWatch: (() => void) | undefined;
  #watch: BlockWatch | undefined;
  #readyTimer: NodeJS.Timeout | undefined;
  readonly #genesis: Hex;
  /** A note beside the keystore says that it has signed on this chain. */
  #isUsedKey = false;
  #reports = 0;
  /** Of the last block. */
  #transactions = 0;

  constructor(
    settings: NodeSettings,
    log: NodeLoggers,
    metrics: Metrics,
    context: CommandContext,
    onFailure: (error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#genesis = bytesToHex(hashHeader(buildGenesisBlock(settings.spec).header));
    this.#log = log;
    this.#metrics = metrics;
    this.#context = context;
    this.#onFailure = onFailure;
  }

  async start(stopped: AbortSignal): Promise<void> {
    const { spec, dataDir, key, archive, limits, checkpoint, trustBlock: block } = this.#settings;
    this.#isUsedKey = key?.keystore !== undefined && (await hasSigned(key.keystore, this.#genesis));
    const opened = await openNode({
      spec,
      directory: dataDir,
      ...(key !== undefined && { signer: key.signer, isNewKey: key.isNew && !this.#isUsedKey }),
      coinbase: key?.coinbase ?? NOBODY,
      ...(archive && { archive }),
      connect: this.#connect(),
      catchUp: this.#catchUp(stopped),
      vouched: { checkpoint, block, development: key?.isDevelopment ?? false },
      limits,
      say: this.#log.loggers,
      meter: this.#meter(),
      beforeSigning: () => this.#noteSigning(),
      onFailure: this.#onFailure,
    });
    this.#opened = opened;
    this.#server = await this.#listen(opened);
    this.#admin = await this.#administer();
    this.#endSyncWatch = watchSyncing(
      () => ({ ...this.#readiness(), target: this.#target() }),
      (status) => this.#server?.onSyncing(status),
    );
    this.#watchBlocks(opened);
    this.#announce(opened);
    this.#awaitReadiness();
  }

  /** Verifiers of this process, until the signal. Loaded only where there are any. */
  async verify(stopped: AbortSignal): Promise<void> {
    const { verifiers: keys, dataDir } = this.#settings;
    const rpc = this.#server?.url;
    if (keys.length === 0 || rpc === undefined) return;
    const { runVerifiers } = await import("./node-verifiers.ts");
    await runVerifiers({ keys, rpc, dataDir, log: this.#log.loggers("compute") }, stopped);
  }

  /** From now on the key has signed on this chain, whatever becomes of the folder, and of the rest of this start. */
  async #noteSigning(): Promise<void> {
    const keystore = this.#settings.key?.keystore;
    if (keystore === undefined) return;
    await markSigned(keystore, this.#genesis).catch((error: unknown) => {
      const advice = "cannot note beside the keystore that this key signs: do not leave --new-key in a service file";
      this.#log.loggers("node").warn({ file: markerPath(keystore), error: String(error) }, advice);
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#readyTimer);
    this.#watch?.close();
    this.#endSyncWatch?.();
    await this.#admin?.close();
    await this.#server?.close();
    await this.#opened?.close();
  }

  #catchUp(signal: AbortSignal): CatchUpOptions | false {
    const { fromGenesis, nearBlocks } = this.#settings;
    if (fromGenesis) return false;
    return {
      nearBlocks,
      expectsPeers: expectsPeers(this.#settings),
      onProgress: (progress) => this.#onSnapshot(progress),
      signal,
    };
  }

  #connect(): NetworkFactory {
    const { spec, dataDir, listen, announce, bootstrap, persistent, mdns } = this.#settings;
    return async (handlers, validator) => {
      const network = await Network.create(
        {
          nodeKey: await loadNodeKey(join(dataDir, "node.key")),
          chainId: spec.chainId,
          genesis: this.#genesis,
          ...{ validator, listen, announce, bootstrap, persistent, mdns },
          peersFile: join(dataDir, "peers.json"),
          agent: `ogpu/${manifest.version}`,
          log: this.#log.loggers("network"),
        },
        handlers,
      );
      await network.start();
      this.#network = network;
      return network;
    };
  }

  /** The meter also tells how many transactions a block has: reading the block for that would cost more. */
  #meter(): NodeMeter {
    const meter = meterOf(this.#metrics);
    return {
      ...meter,
      block: (height, transactions) => {
        this.#transactions = transactions;
        meter.block(height, transactions);
      },
    };
  }

  #onSnapshot(progress: SyncProgress): void {
    const { status, loggers } = this.#log;
    status?.show(snapshotText(progress));
    if (status === undefined && this.#reports++ % REPORTS_PER_LINE === 0) {
      const isFound = progress.phase !== "offers";
      loggers("sync").info({ ...progress }, isFound ? "fetching a snapshot of the state" : "looking for a snapshot");
    }
  }

  async #listen({ node }: OpenNode): Promise<RpcHost | undefined> {
    const { rpc, spec, dataDir, blobSpace } = this.#settings;
    if (rpc === undefined) return undefined;
    const clientVersion = `ogpu/v${manifest.version}/${process.platform}-${process.arch}/node${process.versions.node}`;
    return RpcHost.start({
      settings: {
        ...{ ...rpc, spec, directory: join(dataDir, "chain"), clientVersion },
        ...(blobSpace > 0 && {
          blobs: { module: blobsModule(), directory: join(dataDir, "blobs"), megabytes: blobSpace },
        }),
      },
      node,
      ...(this.#opened !== undefined && { blobs: this.#opened.blobs }),
      log: this.#log.loggers("rpc"),
      monitoring: {
        readiness: () => ({ ...this.#readiness(), ...this.#publicFacts() }),
        metrics: async () => ({ contentType: this.#metrics.contentType, text: await this.#metricsText() }),
      },
    });
  }

  /** How far the node is depends on what its peers have, so it is looked up when somebody asks. */
  async #metricsText(): Promise<string> {
    this.#metrics.syncProgress.set(chainShare(this.#opened?.node.head.number ?? 0, this.#target()));
    return await this.#metrics.text();
  }

  #administer(): Promise<AdminServer | undefined> {
    return startNodeAdmin({
      dataDir: this.#settings.dataDir,
      loggers: this.#log.loggers,
      network: () => this.#network,
      facts: () => ({ ...this.#readiness(), ...this.#facts() }),
    });
  }

  /** The height that most of the peers have. */
  #target(): number {
    return median(this.#network?.peers().map(({ height }) => height) ?? []);
  }

  #watchBlocks({ node }: OpenNode): void {
    const { status, loggers } = this.#log;
    this.#watch = new BlockWatch({
      log: loggers("node"),
      status,
      context: this.#context,
      height: () => node.head.number,
      target: () => this.#target(),
    });
    node.onBlock((block) => this.#watch?.onBlock(block, this.#transactions));
  }

  #announce({ notSigning }: OpenNode): void {
    const log = this.#log.loggers("node");
    const facts = this.#facts();
    log.info(facts, "node started");
    if (notSigning !== undefined) this.#warnOfMissingLog(notSigning);
    else if (this.#settings.key !== undefined && this.#opened?.node.consensus.own === undefined) {
      log.warn(
        { validator: this.#settings.key.signer.id },
        "this key is of no validator of this epoch: the node follows",
      );
    }
    this.#context.event({ event: "started", pid: process.pid, ...facts });
  }

  #warnOfMissingLog(reason: string): void {
    const { key } = this.#settings;
    const validator = key?.signer.id;
    const cures = [
      "If its log or an export of it is elsewhere: ogpu keys guard-import, then start again.",
      "If it is lost: give the validator a new key. The old one must never sign again.",
      this.#isUsedKey
        ? `--new-key has no effect: by ${markerPath(key?.keystore ?? "")} the key has signed on this chain before.`
        : "Only if this key has never signed on this chain: start once with --new-key.",
    ];
    this.#log.loggers("node").error({ validator, cures }, `THIS VALIDATOR DOES NOT SIGN, it only follows: ${reason}`);
  }

  /** For the machine's own user. */
  #facts() {
    return { ...this.#publicFacts(), dataDir: this.#settings.dataDir };
  }

  #publicFacts() {
    const { spec, key } = this.#settings;
    return {
      network: spec.name,
      chainId: Number(spec.chainId),
      height: this.#opened?.node.head.number ?? 0,
      role: key === undefined || this.#opened?.notSigning !== undefined ? "follower" : "validator",
      ...(key !== undefined && { validator: key.signer.id }),
      peerId: this.#network?.peerId,
      addresses: this.#network?.addresses(),
      ...(this.#server !== undefined && { rpc: this.#server.url }),
    };
  }

  #readiness(): Readiness {
    const { head, consensus } = (this.#opened as OpenNode).node;
    return readinessOf({
      height: head.number,
      peerHeights: this.#network?.peers().map(({ height }) => height) ?? [],
      isTrusted: this.#opened?.footing() === "firm",
      isAlone: consensus.own !== undefined && consensus.epoch.set.ids.length === 1,
    });
  }

  /** Said once: whoever waits for it goes on from there. */
  #awaitReadiness(): void {
    this.#readyTimer = setInterval(() => {
      if (!this.#readiness().ready) return;
      clearInterval(this.#readyTimer);
      const { url, port } = this.#server ?? {};
      this.#context.report({ event: "ready", url, port }, url === undefined ? "READY" : `READY ${url}`);
    }, READY_LOOK_INTERVAL);
  }
}

/** Compiled, because the RPC's thread is. */
function blobsModule(): string {
  const here = import.meta.url;
  const url = here.endsWith(".ts")
    ? new URL("../../dist/cli/agent/rpc-blobs.js", here)
    : new URL("../agent/rpc-blobs.js", here);
  return url.href;
}

/** Of the lower half's highest: more than half of the peers have at least this. */
function median(heights: readonly number[]): number {
  return [...heights].sort((a, b) => a - b)[Math.floor((heights.length - 1) / 2)] ?? 0;
}
