/**
 * Ten thousand WebSocket clients, in a process of their own, hear of every head of a validator that makes one a second.
 * How late the last of them is, is measured from when one more client here hears of it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { median } from "../interleave.ts";
import { rpc } from "../network/http-client.ts";
import { startValidator, validatorSpec } from "../network/validator.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly clients: number;
  readonly heads: number;
  readonly intervalMilliseconds: number;
}

export const benchCase: BenchCase<Params> = {
  name: "rpc-subscribers",
  description: "WebSocket clients that hear of every head",
  sizes: {
    smoke: { clients: 500, heads: 3, intervalMilliseconds: 200 },
    full: { clients: 10_000, heads: 30, intervalMilliseconds: 1_000 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

/** Tells of a head once all its clients have it. */
const CLIENTS = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts")
      ? "../../dist/test/rpc/support/subscriber-process.js"
      : "../../test/rpc/support/subscriber-process.js",
    import.meta.url,
  ),
);

interface ClientEvent {
  readonly event: "subscribed" | "head" | "failed";
  readonly number?: number;
  readonly reason?: string;
}

async function measure({ clients, heads, intervalMilliseconds }: Params, folder: string): Promise<BenchResult> {
  const limits = `connections=${clients + 24},subscriptions=${clients + 24}`;
  const spec = validatorSpec(intervalMilliseconds);
  const node = await startValidator(folder, { spec, isNew: true, args: ["--rpc-limit", limits] });
  const crowd = fork(CLIENTS, [node.url.port, String(clients)]);
  const late: number[] = [];
  try {
    const told = new Arrivals();
    crowd.on("message", (message) => told.onCrowd(message as ClientEvent));
    crowd.on("exit", () => told.onCrowd({ event: "failed", reason: "the clients ended" }));
    await told.subscribed;
    const probe = await openProbe(node.url, told);
    for (let i = 0; i < heads; i++) {
      const next = told.nextHead();
      await rpc(node.url, "ogpu_faucet", testAccount(1).address, "0x1");
      late.push(await next);
    }
    probe.terminate();
    const memory = await residentMegabytes(node.processes[0]);
    return {
      measurements: [
        { name: `heads that ${clients} clients received`, value: late.length, unit: "heads" },
        { name: "the last client after the first, median", value: median(late), unit: "ms" },
        { name: "the last client after the first, at most", value: Math.max(...late), unit: "ms" },
        { name: "memory of the validator", value: memory, unit: "MB" },
      ],
      comparisons: [{ name: "heads received by all / made", ratio: late.length / heads, target: { atLeast: 1 } }],
      agreed: told.isComplete,
    };
  } finally {
    crowd.removeAllListeners().kill();
    await node.stop();
  }
}

/** When the probe heard of a head, and when the last of all clients has. */
class Arrivals {
  readonly subscribed: Promise<void>;
  #onSubscribed: { resolve(): void; reject(error: Error): void } | undefined;
  #onHead: { resolve(late: number): void; reject(error: Error): void } | undefined;
  readonly #probe = new Map<number, number>();
  readonly #crowd = new Map<number, number>();
  #failure: Error | undefined;

  constructor() {
    this.subscribed = new Promise((resolve, reject) => {
      this.#onSubscribed = { resolve, reject };
    });
  }

  /**
   * No head that one client had is missing from the others, and none between the first and the last that all have. Later
   * ones are on their way.
   */
  get isComplete(): boolean {
    const last = Math.max(...this.#crowd.keys());
    const numbers = [...this.#probe.keys()].filter((number) => number <= last);
    return numbers.every((number, index) => this.#crowd.has(number) && number === (numbers[0] ?? 0) + index);
  }

  /** Of the next head that everybody has: milliseconds from the probe's to the last one's. */
  nextHead(): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      this.#onHead = { resolve, reject };
    });
  }

  onProbe(number: number): void {
    this.#probe.set(number, performance.now());
    this.#settle(number);
  }

  onCrowd({ event, number = 0, reason }: ClientEvent): void {
    if (event === "subscribed") this.#onSubscribed?.resolve();
    else if (event === "head") {
      this.#crowd.set(number, performance.now());
      this.#settle(number);
    } else {
      this.#failure = new Error(`the clients failed: ${reason}`);
      this.#onSubscribed?.reject(this.#failure);
      this.#onHead?.reject(this.#failure);
    }
  }

  #settle(number: number): void {
    const [first, last] = [this.#probe.get(number), this.#crowd.get(number)];
    if (first !== undefined && last !== undefined) this.#onHead?.resolve(Math.max(0, last - first));
  }
}

async function openProbe(url: URL, told: Arrivals): Promise<WebSocket> {
  const socket = new WebSocket(url.href.replace("http", "ws"));
  await once(socket, "open");
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  await once(socket, "message");
  socket.on("message", (data) => told.onProbe(Number(/"number":"(0x[0-9a-f]+)"/.exec(String(data))?.[1])));
  return socket;
}

/** Linux only; 0 elsewhere. */
async function residentMegabytes(pid: number | undefined): Promise<number> {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(path, "utf8"))?.[1]) / 1024;
}
