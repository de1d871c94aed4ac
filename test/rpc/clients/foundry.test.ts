import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeDeployData, getContractAddress, type Hex, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { foundryProgram } from "../../../bench/network/foundry.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { STAKING_ADDRESS, TRUST_LOCK_ADDRESS } from "../../../vm/modules/addresses.ts";
import { account, CHAIN_ID, type Devnet, openDevnet } from "./support/devnet.ts";
import { CREATE2_FACTORY } from "./support/keyless.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

let devnet: Devnet;
let project: string;

beforeAll(async () => {
  devnet = await openDevnet();
  project = join(devnet.folder, "project");
  writeProject(project);
});

afterAll(() => devnet.close());

/** The text that the tool prints; rejects with what it prints when it fails. */
async function foundry(tool: "cast" | "forge", ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(foundryProgram(tool), [...args], { cwd: project });
  return stdout.trim();
}

/** Asks the devnet. */
const cast = (command: string, ...args: readonly string[]): Promise<string> =>
  foundry("cast", command, "--rpc-url", devnet.url, ...args);

/** Compiles with npm's solc; forge would download one. */
const forge = (command: string, ...args: readonly string[]): Promise<string> =>
  foundry(
    "forge",
    command,
    "--offline",
    "--use",
    join(project, "solc"),
    "--rpc-url",
    devnet.url,
    "--broadcast",
    ...args,
  );

const keyOf = (index: number): readonly string[] => ["--private-key", bytesToHex(testAccount(index).privateKey)];
const unlocked = (index: number): readonly string[] => ["--unlocked", "--from", account(index).address];

/** A project as `forge init` makes it, without what that would download. */
function writeProject(folder: string): void {
  for (const part of ["src", "script"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "foundry.toml"), "[profile.default]\n");
  writeFileSync(join(folder, "src/Counter.sol"), COUNTER);
  writeFileSync(join(folder, "script/Deploy.s.sol"), script("new Counter(40)"));
  writeFileSync(join(folder, "script/Salted.s.sol"), script(`new Counter{salt: bytes32(uint256(${SALT}))}(40)`));
  writeFileSync(join(folder, "solc"), `#!${process.execPath}\n${COMPILER}`);
  chmodSync(join(folder, "solc"), 0o755);
}

const COUNTER = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Counter {
    uint256 public count;
    error TooMany(uint256 asked);
    event Added(uint256 more);

    constructor(uint256 first) {
        count = first;
    }

    function add(uint256 more) external {
        if (more > 100) revert TooMany(more);
        count += more;
        emit Added(more);
    }
}
`;

const SALT = 7;

const script = (creation: string): string => `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
}

contract Deploy {
    bool public constant IS_SCRIPT = true;
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external returns (Counter counter) {
        vm.startBroadcast();
        counter = ${creation};
        counter.add(2);
        vm.stopBroadcast();
    }
}
`;

/** npm's compiler with the command line of the real one, as far as forge uses it. */
const COMPILER = `
const solc = require(${JSON.stringify(require.resolve("solc"))});
if (process.argv.includes("--version")) {
  console.log("solc, the solidity compiler commandline interface\\nVersion: " + solc.version().replace("Emscripten", "Linux"));
} else {
  let input = "";
  process.stdin.on("data", (text) => (input += text)).on("end", () => process.stdout.write(solc.compile(input)));
}
`;

describe("forge", () => {
  it("creates a contract, with a key and with an account of the node's", async () => {
    for (const who of [keyOf(0), unlocked(0)]) {
      const made = await forge("create", ...who, "--json", "src/Counter.sol:Counter", "--constructor-args", "7");
      const { deployedTo, deployer } = JSON.parse(made);
      expect(deployer).toBe(account(0).address);
      expect(await cast("call", deployedTo, "count()(uint256)")).toBe("7");
    }
  });

  /** Gives what the script's transactions came to. */
  async function runScript(name: string, key: number): Promise<readonly Record<string, unknown>[]> {
    const lines = (await forge("script", ...keyOf(key), "--json", `script/${name}.s.sol:Deploy`)).split("\n");
    const events = lines.map((line): Record<string, unknown> => JSON.parse(line));
    return events.filter((event) => "tx_hash" in event);
  }

  it("runs a script: simulated first, then sent, transaction after transaction", async () => {
    const sent = await runScript("Deploy", 1);
    expect(sent.map(({ status }) => status)).toEqual(["success", "success"]);
    const address = sent.find((event) => typeof event["contract_address"] === "string")?.["contract_address"];
    expect(await cast("call", String(address), "count()(uint256)")).toBe("42");
  });

  it("runs one with a salt: its contract has the address that it has on every chain", async () => {
    const sent = await runScript("Salted", 3);
    expect(sent.map(({ status }) => status)).toEqual(["success", "success"]);
    const compiled = JSON.parse(readFileSync(join(project, "out/Counter.sol/Counter.json"), "utf8"));
    const bytecode = encodeDeployData({ abi: compiled.abi, bytecode: compiled.bytecode.object as Hex, args: [40n] });
    const salt = toHex(SALT, { size: 32 });
    const address = getContractAddress({ opcode: "CREATE2", from: CREATE2_FACTORY.address, salt, bytecode });
    expect(await cast("call", address, "count()(uint256)")).toBe("42");
  });
});

describe("cast", () => {
  let counter: string;

  beforeAll(async () => {
    const made = await forge("create", ...keyOf(2), "--json", "src/Counter.sol:Counter", "--constructor-args", "0");
    counter = JSON.parse(made).deployedTo;
  });

  it("reads the chain", async () => {
    expect(await cast("chain-id")).toBe(`${CHAIN_ID}`);
    expect(Number(await cast("block-number"))).toBeGreaterThan(0);
    expect(JSON.parse(await cast("block", "latest", "--json"))).toHaveProperty("baseFeePerGas");
    expect(Number(await cast("gas-price"))).toBeGreaterThan(0);
    expect(await cast("codesize", counter)).not.toBe("0");
    expect(JSON.parse(await cast("proof", counter, "0x0"))).toHaveProperty("accountProof");
    expect(JSON.parse(await cast("rpc", "ogpu_getSupply"))).toHaveProperty("total");
  });

  it("estimates, sends and shows: with a key, and with an account of the node's", async () => {
    const add = [counter, "add(uint256)", "5"];
    const estimated = Number(await cast("estimate", "--from", account(3).address, ...add));
    for (const who of [keyOf(3), unlocked(3)]) {
      const receipt = JSON.parse(await cast("send", ...who, "--json", ...add));
      expect(receipt).toMatchObject({ status: "0x1" });
      expect(Number(receipt.gasUsed)).toBeLessThanOrEqual(estimated);
      expect(await cast("tx", receipt.transactionHash, "from")).toBe(account(3).address);
      expect(await cast("run", receipt.transactionHash)).toContain("Transaction successfully executed");
    }
    expect(await cast("call", counter, "count()(uint256)")).toBe("10");
    const logs = await cast("logs", "--from-block", "0", "--address", counter, "Added(uint256)");
    expect(logs.match(/transactionHash/g)).toHaveLength(2);
    expect(await cast("storage", counter, "0")).toMatch(/0a$/);
    expect(await cast("access-list", ...add)).toContain("gas used");
  });

  it("says what the node says of a transaction that cannot be", async () => {
    const add = [counter, "add(uint256)", "5"];
    await expect(cast("send", ...unlocked(3), "--nonce", "0", ...add)).rejects.toThrow("nonce too low");
    await expect(cast("call", counter, "add(uint256)", "101")).rejects.toThrow(/execution reverted/);
    const poor = ["--private-key", `0x${"11".repeat(32)}`];
    await expect(cast("send", ...poor, "--value", "1", account(4).address)).rejects.toThrow("insufficient funds");
  });

  it("calls native modules", async () => {
    const active = "activeAt(uint256)(address,bytes,uint256,uint256,uint256)";
    const [operator = ""] = (await cast("call", STAKING_ADDRESS, active, "0")).split("\n");
    const stake = ["--value", "2ether", STAKING_ADDRESS, "delegate(address)", operator];
    expect(JSON.parse(await cast("send", ...unlocked(5), "--json", ...stake))).toMatchObject({ status: "0x1" });
    const delegation = "delegation(address,address)((uint256,uint256,uint256,uint256))";
    expect(await cast("call", STAKING_ADDRESS, delegation, account(5).address, operator)).toContain(
      "2000000000000000000",
    );
    const lock = ["--value", "1ether", TRUST_LOCK_ADDRESS, "lock()"];
    expect(JSON.parse(await cast("send", ...unlocked(5), "--json", ...lock))).toMatchObject({ status: "0x1" });
  });

  it("signs what others verify", async () => {
    const signed = await foundry("cast", "wallet", "sign", ...keyOf(6), "hello");
    const byNode = await cast("rpc", "personal_sign", "0x68656c6c6f", account(6).address);
    expect(JSON.parse(byNode)).toBe(signed);
    await foundry("cast", "wallet", "verify", "--address", account(6).address, "hello", signed);
  });
});
