/** `npm run soak -- --rpc`: the fuzzer against a devnet in processes of its own, for as long as wanted. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "../../../bench/network/our-network.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { call } from "../../processes/support/json-rpc.ts";
import { until } from "../../processes/support/until.ts";
import { FUZZ_PROPERTIES, type Target, untilSettled } from "./properties.ts";

export interface RpcSoak {
  readonly minutes: number;
  /** What is sent; not how the machine behaves. */
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** Runs of the cheapest kind between two looks at the node. */
const RUNS = 100;
/** Rounds before memory is compared: caches fill, code is compiled, threads are started. */
const WARM_UP = 5;
const MOST_GROWTH = 1.3;

/** Rejects with what does not hold; then the folder is kept. */
export async function soakRpc({ minutes, seed, print }: RpcSoak): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ogpu-soak-rpc-"));
  print(`seed ${seed}, in ${folder}`);
  // Nobody else subscribes to what must be nothing again.
  const devnet = await startDevnet(join(folder, "devnet"), 1, "validators alone");
  const url = devnet.url.href.replace(/\/$/, "");
  try {
    const target = { url, facts: await factsOf(url) };
    const end = Date.now() + minutes * 60_000;
    const memory: number[] = [];
    for (let round = 0; Date.now() < end; round++) {
      memory.push(await fuzzRound(target, seed + round));
      print(`round ${round + 1}: ${(memory.at(-1) ?? 0).toFixed(0)} MB, block ${await heightOf(url)}`);
    }
    checkMemory(memory);
    await checkLog(folder);
  } finally {
    await devnet.stop();
  }
  await rm(folder, { recursive: true });
}

/** Every property, and a block after each. Answers with the node's memory in MB. */
async function fuzzRound(target: Target, seed: number): Promise<number> {
  for (const { share, run } of FUZZ_PROPERTIES) {
    await run(target, { numRuns: RUNS * share, seed });
    await makeBlock(target.url);
  }
  await untilSettled(target.url);
  const text = await (await fetch(`${target.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1024 ** 2;
}

async function heightOf(url: string): Promise<number> {
  return Number(await call(url, "eth_blockNumber"));
}

async function makeBlock(url: string): Promise<void> {
  const before = await heightOf(url);
  await call(url, "ogpu_faucet", [testAccount(1).address]);
  await until("the faucet's block is final", async () => (await heightOf(url)) > before || undefined);
}

async function factsOf(url: string): Promise<Target["facts"]> {
  await makeBlock(url);
  const block = await call<{ readonly hash: string; readonly transactions: readonly string[] }>(
    url,
    "eth_getBlockByNumber",
    ["latest", false],
  );
  return {
    hashes: [block.hash, ...block.transactions],
    addresses: [0, 1, 2].map((index) => testAccount(index).address),
  };
}

/** The second half of the run holds no more than the first, but for noise. */
function checkMemory(memory: readonly number[]): void {
  const warm = memory.slice(WARM_UP);
  if (warm.length < 4) return;
  const half = Math.floor(warm.length / 2);
  const [first, last] = [Math.max(...warm.slice(0, half)), Math.min(...warm.slice(half))];
  if (last > first * MOST_GROWTH)
    throw new Error(`memory grows: ${memory.map((value) => value.toFixed(0)).join(", ")} MB`);
}

/** A method that failed with a bug of ours, or a thread that died, is in the validator's log. */
async function checkLog(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith(".log")) continue;
    const bad = (await readFile(join(folder, file), "utf8"))
      .split("\n")
      .filter((line) => line.includes('"level":"error"'));
    if (bad.length > 0) throw new Error(`${file} has errors: ${bad.slice(0, 3).join("; ")}`);
  }
}
