/** Four validators and a follower, each in a process of its own, over real connections. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, type PublicClient } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { networkSpec } from "../../genesis/networks.ts";
import { TEST_MNEMONIC } from "../../rpc/development/test-mnemonic.ts";
import { startNode, stopNodes } from "../chain/network/support/nodes.ts";
import { metric } from "../processes/support/chain-copy.ts";
import { NodeProcess } from "../processes/support/node-process.ts";
import { eventually, Running, runOgpu, startDevnet } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-network-"));
const directory = join(root, "devnet");
const alice = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 0 });
const bob = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 1 });
/** Milliseconds; a chain that did not rest would make twenty blocks meanwhile. */
const IDLE = 4_000;
/** The heartbeat's block, and one that makes it final where the machine was slow. */
const FEW_BLOCKS = 2;
const SECOND = 1_000;
/** A busy machine may be slow with some of them; the heartbeat may be quick with one of them, by chance. */
const ATTEMPTS = 5;
const QUICK_ONES = 2;

afterAll(async () => {
  await stopNodes();
  await Running.endAll(root);
});

interface Validator {
  readonly index: number;
  readonly pid: number;
  readonly url: string;
  readonly address: string;
}

function clientOf(url: string): PublicClient {
  return createPublicClient({ transport: http(url), pollingInterval: 50 });
}

function walletOf(url: string) {
  const chain = defineChain({
    id: Number(networkSpec("devnet").chainId),
    name: "devnet",
    nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return createWalletClient({ account: alice, chain, transport: http() });
}

async function transfer(url: string): Promise<Hex> {
  return await walletOf(url).sendTransaction({ to: bob.address, value: 1n });
}

function followerArgs(): readonly string[] {
  return [
    ...["node", "--spec", join(directory, "spec.json"), "--data-dir", join(root, "follower")],
    ...["--rpc-port", "0", "--listen", "/ip4/127.0.0.1/tcp/0"],
  ];
}

interface Finality {
  /** From the sending until the receipt is there. */
  readonly milliseconds: number;
  /** How many blocks were made meanwhile, with its own. */
  readonly blocks: number;
}

/** What is to be known for signing is asked before the clock starts. */
async function timeTransfer(url: string): Promise<Finality> {
  const wallet = walletOf(url);
  const client = clientOf(url);
  const request = await wallet.prepareTransactionRequest({ to: bob.address, value: 1n });
  const serializedTransaction = await wallet.signTransaction(request);
  const height = await client.getBlockNumber({ cacheTime: 0 });
  const start = performance.now();
  const hash = await wallet.sendRawTransaction({ serializedTransaction });
  const { blockNumber } = await client.waitForTransactionReceipt({ hash });
  return { milliseconds: performance.now() - start, blocks: Number(blockNumber - height) };
}

/** The block that has it, where that is final. */
async function blockOf(url: string, hash: Hex): Promise<Hex> {
  return (await clientOf(url).waitForTransactionReceipt({ hash })).blockHash;
}

async function readinessOf(url: string): Promise<{ ready: boolean; role: string; peers: number }> {
  return (await (await fetch(`${url}/ready`)).json()) as { ready: boolean; role: string; peers: number };
}

function validatorsOf(devnet: Running): readonly Validator[] {
  return devnet.events().find(({ event }) => event === "started")?.["validators"] as readonly Validator[];
}

async function start(...args: readonly string[]): Promise<Running> {
  return await startDevnet(directory, "--json", "--validators", "4", ...args);
}

let devnet: Running;
let validators: readonly Validator[];
let urls: readonly string[];
let genesis: Hex;
/** The follower's height when it was stopped. */
let followed = 0;

beforeAll(async () => {
  devnet = await start();
  validators = validatorsOf(devnet);
  urls = validators.map(({ url }) => url);
  genesis = (await clientOf(devnet.url).getBlock({ blockNumber: 0n })).hash;
});

it("finalises on all four", async () => {
  expect(validators.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(devnet.url).toBe(validators[0]?.url);

  const hash = await transfer(urls[2] ?? "");
  const blocks = await Promise.all(urls.map((url) => blockOf(url, hash)));
  expect(new Set(blocks).size).toBe(1);
  expect(await readinessOf(devnet.url)).toMatchObject({ ready: true, role: "validator", peers: 3 });
  const metrics = await (await fetch(`${devnet.url}/metrics`)).text();
  expect(metrics).toMatch(/^ogpu_peers 3$/m);
  expect(metrics).toMatch(/^ogpu_height [1-9]\d*$/m);
});

it("rests while nobody wants anything, and finalises within a second what comes then", async () => {
  const client = clientOf(urls[1] ?? "");
  const before = await client.getBlockNumber({ cacheTime: 0 });
  await delay(IDLE);
  const made = Number((await client.getBlockNumber({ cacheTime: 0 })) - before);
  expect(made).toBeLessThanOrEqual(FEW_BLOCKS);

  const times: Finality[] = [];
  const quick = () => times.filter(({ milliseconds }) => milliseconds < SECOND).length;
  while (times.length < ATTEMPTS && quick() < QUICK_ONES) {
    await delay(SECOND);
    times.push(await timeTransfer(urls[times.length % urls.length] ?? ""));
  }
  expect(quick(), JSON.stringify(times)).toBe(QUICK_ONES);
  expect(Math.max(...times.map(({ blocks }) => blocks))).toBeLessThanOrEqual(FEW_BLOCKS);
});

it("survives kill -9 of one, lets others follow, and goes on after a stop", async () => {
  const hash = await transfer(urls[2] ?? "");
  const block = await blockOf(urls[2] ?? "", hash);
  process.kill(validators[3]?.pid ?? 0, "SIGKILL");
  const meanwhile = await transfer(urls[1] ?? "");
  await blockOf(urls[1] ?? "", meanwhile);
  const isBack = () => devnet.events().filter((e) => e["state"] === "started" && e["index"] === 3).length === 2;
  await eventually(async () => isBack() || undefined);
  expect(devnet.events()).toContainEqual(expect.objectContaining({ event: "validator", state: "ended", index: 3 }));
  expect(await eventually(() => blockOf(urls[3] ?? "", meanwhile))).toBe(await blockOf(urls[0] ?? "", meanwhile));

  const follower = await Running.start(...followerArgs(), "--bootstrap", validators[0]?.address ?? "");
  expect(await blockOf(follower.url, hash)).toBe(block);
  expect(await readinessOf(follower.url)).toMatchObject({ ready: true, role: "follower" });
  expect(await blockOf(follower.url, await transfer(follower.url))).toMatch(/^0x/);
  expect(await metric(follower.url, "ogpu_sync_progress")).toBe(1);
  followed = Number(await clientOf(follower.url).getBlockNumber({ cacheTime: 0 }));
  expect(await follower.stop("SIGTERM")).toBe(0);

  const height = await clientOf(devnet.url).getBlockNumber();
  expect(await devnet.stop("SIGTERM")).toBe(0);
  for (const { pid } of validators.slice(0, 3)) expect(() => process.kill(pid, 0)).toThrow("ESRCH");

  // A validator that lost its disk must not sign: it could contradict itself.
  rmSync(join(directory, "validator-3"), { recursive: true });
  devnet = await start();
  const again = validatorsOf(devnet).map(({ url }) => url);
  expect(await clientOf(devnet.url).getBlockNumber()).toBeGreaterThanOrEqual(height);
  expect(await readinessOf(again[2] ?? "")).toMatchObject({ role: "validator" });
  expect(await readinessOf(again[3] ?? "")).toMatchObject({ role: "follower" });
  expect(readFileSync(join(directory, "validator-3.log"), "utf8")).toContain("THIS VALIDATOR DOES NOT SIGN");
  expect(await eventually(() => blockOf(again[3] ?? "", hash))).toBe(block);
  expect(await devnet.stop("SIGTERM")).toBe(0);
});

it("tells how much of the chain it has while most of its peers have more", async () => {
  // Nobody else runs any more. This one says that it has four times as many blocks, and gives none.
  const ahead = await startNode("ahead", { chainId: networkSpec("devnet").chainId, genesis, validator: undefined });
  ahead.height = 4 * followed;
  const follower = new NodeProcess([...followerArgs(), "--persistent-peer", ahead.address], join(root, "follower.log"));
  try {
    const { rpc, height } = await follower.started;
    const share = () => metric(rpc, "ogpu_sync_progress");
    expect(height).toBeGreaterThan(0);
    await eventually(async () => (await readinessOf(rpc)).peers === 1 || undefined);
    expect(await share()).toBe(height / ahead.height);
    ahead.height = height;
    ahead.network.announceStatus();
    await eventually(async () => (await share()) === 1 || undefined);
  } finally {
    await follower.end("SIGTERM");
  }
});

it("does not start where the folder's chain has another number of validators", async () => {
  const { code, err } = await runOgpu("devnet", "--data-dir", directory, "--validators", "7", "--rpc-port", "0");
  expect(code).toBe(1);
  expect(err).toContain("[DEVNET_OTHER_CHAIN]");
});
