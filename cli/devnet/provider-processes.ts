/** The providers of a devnet, each in a process of its own, with test accounts. */
import { type ChildEnd, ValidatorProcess } from "./validator-process.ts";

/** Test accounts that providers use, and those of the verifiers that run with validators. People have the first ones. */
export const PROVIDER_ACCOUNTS: readonly number[] = [14, 15];
export const VERIFIER_ACCOUNTS: readonly number[] = [16, 17, 18, 19];
const COLLATERAL = "1000";
/** oGPU for 10^9 compute units: no more than the least charge pays for any of the examples. */
const MIN_PRICE = "0.0001";
/** Milliseconds until one that ended is started again: doubled each time. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** An idle provider stays small. */
const NODE_ARGS: readonly string[] = ["--max-semi-space-size=8"];

export interface ProviderPlace {
  readonly dataDir: string;
  readonly logPath: string;
  readonly port: number;
}

export interface ProviderProcessesOptions {
  readonly places: readonly ProviderPlace[];
  onStarted(index: number, endpoint: string): void;
  onEnd(index: number, end: ChildEnd, restartIn: number): void;
  onProblem(index: number, line: string): void;
}

export class ProviderProcesses {
  readonly #options: ProviderProcessesOptions;
  readonly #processes = new Map<number, ValidatorProcess>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #pauses = new Map<number, number>();
  #isStopping = false;

  constructor(options: ProviderProcessesOptions) {
    this.#options = options;
  }

  start(rpc: string): void {
    for (const [index, place] of this.#options.places.entries()) this.#start(index, place, rpc);
  }

  pid(index: number): number | undefined {
    return this.#processes.get(index)?.pid;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#processes.values()].map((process) => process.stop()));
  }

  #start(index: number, place: ProviderPlace, rpc: string): void {
    if (this.#isStopping) return;
    const { dataDir, logPath, port } = place;
    const process = new ValidatorProcess({
      args: [
        ...["provider", "--json", "--stop-with-input", "--rpc", rpc, "--from", String(PROVIDER_ACCOUNTS[index])],
        // The chain stops with them: nobody is late.
        "--no-pause",
        ...["--data-dir", dataDir, "--name", `devnet-${index}`, "--collateral", COLLATERAL],
        ...["--port", String(port), "--tier", "0", "--quick", "--region", "devnet", "--min-price", MIN_PRICE],
      ],
      nodeArgs: NODE_ARGS,
      logPath,
      logsOutput: true,
      onEvent: (event) => {
        const { event: name, kind, endpoint } = event as { event: string; kind?: string; endpoint?: string };
        if (name === "provider" && kind === "started") this.#options.onStarted(index, endpoint ?? "");
      },
      onProblem: (line) => this.#options.onProblem(index, line),
      onEnd: (end) => this.#onEnd(index, place, rpc, end),
    });
    this.#processes.set(index, process);
  }

  #onEnd(index: number, place: ProviderPlace, rpc: string, end: ChildEnd): void {
    this.#processes.delete(index);
    if (this.#isStopping) return;
    const pause = this.#pauses.get(index) ?? FIRST_PAUSE;
    this.#pauses.set(index, Math.min(2 * pause, LONGEST_PAUSE));
    this.#options.onEnd(index, end, pause);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start(index, place, rpc);
    }, pause);
    this.#timers.add(timer);
  }
}
