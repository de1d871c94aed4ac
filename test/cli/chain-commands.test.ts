import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hexToBytes } from "../../base/bytes.ts";
import { decodeExtraData } from "../../chain/blocks/extra-data.ts";
import { ogpuJson, Running, runOgpu, startDevnet } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-commands-"));
const BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

afterAll(async () => {
  await Running.endAll(root);
});

describe("commands that ask a node", () => {
  let devnet: Running;

  beforeAll(async () => {
    devnet = await startDevnet(join(root, "chain"));
  });

  const ask = <Result>(...args: readonly string[]): Promise<Result> => ogpuJson<Result>(...args, "--rpc", devnet.url);

  it("send, tx, block and balance tell the same story", async () => {
    const sent = await ask<{ hash: string; status: string; blockNumber: number; fee: string }>(
      "send",
      "--from",
      "3",
      "--to",
      BOB,
      "--amount",
      "2.5",
    );
    expect(sent).toMatchObject({ status: "succeeded", value: "2500000000000000000" });
    const { transaction, receipt } = await ask<Record<string, Record<string, string>>>("tx", sent.hash);
    expect(transaction?.["value"]).toBe("0x22b1c8c1227a0000");
    expect(Number(receipt?.["blockNumber"])).toBe(sent.blockNumber);
    expect((await ask<{ transactions: string[] }>("block", String(sent.blockNumber))).transactions).toContain(
      sent.hash,
    );
    const { wei } = await ask<{ wei: string }>("balance", "0x90F79bf6EB2c4f870365E785982E1f101E93b906");
    expect(BigInt(wei)).toBe(10_000n * 10n ** 18n - 2_500_000_000_000_000_000n - BigInt(sent.fee));
  });

  it("stake, show and claim by words, and a module's refusal is told by its own error", async () => {
    const { validators } = await ask<{ validators: { operator: string; stake: string }[] }>("stake", "validators");
    expect(validators.map(({ stake }) => stake)).toEqual(["100000000000000000000"]);
    const operator = validators[0]?.operator ?? "";
    const delegated = await ask<{ status: string; events: { event: string }[] }>(
      ...["stake", "delegate", operator, "--amount", "5", "--from", "6"],
    );
    expect(delegated).toMatchObject({ status: "succeeded", events: [{ module: "staking", event: "Delegated" }] });
    await ask("stake", "unbond", operator, "--amount", "2", "--from", "6");
    const shown = await ask<{ delegation: { amount: string }; unbondings: { amount: string }[] }>(
      ...["stake", "show", operator, "--from", "6"],
    );
    expect(shown.delegation.amount).toBe("3000000000000000000");
    expect(shown.unbondings.map(({ amount }) => amount)).toEqual(["2000000000000000000"]);
    const early = await runOgpu("stake", "withdraw", operator, "--from", "6", "--rpc", devnet.url);
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining("[CHAIN_REFUSED]") });
    expect(early.err).toContain("NothingDue()");
  });

  it("register a validator by the proof of its key", async () => {
    const password = join(root, "password.txt");
    writeFileSync(password, "a long enough password\n");
    const keys = ["--keys-dir", join(root, "keys"), "--password-file", password];
    const file = join(root, "fifth.proof");
    await ogpuJson("keys", "new", "fifth", ...keys);
    const { publicKey } = await ogpuJson<{ publicKey: string }>("keys", "proof", "fifth", "--out", file, ...keys);
    await ask("stake", "register", file, "--amount", "50", "--commission", "2.5", "--about", "fifth", "--from", "7");
    const { validators } = await ask<{ validators: Record<string, unknown>[] }>("stake", "validators");
    expect(validators.find((each) => each["publicKey"] === publicKey)).toMatchObject({
      ...{ commission: "25000", metadata: "fifth", stake: "50000000000000000000" },
    });
  });

  it("list proposals and parameters, vote, and look at the whole node", async () => {
    expect(await ask("gov", "list")).toEqual({ proposals: [] });
    expect((await runOgpu("gov", "parameters", "--rpc", devnet.url)).out).toMatch(/^staking\.minSelfStake +10 oGPU/m);
    const { err } = await runOgpu("gov", "vote", "9", "yes", "--from", "0", "--rpc", devnet.url);
    expect(err).toContain("UnknownProposal(id 9)");
    expect(await ask("top", "--once")).toMatchObject({ network: "devnet", role: "validator", peers: 0 });
    expect((await runOgpu("top", "--rpc", devnet.url)).err).toContain("a full screen needs a terminal");
    // What it finds of the machine is the machine's affair.
    const { out } = await runOgpu("doctor", "--json", "--rpc", devnet.url);
    const { findings } = JSON.parse(out) as { findings: { subject: string; state: string }[] };
    const states = new Map(findings.map(({ subject, state }) => [subject, state]));
    expect([states.get("node"), states.get("peers"), states.get("native code")]).toEqual(["ok", "look", "ok"]);
  });

  it("prints amounts in oGPU for people", async () => {
    const { out } = await runOgpu("balance", "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f", "--rpc", devnet.url);
    expect(out).toBe("10000 oGPU\n");
    expect((await runOgpu("block", "0", "--rpc", devnet.url)).out).toMatch(/^number +0$/m);
    expect((await runOgpu("account", "list", "--rpc", devnet.url)).out.trim().split("\n")).toHaveLength(21);
  });

  it("say what to do about too little money", async () => {
    const { err } = await runOgpu("send", "--from", "5", "--to", BOB, "--amount", "20000000", "--rpc", devnet.url);
    expect(err).toMatch(/^error \[RPC_REFUSED\] .*insufficient funds.*\n.*ogpu balance <address>/m);
  });

  it("sends from a key that account new has made", async () => {
    const file = join(root, "new.key");
    const { address } = await ogpuJson<{ address: string }>("account", "new", file);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect((await runOgpu("account", "new", file)).err).toContain("[FILE_EXISTS]");
    await ask("send", "--from", "4", "--to", address, "--amount", "1");
    const back = await ask<{ from: string; status: string }>(
      "send",
      "--key-file",
      file,
      "--to",
      BOB,
      "--amount",
      "0.5",
    );
    expect(back).toMatchObject({ from: address, status: "succeeded" });
  });

  it.each([
    ["who sends", ["send", "--to", BOB], 2, "USAGE"],
    ["two who send", ["send", "--from", "0", "--key-file", "some.key", "--to", BOB], 2, "USAGE"],
    ["a mistyped address", ["balance", "0x70997970C51812dc3A010C7d01b50e0d17dc79c8"], 2, "USAGE"],
    ["a bad amount", ["send", "--from", "0", "--to", BOB, "--amount", "-1"], 2, "USAGE"],
    ["an amount", ["send", "--from", "0", "--to", BOB], 2, "USAGE"],
    ["call data that is none", ["send", "--from", "0", "--to", BOB, "--data", "zz"], 2, "USAGE"],
    ["too little money", ["send", "--from", "5", "--to", BOB, "--amount", "20000000"], 1, "RPC_REFUSED"],
    ["a transaction nobody knows", ["tx", `0x${"00".repeat(32)}`], 1, "TX_UNKNOWN"],
    ["a hash that is none", ["tx", "0x12"], 2, "USAGE"],
    ["a block that is not there", ["block", "999999"], 1, "BLOCK_UNKNOWN"],
    ["a block that is none", ["block", "newest"], 2, "USAGE"],
  ])("says what is wrong: %s", async (_what, args, code, error) => {
    const finished = await runOgpu(...args, "--rpc", devnet.url, "--json");
    expect(finished.code).toBe(code);
    expect(JSON.parse(finished.err)).toMatchObject({ error: { code: error } });
  });

  it("names the option whose value is wrong", async () => {
    const amount = await runOgpu("send", "--from", "0", "--to", BOB, "--amount", "much", "--rpc", devnet.url);
    expect(amount.err).toContain("[USAGE] --amount much: an amount of oGPU is written like 1 or 0.25");
    const address = await runOgpu("balance", "1", "--rpc", devnet.url);
    expect(address.err).toContain("[USAGE] <address> 1: an address is 0x and 40 hexadecimal digits");
  });

  it("tells money in oGPU when there is too little of it", async () => {
    const { err } = await runOgpu("send", "--from", "5", "--to", BOB, "--amount", "20000000", "--rpc", devnet.url);
    expect(err).toMatch(/^error \[RPC_REFUSED\] the node refuses: insufficient funds/);
    expect(err).not.toContain("20000000000000000000000000");
  });

  it("prints addresses with their checksum, and a block's time to the millisecond", async () => {
    const { hash, blockNumber } = await ask<{ hash: string; blockNumber: number }>(
      ...["send", "--from", "6", "--to", BOB, "--amount", "1"],
    );
    const shown = await runOgpu("tx", hash, "--rpc", devnet.url);
    expect(shown.out).toMatch(new RegExp(`^to +${BOB}$`, "m"));
    expect(shown.out).toMatch(/^from +0x976EA74026E726554dB657fA54763abd0C3a0aa9$/m);
    const block = await runOgpu("block", String(blockNumber), "--rpc", devnet.url);
    expect(block.out).toMatch(/^time +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/m);
    expect(block.out).toMatch(/^gas used +21000 \(less than 0\.1% of the limit\)$/m);
    const { timestamp, extraData } = await ask<Record<string, string>>("block", String(blockNumber));
    const milliseconds = decodeExtraData(hexToBytes(extraData ?? "")).milliseconds;
    const time = new Date(Number(timestamp) * 1000 + milliseconds).toISOString();
    expect(block.out).toContain(time);
  });

  it("says that nobody answers", async () => {
    const { code, err } = await runOgpu("balance", BOB, "--rpc", "http://127.0.0.1:1");
    expect(code).toBe(1);
    expect(err).toContain("[RPC_UNREACHABLE]");
    expect(err).toContain("npm start");
  });
});

describe("ogpu genesis", () => {
  it("creates a spec that it then checks and hashes, and a devnet runs, with no mnemonic where none is funded", async () => {
    const file = join(root, "my.json");
    const chain = ["--name", "my-net", "--chain-id", "777001", "--validators", "1", "--genesis-time", "1700000000"];
    const args = [
      ...chain,
      "--allocate",
      "0x00000000000000000000000000000000DeaDBeef=1000.5",
      "--block-interval",
      "100",
    ];
    const created = await ogpuJson<{ genesisHash: string }>("genesis", "create", file, ...args);
    const checked = await ogpuJson<Record<string, unknown>>("genesis", "check", file);
    expect(checked).toMatchObject({ valid: true, chainId: "777001", genesisHash: created.genesisHash });
    // What the validator stakes is part of it.
    const allocated = "1100500000000000000000";
    expect(checked["supply"]).toMatchObject({ allocated, cap: `21000000${"0".repeat(18)}` });
    expect(await ogpuJson("genesis", "hash", file)).toMatchObject({ genesisHash: created.genesisHash });
    const devnet = await startDevnet(join(root, "my-chain"), "--spec", file);
    try {
      const block = await ogpuJson<{ hash: string }>("block", "0", "--rpc", devnet.url);
      expect(block.hash).toBe(created.genesisHash);
    } finally {
      expect(await devnet.stop("SIGTERM")).toBe(0);
    }
    expect(devnet.lines.join("\n")).not.toContain("mnemonic: ");
    expect(devnet.lines.join("\n")).toContain("no test account is funded");
  });

  it("gives a network of its own as many development validators as asked for, and views that outlast its blocks", async () => {
    const file = join(root, "slow.json");
    const args = ["--name", "slow", "--chain-id", "777006", "--block-interval", "20000", "--validators", "3"];
    await ogpuJson("genesis", "create", file, ...args);
    expect(await ogpuJson("genesis", "check", file)).toMatchObject({ valid: true, validators: 3 });
    const { out } = await runOgpu("genesis", "check", file);
    expect(out).toMatch(/^validators +3, with 300 oGPU$/m);
  });

  it("says which network is not launched, and refuses a validator that does not prove its key", async () => {
    const { out } = await runOgpu("genesis", "check", "testnet");
    expect(out).toMatch(/^validators +none: the network is not launched$/m);
    const file = join(root, "forged.json");
    await ogpuJson("genesis", "create", file, "--name", "forged", "--chain-id", "777007");
    const spec = JSON.parse(readFileSync(file, "utf8")) as { validators: { proofOfPossession: string }[] };
    const [first, second] = spec.validators;
    if (first && second) first.proofOfPossession = second.proofOfPossession;
    writeFileSync(file, JSON.stringify(spec));
    const { code, err } = await runOgpu("genesis", "check", file);
    expect(code).toBe(1);
    expect(err).toContain("[SPEC_VALIDATOR_INVALID] $.validators[0]");
  });

  it("numbers the accounts in the banner as --from does", async () => {
    const file = join(root, "partial.json");
    const funded = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    await ogpuJson(
      "genesis",
      "create",
      file,
      ...["--name", "partial", "--chain-id", "777003", "--validators", "1", "--genesis-time", "1700000000"],
      "--allocate",
      `${funded}=7`,
    );
    const devnet = await startDevnet(join(root, "partial-chain"), "--spec", file);
    expect(await devnet.stop("SIGTERM")).toBe(0);
    expect(devnet.lines).toContain(`   3  ${funded}  7 oGPU`);
    expect(devnet.lines.join("\n")).toContain("mnemonic: ");
  });

  it.each([
    ["check", ["genesis", "check", "foonet"]],
    ["devnet", ["devnet", "--spec", "foonet", "--data-dir", join(root, "foonet")]],
  ])("says what a spec can be when it is none: %s", async (_command, args) => {
    const { code, err } = await runOgpu(...args);
    expect(code).toBe(1);
    expect(err).toContain("[SPEC_MISSING] foonet is no file and none of devnet, testnet, mainnet");
  });

  it("refuses a start that no date can tell", async () => {
    const file = join(root, "late.json");
    const late = ["--name", "late", "--chain-id", "777005", "--genesis-time", "9007199254740991"];
    const { code, err } = await runOgpu("genesis", "create", file, ...late);
    expect(code).toBe(1);
    expect(err).toContain("$.genesisTime: must be at most 253402300799");
  });

  it("does not write over a file, unless told to", async () => {
    const file = join(root, "kept.json");
    const args = ["genesis", "create", file, "--name", "kept", "--chain-id", "777002"];
    await ogpuJson(...args);
    const before = readFileSync(file, "utf8");
    expect((await runOgpu(...args, "--gas-limit", "40000000")).err).toContain("[FILE_EXISTS]");
    expect(readFileSync(file, "utf8")).toBe(before);
    await ogpuJson(...args, "--gas-limit", "40000000", "--force");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ block: { gasLimit: 40_000_000 } });
  });

  it("writes nothing that would not be valid", async () => {
    const { code, err } = await runOgpu(
      "genesis",
      "create",
      join(root, "bad.json"),
      "--name",
      "bad",
      "--chain-id",
      "1",
    );
    expect(code).toBe(1);
    expect(err).toContain("$.chainId: 1 is Ethereum");
    expect(() => statSync(join(root, "bad.json"))).toThrow();
  });

  it("prints the supply of mainnet for people", async () => {
    const { out } = await runOgpu("genesis", "check", "mainnet");
    expect(out).toMatch(/^allocated +8400000 oGPU$/m);
    expect(out).toMatch(/^cap +21000000 oGPU$/m);
  });

  it("prints the schema that the repository holds", async () => {
    const { out } = await runOgpu("genesis", "schema");
    const file = new URL("../../genesis/chain-spec.schema.json", import.meta.url);
    expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });
});
