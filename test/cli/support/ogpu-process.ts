/** The real program in a process of its own, from dist/ as users run it. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

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

export class Devnet {
  readonly url: string;
  /** What it has printed on its standard output. */
  readonly lines: readonly string[];
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown[]>;

  private constructor(child: ChildProcess, closed: Promise<unknown[]>, url: string, lines: readonly string[]) {
    this.child = child;
    this.closed = closed;
    this.url = url;
    this.lines = lines;
  }

  /** Starts on any free port and waits until it says that it is ready. */
  static async start(directory: string, ...args: readonly string[]): Promise<Devnet> {
    const child = start(["devnet", "--data-dir", directory, "--rpc-port", "0", ...args]);
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
      throw new Error(`the devnet ended before it was ready: ${log}`);
    });
    return new Devnet(child, closed, await Promise.race([url, ended]), lines);
  }

  /** Answers with the exit code, or the signal that ended it. */
  async stop(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<unknown> {
    this.child.kill(signal);
    const [code, by] = await this.closed;
    return code ?? by;
  }
}
