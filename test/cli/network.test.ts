/** Four validators and a follower, each in a process of its own, over real connections. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, createWalletClient, defineChain, type Hex, http, type PublicClient } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, expect, it } from "vitest";
import { networkSpec } from "../../genesis/networks.ts";
import { TEST_MNEMONIC } from "../../rpc/development/test-mnemonic.ts";
import { eventually, Running, runOgpu, startDevnet } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-network-"));
const directory = join(root, "devnet");
const alice = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 0 });
const bob = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 1 });

afterAll(async () => {
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

async function transfer(url: string): Promise<Hex> {
  const chain = defineChain({
    id: Number(networkSpec("devnet").chainId),
    name: "devnet",
    nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const wallet = createWalletClient({ account: alice, chain, transport: http() });
  return await wallet.sendTransaction({ to: bob.address, value: 1n });
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

it("finalises on all four, survives kill -9 of one, lets others follow, and goes on after a stop", async () => {
  let devnet = await start();
  const validators = validatorsOf(devnet);
  expect(validators.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(devnet.url).toBe(validators[0]?.url);
  const urls = validators.map(({ url }) => url);

  const hash = await transfer(urls[2] ?? "");
  const blocks = await Promise.all(urls.map((url) => blockOf(url, hash)));
  expect(new Set(blocks).size).toBe(1);
  expect(await readinessOf(devnet.url)).toMatchObject({ ready: true, role: "validator", peers: 3 });
  const metrics = await (await fetch(`${devnet.url}/metrics`)).text();
  expect(metrics).toMatch(/^ogpu_peers 3$/m);
  expect(metrics).toMatch(/^ogpu_height [1-9]\d*$/m);

  process.kill(validators[3]?.pid ?? 0, "SIGKILL");
  const meanwhile = await transfer(urls[1] ?? "");
  await blockOf(urls[1] ?? "", meanwhile);
  const isBack = () => devnet.events().filter((e) => e["state"] === "started" && e["index"] === 3).length === 2;
  await eventually(async () => isBack() || undefined);
  expect(devnet.events()).toContainEqual(expect.objectContaining({ event: "validator", state: "ended", index: 3 }));
  expect(await eventually(() => blockOf(urls[3] ?? "", meanwhile))).toBe(await blockOf(urls[0] ?? "", meanwhile));

  const follower = await Running.start(
    ...["node", "--spec", join(directory, "spec.json"), "--data-dir", join(root, "follower"), "--rpc-port", "0"],
    ...["--listen", "/ip4/127.0.0.1/tcp/0", "--bootstrap", validators[0]?.address ?? ""],
  );
  expect(await blockOf(follower.url, hash)).toBe(blocks[0]);
  expect(await readinessOf(follower.url)).toMatchObject({ ready: true, role: "follower" });
  expect(await blockOf(follower.url, await transfer(follower.url))).toMatch(/^0x/);
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
  expect(await eventually(() => blockOf(again[3] ?? "", hash))).toBe(blocks[0]);
  expect(await devnet.stop("SIGTERM")).toBe(0);
});

it("does not start where the folder's chain has another number of validators", async () => {
  const { code, err } = await runOgpu("devnet", "--data-dir", directory, "--validators", "7", "--rpc-port", "0");
  expect(code).toBe(1);
  expect(err).toContain("[DEVNET_OTHER_CHAIN]");
});
