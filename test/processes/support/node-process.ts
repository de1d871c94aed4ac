/** `ogpu validator` in a process of its own, from the compiled program as users run it. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** From the sources the compiled program is in dist/; compiled, this file is there itself. */
const MAIN = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../dist/cli/main.js" : "../../../cli/main.js", import.meta.url),
);

/** A line of its log. */
export interface LogLine {
  readonly level: string;
  readonly subsystem: string;
  readonly message: string;
  readonly [fact: string]: unknown;
}

export interface Started {
  readonly rpc: string;
  readonly role: "validator" | "follower";
  readonly height: number;
  readonly peerId: string;
}

export interface End {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it said before it ended, if it failed. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

export class NodeProcess {
  /** Set once it answers RPC. */
  facts: Started | undefined;
  /** Warnings and errors. */
  readonly problems: LogLine[] = [];
  readonly started: Promise<Started>;
  readonly ended: Promise<End>;
  readonly #messages = new Set<string>();
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;

  /** `program` stands in for the product's, with arguments of its own. */
  constructor(args: readonly string[], logPath: string, program: readonly string[] = [MAIN]) {
    this.#child = spawn(process.execPath, [...program, ...args, "--json", "--log-json", "--stop-with-input"], {
      // Its input ends with this process, however that ends, and the node with it.
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stdin.on("error", () => undefined);
    const log = createWriteStream(logPath, { flags: "a" });
    let failure: End["failure"];
    createInterface({ input: this.#child.stderr }).on("line", (line) => {
      log.write(`${line}\n`);
      failure = failureOf(line) ?? failure;
      this.#onLog(line);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => {
        failure = { code: "SPAWN_FAILED", message: error.message };
      });
      this.#child.once("close", (code, signal) => {
        log.end();
        this.facts = undefined;
        resolve({ code, signal, failure });
      });
    });
    this.started = new Promise((resolve, reject) => {
      createInterface({ input: this.#child.stdout }).on("line", (line) => {
        const event = parsed(line) as (Started & { readonly event: string }) | undefined;
        if (event?.event !== "started") return;
        this.facts = event;
        resolve(event);
      });
      void this.ended.then((end) => reject(new Error(`the node ended before it started: ${JSON.stringify(end)}`)));
    });
    // Whoever does not wait for the start hears of it by the end.
    this.started.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether its log has had such a message. */
  hasSaid(message: string): boolean {
    return this.#messages.has(message);
  }

  /** Of what it makes of it there is no word. */
  tell(signal: "SIGUSR2"): void {
    this.#child.kill(signal);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<End> {
    this.#child.kill(signal);
    return await this.ended;
  }

  #onLog(text: string): void {
    const line = parsed(text) as LogLine | undefined;
    if (line?.message === undefined) return;
    this.#messages.add(line.message);
    if (line.level === "warn" || line.level === "error") this.problems.push(line);
  }
}

function parsed(line: string): unknown {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What `ogpu --json` prints when it fails. */
function failureOf(line: string): End["failure"] {
  if (!line.startsWith('{"error":')) return undefined;
  return (parsed(line) as { readonly error: NonNullable<End["failure"]> } | undefined)?.error;
}
