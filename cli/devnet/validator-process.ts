/** A validator, or another part of a devnet, in a process of its own, heard through the JSON lines that it prints. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LogFile } from "./log-file.ts";

/** The program itself, compiled or not as this file is. */
const MAIN = fileURLToPath(new URL(`../main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url));
/** Milliseconds that a process may take to stop in an orderly way. */
const STOP_PATIENCE = 15_000;

export interface ChildFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export type ChildEvent =
  | {
      readonly event: "started";
      readonly pid: number;
      readonly height: number;
      readonly rpc: string;
      readonly role: string;
    }
  | { readonly event: "ready" }
  | {
      readonly event: "block";
      readonly number: number;
      readonly hash: string;
      readonly transactions: number;
      readonly gasUsed: number;
    };

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it said that made it end. */
  readonly failure: ChildFailure | undefined;
}

export interface ChildOptions {
  readonly args: readonly string[];
  /** For the program that runs it. What is said of memory here holds for its threads too, whatever limits they were given. */
  readonly nodeArgs?: readonly string[];
  readonly logPath: string;
  /** What it prints goes to the log too. */
  readonly logsOutput?: boolean;
  onEvent(event: ChildEvent): void;
  /** A line of its log that people should see. */
  onProblem(line: string): void;
  onEnd(end: ChildEnd): void;
}

export class ValidatorProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<void>;

  constructor({ args, nodeArgs = [], logPath, logsOutput = false, onEvent, onProblem, onEnd }: ChildOptions) {
    const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], {
      // Its input ends with this process, however that ends, and the validator with it.
      stdio: ["pipe", "pipe", "pipe"],
      // Ctrl-C goes to all processes of a terminal; this one tells the others.
      detached: true,
    });
    this.#child = child;
    const log = new LogFile(logPath);
    let failure: ChildFailure | undefined;
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (logsOutput) log.write(`${line}\n`);
      const event = parsed(line);
      if (event !== undefined && "event" in event) onEvent(event as ChildEvent);
    });
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.write(`${line}\n`);
      failure = failureOf(line) ?? failure;
      if (/^[\d:.]+ (ERROR|WARN ) /.test(line)) onProblem(line);
    });
    child.stdin.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      let spawnError: ChildFailure | undefined;
      child.once("error", (error) => {
        spawnError = { code: "SPAWN_FAILED", message: error.message };
      });
      child.once("close", (code, signal) => {
        log.close();
        resolve();
        onEnd({ code, signal, failure: spawnError ?? failure });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks, and after a while does not ask any more. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const patience = new AbortController();
    const late = delay(STOP_PATIENCE, "late", { signal: patience.signal }).catch(() => undefined);
    if ((await Promise.race([this.#ended, late])) === "late") this.#child.kill("SIGKILL");
    patience.abort();
    await this.#ended;
  }
}

function parsed(line: string): object | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What `ogpu --json` prints when it fails. */
function failureOf(line: string): ChildFailure | undefined {
  const value = line.startsWith('{"error":') ? parsed(line) : undefined;
  return (value as { readonly error?: ChildFailure } | undefined)?.error;
}
