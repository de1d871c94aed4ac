/** The real program in a process of its own, from dist/ as users run it. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export const MAIN: string = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a command to its end. */
export async function runOgpu(...args: readonly string[]): Promise<Finished> {
  const child = start(args);
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

/** The result of a command with --json, which must succeed. */
export async function ogpuJson<Result>(...args: readonly string[]): Promise<Result> {
  const { code, out, err } = await runOgpu(...args, "--json");
  if (code !== 0) throw new Error(`ogpu ${args.join(" ")} ended with ${code}: ${err}`);
  return JSON.parse(out);
}

/** A command that runs on: a node, a validator or a devnet. */
export class Running {
  readonly url: string;
  /** What it has printed on its standard output, and on the other one. */
  readonly lines: readonly string[];
  readonly log: () => string;
  /** Those that have not ended, ready or not. */
  private static readonly children = new Set<ChildProcess>();
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown[]>;

  private constructor(
    child: ChildProcess,
    closed: Promise<unknown[]>,
    url: string,
    texts: Pick<Running, "lines" | "log">,
  ) {
    this.child = child;
    this.closed = closed;
    this.url = url;
    this.lines = texts.lines;
    this.log = texts.log;
  }

  /** For the end of a test, also one that failed in the middle: nothing runs any more, and the folder is gone. */
  static async endAll(folder: string): Promise<void> {
    await Running.#killAll();
    // Validators of a supervisor that was killed end a moment after it.
    await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }

  static async #killAll(): Promise<void> {
    await Promise.all(
      [...Running.children].map(async (child) => {
        const closed = once(child, "close");
        child.kill("SIGKILL");
        await closed;
      }),
    );
  }

  /** Waits until it says that it is ready. */
  static async start(...args: readonly string[]): Promise<Running> {
    const child = start(args);
    Running.children.add(child);
    child.once("close", () => Running.children.delete(child));
    const closed = once(child, "close");
    const lines: string[] = [];
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
    const url = new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        lines.push(line);
        const ready = /(?:^READY |"event":"ready","url":")([^"]+)/.exec(line)?.[1];
        if (ready !== undefined) resolve(ready);
      });
    });
    const ended = closed.then((): never => {
      throw new Error(`ogpu ${args.join(" ")} ended before it was ready: ${log}`);
    });
    return new Running(child, closed, await Promise.race([url, ended]), { lines, log: () => log });
  }

  /** What it reported with --json. */
  events(): readonly Readonly<Record<string, unknown>>[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  /** Answers with the exit code, or the signal that ended it. */
  async stop(...signals: readonly ("SIGTERM" | "SIGINT" | "SIGKILL")[]): Promise<unknown> {
    for (const signal of signals) this.child.kill(signal);
    const [code, by] = await this.closed;
    return code ?? by;
  }
}

/** A devnet on any free ports: of one validator and no providers unless the arguments say otherwise, since most tests need no more. */
export async function startDevnet(directory: string, ...args: readonly string[]): Promise<Running> {
  const count = args.includes("--validators") ? [] : ["--validators", "1"];
  const providers = args.includes("--providers") ? [] : ["--providers", "0"];
  return await Running.start("devnet", "--data-dir", directory, "--rpc-port", "0", ...count, ...providers, ...args);
}

/** Asks until the answer is there: what is awaited happens in other processes. */
export async function eventually<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
