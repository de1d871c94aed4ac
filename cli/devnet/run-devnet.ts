/** `ogpu devnet`: a network of validators on this machine, each in a process of its own. */
import { once } from "node:events";
import { join } from "node:path";
import { CodedError } from "../../base/errors.ts";
import { loadNodeKey } from "../../chain/keys/node-key.ts";
import { peerIdOf } from "../../chain/network/peer-id-of.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { CommandContext } from "../command.ts";
import { DEFAULT_RPC_PORT } from "../defaults.ts";
import { DevnetFolder, type DevnetState, type RememberedValidator } from "./devnet-folder.ts";
import { checkSameSpec, newDevnetSpec } from "./devnet-spec.ts";
import { DevnetVoice } from "./devnet-voice.ts";
import { choosePort, isFree, tryListening } from "./ports.ts";
import { PROVIDER_ACCOUNTS, ProviderProcesses, VERIFIER_ACCOUNTS } from "./provider-processes.ts";
import { type RpcRights, rpcArguments } from "./rpc-arguments.ts";
import { Supervisor } from "./supervisor.ts";
import type { ChildEvent } from "./validator-process.ts";

/** Ports that are tried when nobody asked for a certain one. */
const PORTS_TRIED = 10;
/** Validators listen for each other here. */
const P2P_HOST = "127.0.0.1";
/** Providers are reached here. */
const PROVIDER_HOST = "127.0.0.1";
/** Megabytes for parts of the state, per validator. */
const CACHE = 32;
/** Milliseconds without a final block after which people are told where to look. */
const PATIENCE = 30_000;

export interface DevnetOptions extends RpcRights {
  readonly dataDir: string;
  readonly fresh: boolean;
  readonly spec: string | undefined;
  readonly validators: number | undefined;
  readonly providers: number;
  readonly rpcPort: number | undefined;
  readonly rpcHost: string;
  readonly archive: boolean;
  readonly logLevel: string;
}

/** Runs until `signal` is aborted. */
export async function runDevnet(options: DevnetOptions, signal: AbortSignal, context: CommandContext): Promise<void> {
  const folder = await DevnetFolder.open(options.dataDir, options.fresh);
  try {
    const firstPort = await chooseFirstPort(options, context);
    const kept = options.fresh ? undefined : await folder.load();
    if (kept !== undefined) await checkSameSpec(kept.spec, options, folder.directory);
    const spec = kept?.spec ?? (await newDevnetSpec(options, Date.now()));
    // Only now: who cannot start must not lose the old chain by trying.
    if (options.fresh) await folder.clear();
    const state = await prepare(folder, options, firstPort, spec, kept?.state);
    await new Devnet(folder, spec, state, options, context).run(signal);
  } finally {
    await folder.close();
  }
}

/** The port of the RPC that is announced; 0 stands for any. */
async function chooseFirstPort(options: DevnetOptions, { progress }: CommandContext): Promise<number> {
  const { rpcHost: host, rpcPort: wanted } = options;
  if (wanted !== undefined) {
    if (wanted !== 0) await refuseTaken(host, wanted);
    else await tryListening(host, 0);
    return wanted;
  }
  for (let port = DEFAULT_RPC_PORT; port < DEFAULT_RPC_PORT + PORTS_TRIED - 1; port++) {
    if (await isFree(host, port)) return port;
    progress(`port ${port} is taken, trying the next one`);
  }
  const last = DEFAULT_RPC_PORT + PORTS_TRIED - 1;
  await refuseTaken(host, last);
  return last;
}

async function refuseTaken(host: string, port: number): Promise<void> {
  await tryListening(host, port).catch((error: unknown) => {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE") throw error;
    throw new CodedError("RPC_PORT_TAKEN", `another program listens on ${host}:${port}`, {
      port,
      hint: "Stop it, or choose another port with --rpc-port (0 takes any free one).",
    });
  });
}

/** Ports for everybody: those of last time where they are still free. */
async function prepare(
  folder: DevnetFolder,
  options: DevnetOptions,
  firstPort: number,
  spec: ChainSpec,
  kept: DevnetState | undefined,
): Promise<DevnetState> {
  const taken = new Set<number>(firstPort === 0 ? [] : [firstPort]);
  const validators: RememberedValidator[] = [];
  for (const index of spec.validators.keys()) {
    const before = kept?.validators[index];
    validators.push({
      p2pPort: await choosePort(P2P_HOST, before?.p2pPort, taken),
      rpcPort:
        index === 0 && firstPort !== 0
          ? firstPort
          : await choosePort(options.rpcHost, wantedRpc(index, firstPort), taken),
      hasStarted: before?.hasStarted ?? 0,
    });
  }
  const providerPorts: number[] = [];
  for (const index of PROVIDER_ACCOUNTS.keys()) {
    providerPorts.push(await choosePort(PROVIDER_HOST, kept?.providerPorts[index], taken));
  }
  const state: DevnetState = { version: 1, validators, providerPorts };
  if (kept === undefined) await folder.create(spec, state);
  else await folder.save(state);
  return state;
}

/** One after the other from the first one on, unless that was to be any. */
function wantedRpc(index: number, firstPort: number): number | undefined {
  return firstPort === 0 || firstPort + index > 65_535 ? undefined : firstPort + index;
}

class Devnet {
  readonly #folder: DevnetFolder;
  readonly #options: DevnetOptions;
  readonly #context: CommandContext;
  readonly #voice: DevnetVoice;
  readonly #spec: ChainSpec;
  readonly #failed = new AbortController();
  #state: DevnetState;
  /** Writes of the state follow each other. */
  #saved: Promise<void> = Promise.resolve();
  #peers: readonly string[] = [];
  readonly #providers: ProviderProcesses;
  readonly #startedProviders = new Set<number>();
  #onProvider: () => void = () => undefined;

  constructor(
    folder: DevnetFolder,
    spec: ChainSpec,
    state: DevnetState,
    options: DevnetOptions,
    context: CommandContext,
  ) {
    this.#folder = folder;
    this.#state = state;
    this.#options = options;
    this.#context = context;
    this.#voice = new DevnetVoice({
      ...{ spec, directory: folder.directory, count: state.validators.length, context },
      beforeReady: (url) => this.#startProviders(url),
    });
    this.#spec = spec;
    this.#providers = this.#makeProviders();
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#peers = await Promise.all(this.#state.validators.map((_, index) => this.#addressOf(index)));
    const supervisor = this.#supervise();
    const patience = setTimeout(() => this.#voice.stillWaiting(), PATIENCE);
    this.#context.progress(`starting ${this.#peers.length} validators`);
    const stopped = AbortSignal.any([signal, this.#failed.signal]);
    try {
      supervisor.start();
      if (!stopped.aborted) await once(stopped, "abort");
      if (!this.#failed.signal.aborted) this.#context.progress("stopping");
    } finally {
      clearTimeout(patience);
      await this.#providers.stop();
      await supervisor.stop();
      await this.#saved;
    }
    this.#failed.signal.throwIfAborted();
  }

  async #addressOf(index: number): Promise<string> {
    const key = await loadNodeKey(join(this.#folder.validatorFolder(index), "node.key"));
    return `/ip4/${P2P_HOST}/tcp/${this.#state.validators[index]?.p2pPort}/p2p/${await peerIdOf(key)}`;
  }

  #supervise(): Supervisor {
    return new Supervisor({
      validators: this.#state.validators.map((_, index) => ({
        logPath: this.#folder.logPath(index),
        args: () => this.#argsOf(index),
      })),
      onEvent: (index, event) => this.#onEvent(index, event),
      onProblem: (index, line) => this.#context.progress(`validator ${index}: ${line}`),
      onEnd: (index, end, restartIn) => this.#voice.ended(index, end, restartIn),
      onFailure: (error) => this.#failed.abort(error),
    });
  }

  #makeProviders(): ProviderProcesses {
    const { progress, event } = this.#context;
    return new ProviderProcesses({
      places: this.#state.providerPorts.slice(0, this.#options.providers).map((port, index) => ({
        ...{ port, dataDir: this.#folder.providerFolder(index), logPath: this.#folder.providerLogPath(index) },
      })),
      onStarted: (index, endpoint) => {
        event({ event: "provider", state: "started", index, pid: this.#providers.pid(index), endpoint });
        this.#startedProviders.add(index);
        this.#onProvider();
      },
      onEnd: (index, { code, signal, failure }, restartIn) => {
        event({ event: "provider", state: "ended", index, code, signal, failure, restartIn });
        const reason = failure === undefined ? `ended with ${signal ?? code}` : `[${failure.code}] ${failure.message}`;
        progress(`provider ${index} is down: ${reason}; it starts again in ${restartIn / 1000} s`);
      },
      onProblem: (index, line) => progress(`provider ${index}: ${line}`),
    });
  }

  /** Until they have registered, or for as long as people would wait for that. */
  async #startProviders(url: string): Promise<void> {
    const { providers } = this.#options;
    if (providers === 0 || this.#spec.verifiers.length === 0) return;
    this.#context.progress(`starting ${providers} providers`);
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        this.#context.progress(`not all providers have started: their logs are in ${this.#folder.directory}`);
        resolve();
      }, PATIENCE);
      this.#onProvider = () => {
        if (this.#startedProviders.size < providers) return;
        clearTimeout(late);
        resolve();
      };
      this.#providers.start(url);
    });
  }

  /** A verifier with each of the first validators; those that are left over are the first one's. */
  #verifiersOf(index: number): readonly string[] {
    if (this.#spec.verifiers.length === 0) return [];
    const count = this.#state.validators.length;
    const own = VERIFIER_ACCOUNTS.filter((_, at) => (at < count ? at === index : index === 0));
    return own.flatMap((account) => ["--verify-from", String(account)]);
  }

  #argsOf(index: number): readonly string[] {
    const { p2pPort, rpcPort, hasStarted } = this.#state.validators[index] as RememberedValidator;
    const { rpcHost, archive, logLevel } = this.#options;
    const others = this.#peers.filter((_, other) => other !== index);
    return [
      ...["validator", "--json", "--stop-with-input", "--spec", this.#folder.specPath],
      ...["--dev-key", String(index), "--data-dir", this.#folder.validatorFolder(index)],
      ...["--listen", `/ip4/${P2P_HOST}/tcp/${p2pPort}`, ...others.flatMap((peer) => ["--persistent-peer", peer])],
      ...["--rpc-host", rpcHost, "--rpc-port", String(rpcPort)],
      ...rpcArguments(this.#options),
      ...["--cache", String(CACHE), "--log-level", logLevel],
      // Later, a folder without a log is one that was lost.
      ...(hasStarted === 1 ? [] : ["--new-key", "--from-genesis"]),
      ...(archive ? ["--archive"] : []),
      ...this.#verifiersOf(index),
    ];
  }

  #onEvent(index: number, event: ChildEvent): void {
    if (event.event === "started") {
      this.#remember(index);
      this.#voice.started(index, event, this.#peers[index] ?? "");
    } else if (event.event === "ready") this.#voice.connected(index);
    else this.#voice.block(index, event);
  }

  #remember(index: number): void {
    if (this.#state.validators[index]?.hasStarted === 1) return;
    const validators = this.#state.validators.map((each, at) => (at === index ? { ...each, hasStarted: 1 } : each));
    this.#state = { ...this.#state, validators };
    const state = this.#state;
    this.#saved = this.#saved.then(() => this.#folder.save(state)).catch((error: unknown) => this.#failed.abort(error));
  }
}
