/** The real program in a process of its own, from dist/ as users run it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a command to its end. */
export async function runOgpu(...args: readonly string[]): Promise<Finished> {
  const child = start(args);
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
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
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
    this.ended = once(child, "exit");
  }

  /** Starts on any free port and waits for its READY line. */
  static async start(directory: string, ...args: readonly string[]): Promise<Devnet> {
    const child = start(["devnet", "--data-dir", directory, "--rpc-port", "0", ...args]);
    if (child.stdout === null) throw new Error("the child has a standard output");
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("READY ")) continue;
      // Nobody reads on, and a full pipe must not stop the node.
      child.stdout.resume();
      return new Devnet(child, line.slice("READY ".length));
    }
    throw new Error(`the devnet ended before it was ready: ${log}`);
  }

  /** Answers with the exit code, or the signal that ended it. */
  async stop(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<unknown> {
    this.child.kill(signal);
    const [code, by] = await this.ended;
    return code ?? by;
  }
}
