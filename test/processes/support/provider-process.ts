/** Providers and verifiers in processes of their own, honest and not, from dist/ as everything that runs by itself. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Hex } from "../../../base/bytes.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";

const SCRIPTS = {
  provider: new URL("../../../dist/test/processes/support/faulty-provider.js", import.meta.url),
  verifier: new URL("../../../dist/test/processes/support/faulty-verifier.js", import.meta.url),
} as const;
type Program = keyof typeof SCRIPTS;

export interface ProviderLine {
  readonly kind: string;
  readonly action?: string;
  readonly job?: string;
  readonly segment?: number;
}

export interface ProviderSeat {
  /** The number of its test account, and where it keeps what it has. */
  readonly account: number;
  readonly folder: string;
  readonly tier: number;
}

export class ProviderProcess {
  private static readonly running = new Set<ProviderProcess>();
  readonly address: Hex;
  readonly lines: ProviderLine[] = [];
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly closed: Promise<unknown>;
  private log = "";

  private constructor(program: Program, account: number, args: readonly string[]) {
    this.address = testAccount(account).address;
    this.child = spawn(process.execPath, [fileURLToPath(SCRIPTS[program]), ...args], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.closed = once(this.child, "close");
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) =>
      this.lines.push({ at: Date.now(), ...JSON.parse(line) }),
    );
    ProviderProcess.running.add(this);
  }

  /** Registered, and ready to be drawn or to bid. */
  static async start(fault: string, rpc: string, { account, folder, tier }: ProviderSeat): Promise<ProviderProcess> {
    return await ProviderProcess.#ready("provider", account, [fault, rpc, String(account), folder, String(tier)]);
  }

  /** Faulty verifiers in one process, of which the first gives it its address. */
  static async verifiers(
    fault: string,
    rpc: string,
    accounts: readonly number[],
    folder: string,
  ): Promise<ProviderProcess> {
    return await ProviderProcess.#ready("verifier", accounts[0] ?? 0, [fault, rpc, accounts.join(), folder]);
  }

  static async #ready(program: Program, account: number, args: readonly string[]): Promise<ProviderProcess> {
    const started = new ProviderProcess(program, account, args);
    const ended = started.closed.then(() => {
      throw new Error(`it ended before it was ready: ${started.log}`);
    });
    await Promise.race([started.until(({ kind }) => kind === "started"), ended]);
    return started;
  }

  async until(isIt: (line: ProviderLine) => boolean): Promise<ProviderLine> {
    for (;;) {
      const found = this.lines.find(isIt);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    ProviderProcess.running.delete(this);
    this.child.kill(signal);
    await this.closed;
  }

  static async stopAll(): Promise<void> {
    await Promise.all([...ProviderProcess.running].map((provider) => provider.stop("SIGKILL")));
  }
}
