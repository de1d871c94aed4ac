/** A provider or verifier as its operator runs it, in a process of its own, and what it tells. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { eventually, MAIN } from "./ogpu-process.ts";

export type AgentEvent = Readonly<Record<string, unknown>>;

export class AgentProcess {
  readonly events: readonly AgentEvent[];
  static readonly #running = new Set<AgentProcess>();
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  private constructor(child: ChildProcess, events: readonly AgentEvent[]) {
    this.#child = child;
    this.#closed = once(child, "close");
    this.events = events;
  }

  /** When it says that it has started. */
  static async start(...args: readonly string[]): Promise<AgentProcess> {
    const child = spawn(process.execPath, [MAIN, ...args, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    const events: AgentEvent[] = [];
    let log = "";
    createInterface({ input: child.stdout }).on("line", (line) => events.push(JSON.parse(line)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
    const agent = new AgentProcess(child, events);
    AgentProcess.#running.add(agent);
    await eventually(async () => (agent.isStarted || child.exitCode !== null ? true : undefined));
    if (!agent.isStarted) throw new Error(`ogpu ${args.join(" ")} ended: ${log}`);
    return agent;
  }

  get started(): AgentEvent | undefined {
    return this.events.find(({ kind, event }) => kind === "started" || event === "started");
  }

  get isStarted(): boolean {
    return this.started !== undefined;
  }

  /** Answers with the exit code. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<number | null> {
    AgentProcess.#running.delete(this);
    this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  static async stopAll(): Promise<void> {
    await Promise.all([...AgentProcess.#running].map((agent) => agent.stop("SIGKILL")));
  }
}
