import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  parseEther,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkSpec } from "../../genesis/networks.ts";
import { TEST_MNEMONIC } from "../../rpc/development/test-mnemonic.ts";
import { tokenAbi } from "../../vm/interfaces/abi/token.ts";
import { TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { Running, runOgpu, startDevnet } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-devnet-"));
const alice = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 0 });
const bob = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 1 });

afterAll(async () => {
  await Running.endAll(root);
});

function chainAt(url: string): Chain {
  return defineChain({
    id: Number(networkSpec("devnet").chainId),
    name: "devnet",
    nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}

function reader(url: string): PublicClient {
  return createPublicClient({ chain: chainAt(url), transport: http(), pollingInterval: 50 });
}

const wallet = (url: string) => createWalletClient({ account: alice, chain: chainAt(url), transport: http() });

describe("a devnet in a process of its own, used through viem", () => {
  const directory = join(root, "shared");
  let devnet: Running;

  beforeAll(async () => {
    devnet = await startDevnet(directory);
  });

  it("takes a transfer and moves the money", async () => {
    const client = reader(devnet.url);
    const before = await client.getBalance({ address: bob.address });
    const hash = await wallet(devnet.url).sendTransaction({ to: bob.address, value: parseEther("1.5") });
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: "success", gasUsed: 21_000n });
    expect(await client.getBalance({ address: bob.address })).toBe(before + parseEther("1.5"));
  });

  it("runs a contract", async () => {
    // get() answers with slot 0, anything else stores its first argument there:
    // PUSH1 0, CALLDATALOAD, PUSH1 224, SHR, PUSH4 get(), EQ, PUSH1 22, JUMPI, PUSH1 4, CALLDATALOAD, PUSH1 0, SSTORE,
    // STOP, JUMPDEST, PUSH1 0, SLOAD, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
    const runtime = "60003560e01c636d4ce63c1460165760043560005500" + "5b60005460005260206000f3";
    const bytecode: Hex = `0x60${(runtime.length / 2).toString(16)}80600b6000396000f3${runtime}`;
    const abi = parseAbi(["function get() view returns (uint256)", "function set(uint256 value)"]);
    const client = reader(devnet.url);
    const creation = await wallet(devnet.url).deployContract({ abi, bytecode });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: creation });
    if (!contractAddress) throw new Error("the receipt names the contract");
    expect(await client.getCode({ address: contractAddress })).toBe(`0x${runtime}`);
    const hash = await wallet(devnet.url).writeContract({
      address: contractAddress,
      abi,
      functionName: "set",
      args: [42n],
    });
    await client.waitForTransactionReceipt({ hash });
    expect(await client.readContract({ address: contractAddress, abi, functionName: "get" })).toBe(42n);
  });

  it("reads the token module and burns through it", async () => {
    const client = reader(devnet.url);
    const token = { address: TOKEN_ADDRESS, abi: tokenAbi } as const;
    expect(await client.readContract({ ...token, functionName: "cap" })).toBe(parseEther("21000000"));
    const before = await client.readContract({ ...token, functionName: "burned" });
    const hash = await wallet(devnet.url).writeContract({ ...token, functionName: "burn", value: parseEther("2") });
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe("success");
    expect(await client.readContract({ ...token, functionName: "burned" })).toBeGreaterThanOrEqual(
      before + parseEther("2"),
    );
    const logs = await client.getContractEvents({ ...token, eventName: "Burned", fromBlock: receipt.blockNumber });
    expect(logs[0]?.args).toMatchObject({ account: alice.address, amount: parseEther("2") });
  });

  it("tells viem why a transaction cannot be", async () => {
    const poor = createWalletClient({
      account: mnemonicToAccount(TEST_MNEMONIC, { addressIndex: 99 }),
      chain: chainAt(devnet.url),
      transport: http(),
    });
    await expect(poor.sendTransaction({ to: bob.address, value: 1n })).rejects.toThrow(/exceeds the balance/);
    await expect(wallet(devnet.url).sendTransaction({ to: bob.address, nonce: 0 })).rejects.toThrow(/[Nn]once/);
    const call = reader(devnet.url).simulateContract({
      address: TOKEN_ADDRESS,
      abi: tokenAbi,
      functionName: "burn",
      account: alice,
    });
    await expect(call).rejects.toThrow(/NothingSent/);
  });

  it("does not share its folder with a second process", async () => {
    for (const flags of [[], ["--fresh"]]) {
      const { code, err } = await runOgpu("devnet", "--data-dir", directory, "--rpc-port", "0", ...flags);
      expect(code).toBe(1);
      expect(err).toContain("[DEVNET_RUNNING]");
    }
    expect(await reader(devnet.url).getBlockNumber()).toBeGreaterThan(0n);
  });

  it("says how to find it when it is not at the usual port", () => {
    expect(devnet.lines).toContain(`(other ogpu commands find it with --rpc ${devnet.url})`);
  });

  it("says which address or port it cannot listen on", async () => {
    const args = ["devnet", "--data-dir", join(root, "elsewhere"), "--rpc-port", "0", "--rpc-host"];
    const { code, err } = await runOgpu(...args, "192.0.2.1");
    expect(code).toBe(1);
    expect(err).toContain("[EADDRNOTAVAIL]");
    expect(err).not.toContain("bug");
  });

  it("says that a port which was asked for is taken", async () => {
    const port = new URL(devnet.url).port;
    const { code, err } = await runOgpu("devnet", "--data-dir", join(root, "other"), "--rpc-port", port);
    expect(code).toBe(1);
    expect(err).toContain("[RPC_PORT_TAKEN]");
  });
});

it("goes on after SIGKILL and SIGTERM, starts over with --fresh, and says what happens in lines of JSON", async () => {
  const directory = join(root, "restarted");
  let devnet = await startDevnet(directory, "--json");
  const hash = await wallet(devnet.url).sendTransaction({ to: bob.address, value: 1n });
  const { blockHash } = await reader(devnet.url).waitForTransactionReceipt({ hash });
  expect(await devnet.stop("SIGKILL")).toBe("SIGKILL");
  const events = devnet.events().map(({ event }) => event);
  expect(events.filter((event) => event !== "block")).toEqual(["validator", "started", "ready"]);
  expect(events.at(-1)).toBe("block");

  devnet = await startDevnet(directory);
  expect(await reader(devnet.url).getTransactionReceipt({ hash })).toMatchObject({ blockHash });
  // Acknowledged is safe, in a block or not.
  const late = await wallet(devnet.url).sendTransaction({ to: bob.address, value: 1n });
  const port = new URL(devnet.url).port;
  const refused = await runOgpu("devnet", "--data-dir", join(root, "x"), "--fresh", "--rpc-port", port);
  expect(refused.err).toContain("[RPC_PORT_TAKEN]");
  expect(await devnet.stop("SIGTERM")).toBe(0);
  const other = await runOgpu("devnet", "--data-dir", directory, "--spec", "testnet", "--rpc-port", "0");
  expect(other.err).toContain("[DEVNET_OTHER_CHAIN]");
  expect(other.err).toMatch(/--data-dir.*--fresh/);

  devnet = await startDevnet(directory);
  const receipt = await reader(devnet.url).waitForTransactionReceipt({ hash: late });
  expect(receipt.status).toBe("success");
  expect(await devnet.stop("SIGINT")).toBe(0);

  devnet = await startDevnet(directory, "--fresh");
  expect(await reader(devnet.url).getTransactionCount({ address: alice.address })).toBe(0);
  expect(await devnet.stop("SIGTERM")).toBe(0);
});

it("looks at what it hands to its validators before an old network is gone", async () => {
  const folder = join(root, "unmade");
  for (const option of ["--log-level=verbose", "--rpc-limit=nope=1"]) {
    const { code, err } = await runOgpu("devnet", "--data-dir", folder, "--fresh", "--rpc-port", "0", option);
    expect([code, err]).toEqual([2, expect.stringContaining(option.replace("=", " "))]);
    expect(existsSync(folder)).toBe(false);
  }
});

it("never deletes a folder with other files", async () => {
  const precious = join(root, "precious");
  mkdirSync(precious);
  writeFileSync(join(precious, "thesis.txt"), "years of work");
  const { code, err } = await runOgpu("devnet", "--data-dir", precious, "--fresh", "--rpc-port", "0");
  expect(code).toBe(1);
  expect(err).toContain("[DEVNET_FOREIGN_FILES]");
  expect(readdirSync(precious)).toEqual(["thesis.txt"]);
});
