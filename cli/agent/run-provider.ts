/** A provider in this process: its device, its blobs and journal in a folder, its services over HTTP, the chain through a node. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { Hex } from "../../base/bytes.ts";
import { StoredBlobs } from "../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../compute/agent/blobs/blob-store.ts";
import type { BlobPort, ChainPort } from "../../compute/agent/ports.ts";
import { describeDevice, regionOf } from "../../compute/agent/provider/describe-device.ts";
import { LocalRunner } from "../../compute/agent/provider/local-runner.ts";
import type { ProviderPolicy, WorkingDevice } from "../../compute/agent/provider/policy.ts";
import { ProviderAgent } from "../../compute/agent/provider/provider-agent.ts";
import type { ProviderEvent } from "../../compute/agent/provider/provider-event.ts";
import { ProviderService } from "../../compute/agent/provider/provider-service.ts";
import type { SegmentRunner } from "../../compute/agent/provider/segment-runner.ts";
import { QueueRunner } from "../../compute/agent/queue/queue-runner.ts";
import { queueConnection, queueName } from "../../compute/agent/queue/queue-settings.ts";
import { ownerByToken } from "../../compute/agent/queue/worker-token.ts";
import { chooseDevice } from "../../compute/device/choose-device.ts";
import type { Device } from "../../compute/device/device.ts";
import { usageError } from "../failure.ts";
import { makeFolder } from "../make-folder.ts";
import { agentWeb } from "./agent-web.ts";
import { JournalFile } from "./journal-file.ts";
import { NodeChain } from "./node-chain.ts";
import { NodeProgress } from "./node-progress.ts";
import { offeringRunner } from "./offering-runner.ts";
import { addDevice, knownDevice, type Registration, registerProvider } from "./register-provider.ts";
import { StopPause } from "./stop-pause.ts";
import { systemClock } from "./system-clock.ts";

export interface ProviderSetup {
  readonly rpc: string;
  readonly key: Uint8Array;
  readonly dataDir: string;
  readonly name: string;
  readonly device: string;
  readonly cudaLibrary: string | undefined;
  readonly region: string;
  /** By what the benchmark measures when undefined. */
  readonly tier: number | undefined;
  /** A short benchmark, of little meaning. */
  readonly quick: boolean;
  readonly host: string;
  readonly port: number;
  /** What others are told; where it listens if undefined. */
  readonly endpoint: string | undefined;
  readonly collateral: bigint | undefined;
  readonly policy: ProviderPolicy;
  /** Asks those too who registered an address of an internal network. */
  readonly allowInternal: boolean;
  /** Workers on other machines compute, where there is one. */
  readonly queue: { readonly address: string; readonly token: string } | undefined;
  /** Of canaries and tests: parts that do not do what they should. */
  readonly faults?: ProviderFaults;
  /** Pauses on chain when it is stopped, if that takes no more seconds. */
  readonly pauseSeconds?: number | undefined;
  progress(text: string): void;
  tell(event: ProviderEvent | ProviderStarted | ProviderStopped): void;
}

export interface ProviderFaults {
  /** Tiles that it checks of its own work before it commits. */
  readonly recheckedTiles?: number;
  device?(device: Device): Device;
  chain?(chain: ChainPort): ChainPort;
  runner?(runner: SegmentRunner, blobs: BlobPort): SegmentRunner;
}

export interface ProviderStarted {
  readonly kind: "started";
  readonly account: Hex;
  readonly endpoint: string;
  readonly device: string;
  readonly tier: number;
  /** Whoever is paused or leaves serves what it still owes, and gets no new work. */
  readonly state: Registration["state"];
}

export interface ProviderStopped {
  readonly kind: "stopped";
  /** Whether it gets work no more until it is started again; `undefined` where it got none before. */
  readonly paused: boolean | undefined;
  /** Why it could not pause. */
  readonly problem: string | undefined;
  /** Jobs that it still answers for. */
  readonly jobs: readonly bigint[];
}

/** Milliseconds between two looks for blobs that nobody needs any more. */
const COLLECT_MILLISECONDS = 600_000;
/** Where nothing was measured: compute units in a second of a slow processor. */
const CAUTIOUS_SPEED = 1e8;

/** Until the signal. Throws DEVICE_WRONG, PROVIDER_UNKNOWN, and what the chain refuses. */
export async function runProvider(setup: ProviderSetup, signal: AbortSignal): Promise<void> {
  await makeFolder(setup.dataDir);
  const device = deviceOf(setup);
  const chain = new NodeChain(setup.rpc, setup.key);
  const store = await BlobStore.open(join(setup.dataDir, "blobs"));
  const journal = new JournalFile(join(setup.dataDir, "provider.journal"));
  const server = createServer();
  try {
    server.listen(setup.port, setup.host);
    await once(server, "listening");
    const endpoint = setup.endpoint ?? urlOf(server, setup.host);
    const pause = new StopPause(setup.dataDir, 1000 * (setup.pauseSeconds ?? 0));
    const { name, collateral } = setup;
    const registered = await registerProvider(chain, { name, endpoint, collateral, resumes: await pause.isOwn() });
    const { state } = registered;
    if (state === "active") await pause.forget();
    const working = state === "leaving" ? retired(setup) : await workingDevice(chain, device, setup, signal);
    setup.tell({ kind: "started", account: chain.account, endpoint, device: device.name, tier: working.tier, state });
    if (registered.endpoint !== endpoint) setup.tell(elsewhere(registered));
    const jobs = await work({ setup, chain, store, journal, server, device, working, endpoint, state }, signal);
    setup.tell({ kind: "stopped", jobs, ...(await pausedBy(pause, chain, setup)) });
  } finally {
    server.closeAllConnections();
    server.close();
    chain.close();
    await journal.close();
    await store.close();
  }
}

/** Its devices are gone from the chain, and nothing is asked of them but what was committed before. */
function retired({ region }: ProviderSetup): WorkingDevice {
  return { id: 0n, tier: 0, region: regionOf(region), speed: CAUTIOUS_SPEED };
}

function elsewhere({ endpoint }: Registration): ProviderEvent {
  const message = `it is leaving, so that its endpoint stays ${endpoint}: start it where verifiers find it there`;
  return { kind: "problem", job: undefined, code: "ENDPOINT_FIXED", message };
}

async function pausedBy(
  pause: StopPause,
  chain: NodeChain,
  { key, pauseSeconds }: ProviderSetup,
): Promise<Pick<ProviderStopped, "paused" | "problem">> {
  if (pauseSeconds === undefined) return { paused: false, problem: undefined };
  try {
    return { paused: await pause.pause(chain, key), problem: undefined };
  } catch (error) {
    return { paused: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function deviceOf({ device: word, cudaLibrary }: ProviderSetup): Device {
  const device = chooseDevice(word, cudaLibrary);
  if (device !== undefined) return device;
  throw usageError(`--device ${word}: expected cpu, wasm or cuda:N, as in cuda:0`, "See: ogpu provider --help");
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Tested and measured when it is new; one that is registered is taken as it is. */
async function workingDevice(
  chain: NodeChain,
  device: Device,
  { region, tier, quick, progress }: ProviderSetup,
  signal: AbortSignal,
): Promise<WorkingDevice> {
  const known = await knownDevice(chain, device.name.startsWith("CUDA") ? 2 : 1, regionOf(region));
  if (known !== undefined) return { ...known, speed: CAUTIOUS_SPEED };
  const { description, speed } = await describeDevice(device, {
    ...{ memoryBytes: totalmem() / 2, region, signal, onStep: progress },
    ...(tier !== undefined && { tier }),
    ...(quick && { side: 64, duration: 10 }),
  });
  return { ...(await addDevice(chain, description)), speed };
}

interface Workshop {
  readonly setup: ProviderSetup;
  readonly chain: NodeChain;
  readonly store: BlobStore;
  readonly journal: JournalFile;
  readonly server: Server;
  readonly device: Device;
  readonly working: WorkingDevice;
  readonly endpoint: string;
  readonly state: Registration["state"];
}

/** Gives the jobs that it still answers for when it ends. */
async function work(
  { setup, chain, store, journal, server, device, working, endpoint, state }: Workshop,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const { queue } = setup;
  const web = agentWeb(chain.link, setup.allowInternal);
  const blobs = new StoredBlobs(store, queue === undefined ? {} : { ownerOf: ownerByToken(queue.token) }, web);
  const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));
  const reference = chooseDevice("wasm", undefined) ?? device;
  const queued = queue && queuedRunner(queue.address, chain.account, blobs, endpoint);
  const { faults } = setup;
  const recheck = faults?.recheckedTiles === undefined ? {} : { recheckedTiles: faults.recheckedTiles };
  const own =
    queued ?? new LocalRunner({ device: faults?.device?.(device) ?? device, reference, blobs, random, ...recheck });
  const runner = faults?.runner?.(own, blobs) ?? offeringRunner(own, blobs, setup.rpc);
  const port = faults?.chain?.(chain) ?? chain;
  const progress = new NodeProgress(setup.rpc, (digest) => chain.sign(digest));
  const ports = { chain: port, blobs, journal, clock: systemClock, progress, runner, web, random, tell: setup.tell };
  const policy = state === "leaving" ? { ...setup.policy, pool: false, auctions: false } : setup.policy;
  const agent = await ProviderAgent.open(ports, { policy, device: working, places: [setup.rpc] });
  const onFailure = (error: unknown): void =>
    setup.tell({ kind: "problem", job: undefined, code: "SERVICE_FAILED", message: String(error) });
  const service = new ProviderService({ chain, blobs, runner, agent, signal, onFailure });
  server.on("request", (request, response) => service.handle(request, response));
  const timer = setInterval(() => void store.collect().catch(() => undefined), COLLECT_MILLISECONDS);
  try {
    await agent.run(signal);
    return agent.memory.jobs();
  } finally {
    clearInterval(timer);
    await queued?.close();
  }
}

function queuedRunner(address: string, account: Hex, blobs: StoredBlobs, home: string): QueueRunner {
  return new QueueRunner({ connection: queueConnection(address), name: queueName(account), blobs, home });
}
