/** `ogpu validator` in a process of its own: its key, its log, and its end when the disk fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import { GWEI } from "../../base/units.ts";
import { peerIdOf } from "../../chain/network/peer-id-of.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { callRpc } from "../../cli/json-rpc-client.ts";
import { runCommandLine } from "../../cli/run.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import { eventually, MAIN, ogpuJson, Running, runOgpu } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-validator-"));
const password = join(root, "v1.pass");
const keystore = join(root, "keys", "v1.json");
const spec = join(root, "own.json");
const coinbase = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CHAIN_ID = 777_020n;

/** A network of one validator, whose key `ogpu keys` has made. */
beforeAll(async () => {
  writeFileSync(password, "correct horse battery staple\n");
  const files = ["--keys-dir", join(root, "keys"), "--password-file", password];
  await ogpuJson("keys", "new", "v1", ...files);
  const proof = await ogpuJson<{ publicKey: string; proofOfPossession: string }>("keys", "proof", "v1", ...files);
  await ogpuJson("genesis", "create", spec, ...["--name", "own", "--chain-id", String(CHAIN_ID), "--validators", "1"]);
  const json = JSON.parse(readFileSync(spec, "utf8"));
  Object.assign(json.validators[0], { publicKey: proof.publicKey, proofOfPossession: proof.proofOfPossession });
  writeFileSync(spec, JSON.stringify({ ...json, genesisTime: 1_700_000_000 }));
});

afterAll(async () => {
  await Running.endAll(root);
});

function argsFor(name: string): readonly string[] {
  const ports = ["--rpc-port", "0", "--listen", "/ip4/127.0.0.1/tcp/0"];
  const key = ["--key", keystore, "--password-file", password, "--coinbase", coinbase];
  return ["validator", "--spec", spec, "--data-dir", join(root, name), ...ports, ...key];
}

async function roleAt(url: string): Promise<unknown> {
  return ((await (await fetch(`${url}/ready`)).json()) as { readonly role: string }).role;
}

describe("a validator with a keystore", () => {
  it("signs from its first start on, ends with 0, and follows when its log is gone", async () => {
    const validator = await Running.start(...argsFor("v1"), "--new-key", "--json");
    expect(await roleAt(validator.url)).toBe("validator");
    expect((await fetch(`${validator.url}/health`)).status).toBe(200);
    // The first block may be there before anybody listens; the heartbeat brings the next.
    await eventually(async () => validator.events().some(({ event }) => event === "block") || undefined);
    expect(await validator.stop("SIGTERM")).toBe(0);
    expect(validator.events().map(({ event }) => event)).toEqual(expect.arrayContaining(["started", "ready"]));

    rmSync(join(root, "v1", "consensus"), { recursive: true });
    // It has nobody to follow, so it never becomes ready.
    const lost = spawn(process.execPath, [MAIN, ...argsFor("v1"), "--new-key"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const closed = once(lost, "close");
    const said = await new Promise<string>((resolve) => {
      createInterface({ input: lost.stderr }).on("line", (line) => {
        if (line.includes("ERROR")) resolve(line);
      });
    });
    lost.kill("SIGTERM");
    expect((await closed)[0]).toBe(0);
    expect(said).toContain("THIS VALIDATOR DOES NOT SIGN");
    expect(said).toContain("ogpu keys guard-import");
    expect(said).toContain(`--new-key has no effect: by ${keystore}.signs`);
  });

  it("has its note before it signs, so that a start that fails because of its port leaves one too", async () => {
    const other = join(root, "port-taken.json");
    writeFileSync(other, JSON.stringify({ ...JSON.parse(readFileSync(spec, "utf8")), chainId: 777_023 }));
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    rmSync(`${keystore}.signs`, { force: true });
    const { port } = server.address() as AddressInfo;
    const replaced = new Map([
      [spec, other],
      ["0", String(port)],
    ]);
    const args = argsFor("port-taken").map((word) => replaced.get(word) ?? word);
    const validator = spawn(process.execPath, [MAIN, ...args, "--new-key"], { stdio: "ignore" });
    expect((await once(validator, "close"))[0]).toBe(1);
    server.close();
    expect(readFileSync(`${keystore}.signs`, "utf8")).toMatch(/^0x[0-9a-f]{64}\n$/);
  });

  it("ends with 0 when it is interrupted twice at once, as npm passes on what the terminal has sent already", async () => {
    // On a chain of its own: on the one above, this key has signed.
    const other = join(root, "interrupted.json");
    writeFileSync(other, JSON.stringify({ ...JSON.parse(readFileSync(spec, "utf8")), chainId: 777_021 }));
    const args = argsFor("interrupted").map((word) => (word === spec ? other : word));
    const validator = await Running.start(...args, "--new-key");
    expect(await validator.stop("SIGINT", "SIGINT")).toBe(0);
  });
});

it("two people make a network of their own: two keys, two proofs, one spec, and blocks that both sign", async () => {
  const own = join(root, "two.json");
  const operators = [coinbase, "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"];
  const proofs: string[] = [];
  for (const [index, operator] of operators.entries()) {
    const files = ["--keys-dir", join(root, "two"), "--password-file", password];
    const out = join(root, `two-${index}.proof`);
    await ogpuJson("keys", "new", `v${index}`, ...files);
    await ogpuJson("keys", "proof", `v${index}`, "--operator", operator, "--out", out, ...files);
    proofs.push("--validator", out);
  }
  const identity = ["--name", "two", "--chain-id", "777022"];
  await ogpuJson("genesis", "create", own, ...identity, ...proofs, "--allocate", `${coinbase}=1000`);
  const port = await freePort();
  const seed = new Uint8Array(32).fill(7);
  mkdirSync(join(root, "two-0"));
  writeFileSync(join(root, "two-0", "node.key"), `${bytesToHex(seed).slice(2)}\n`, { mode: 0o600 });
  const address = `/ip4/127.0.0.1/tcp/${port}`;
  const start = (index: number, ...words: readonly string[]) => {
    const key = ["--key", join(root, "two", `v${index}.json`), "--password-file", password, "--new-key"];
    const folder = ["--data-dir", join(root, `two-${index}`), "--rpc-port", "0"];
    return Running.start("validator", "--spec", own, ...key, ...folder, ...words);
  };
  const [first, second] = await Promise.all([
    start(0, "--listen", address),
    start(1, "--p2p-port", "0", "--persistent-peer", `${address}/p2p/${await peerIdOf(seed)}`),
  ]);
  const blocks = await eventually(async () => {
    const heights = await Promise.all([first, second].map(({ url }) => callRpc(url, "eth_blockNumber", [])));
    return heights.every((height) => Number(height) > 0) || undefined;
  });
  expect(blocks).toBe(true);
  const hashes = [first, second].map(async ({ url }) => {
    return ((await callRpc(url, "eth_getBlockByNumber", ["0x1", false])) as { readonly hash: string }).hash;
  });
  expect(await hashes[0]).toBe(await hashes[1]);
  expect(await Promise.all([first.stop("SIGTERM"), second.stop("SIGTERM")])).toEqual([0, 0]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("ogpu validator", () => {
  async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly err: string }> {
    const err: string[] = [];
    const terminal = { out: () => {}, err: (text: string) => err.push(text), signal: new AbortController().signal };
    const code = await runCommandLine(["validator", ...words], COMMANDS, readConfig({}), terminal);
    return { code, err: err.join("\n") };
  }

  it.each([
    ["no key", ["--network", "devnet"], 2, "with which key?"],
    ["two keys", ["--network", "devnet", "--dev-key", "0", "--key", "x"], 2, "with which key?"],
    ["a development key for another network", ["--network", "testnet", "--dev-key", "0"], 1, "[DEV_KEY_REFUSED]"],
    ["a development validator that is not there", ["--network", "devnet", "--dev-key", "4"], 2, "has 4 validators"],
    ["a keystore that is not there", ["--network", "devnet", "--key", join(root, "x.json")], 1, "[KEYSTORE_MISSING]"],
    ["a key that nobody gets the tips for", [], 2, "who receives the tips?"],
  ])("refuses %s", async (_what, words, code, message) => {
    const own = ["--spec", spec.replace("own", "other"), "--key", keystore, "--password-file", password];
    writeFileSync(spec.replace("own", "other"), readFileSync("genesis/specs/devnet.json"));
    const finished = await run(...(words.length === 0 ? own : words));
    expect(finished.err).toContain(message);
    expect(finished.code).toBe(code);
  });
});

it("ends with 1 and says why when the disk takes no more", async () => {
  // Files of more than some 20 to 40 kB, which is what the units of shells come to, cannot be written.
  rmSync(`${keystore}.signs`, { force: true });
  const words = [process.execPath, MAIN, ...argsFor("full"), "--new-key", "--json"];
  const child = spawn("sh", ["-c", 'ulimit -f 40; exec "$@"', "sh", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const found = /"event":"ready","url":"([^"]+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("close", () => reject(new Error(err)));
  });
  const { privateKey } = testAccount(0);
  for (let nonce = 0n; child.exitCode === null && nonce < 64n; nonce++) {
    const fees = { gasLimit: 1_000_000n, maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI };
    const fields = {
      to: coinbase.toLowerCase() as `0x${string}`,
      value: 1n,
      data: new Uint8Array(4_000),
      accessList: [],
    };
    const raw = signTransaction({ type: 2, chainId: CHAIN_ID, nonce, ...fees, ...fields }, privateKey);
    await callRpc(url, "eth_sendRawTransaction", [bytesToHex(raw)]).catch(() => undefined);
  }
  expect((await closed)[0]).toBe(1);
  expect(err).toMatch(/"code":"(STORE_WRITE_FAILED|WAL_WRITE_FAILED|MEMPOOL_JOURNAL_\w+)"/);
});

it("shows its help without starting anything", async () => {
  const { code, out } = await runOgpu("validator", "--help");
  expect(code).toBe(0);
  expect(out).toContain("--new-key");
  expect(out).toContain("NEVER run two");
});
