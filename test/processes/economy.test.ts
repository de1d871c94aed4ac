/**
 * The economy over a network of processes: a fifth validator joins four by transactions, others delegate to it, it breaks
 * the rules and loses for it, and those who stake change a parameter. One story, test after test, with every amount to
 * the wei.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeEventTopics } from "viem/utils";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { OGPU } from "../../base/units.ts";
import { writeKeystore } from "../../chain/keys/keystore-file.ts";
import { lockValidatorKey } from "../../chain/keys/validator-keystore.ts";
import { choosePort } from "../../cli/devnet/ports.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { developmentOperatorKey, developmentValidatorKey } from "../../genesis/development-validators.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { treasuryAbi } from "../../vm/interfaces/abi/treasury.ts";
import { GOVERNANCE_ADDRESS, SLASHING_ADDRESS, STAKING_ADDRESS, TREASURY_ADDRESS } from "../../vm/modules/addresses.ts";
import { ogpuJson } from "../cli/support/ogpu-process.ts";
import { heightOf } from "./support/chain-copy.ts";
import { audit, conflicts, settledChains } from "./support/checks.ts";
import { goesOn } from "./support/faults.ts";
import { call } from "./support/json-rpc.ts";
import { Load } from "./support/load.ts";
import { ModuleClient } from "./support/module-client.ts";
import { NodeProcess } from "./support/node-process.ts";
import { ProcessNetwork } from "./support/process-network.ts";
import { until, within } from "./support/until.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const SLASHING = { address: SLASHING_ADDRESS, abi: slashingAbi } as const;
const TREASURY = { address: TREASURY_ADDRESS, abi: treasuryAbi } as const;
const GOVERNANCE = { address: GOVERNANCE_ADDRESS, abi: governanceAbi } as const;

/** Of the development keys: the four validators have those before it. */
const FIFTH = 4;
const FAULTY = fileURLToPath(new URL("../../dist/test/processes/support/faulty-validator.js", import.meta.url));
const PASSWORD = "everybody knows it";
/** None of these is expected to take a quarter of it. */
const PATIENCE = 240_000;

/** The load has the accounts before these. */
const CLIENTS = 4;
const operator = testAccount(10);
const delegator = testAccount(11);
const REPORTER = 12;
const reporter = testAccount(REPORTER);
const proposer = testAccount(13);
const sponsor = testAccount(14);

const directory = mkdtempSync(join(tmpdir(), "ogpu-economy-"));
const key = developmentValidatorKey(FIFTH, bls);
const publicKey = bytesToHex(bls.publicKeyOf(key).bytes);
let network: ProcessNetwork;
let load: Load;
let fifth: NodeProcess;
let client: ModuleClient;
let isGood = true;

beforeAll(async () => {
  network = await ProcessNetwork.create(directory, 4, withQuickVotes);
  const { chainId } = network.spec;
  load = new Load({ chainId, nodes: 4, clients: CLIENTS, pause: 250, url: (index) => network.url(index) });
  client = new ModuleClient(() => network.urlOf(0), chainId);
  // The first one answers for every block that there was.
  await Promise.all(network.indices.map((index) => network.start(index, ...(index === 0 ? ["--archive"] : []))));
  load.start();
  await goesOn(network);
}, PATIENCE);

afterEach(({ task }) => {
  isGood &&= task.result?.state === "pass";
});

afterAll(async () => {
  await load.stop();
  await fifth?.end("SIGKILL");
  await network.close();
  // The logs tell what went wrong.
  if (isGood) rmSync(directory, { recursive: true });
}, PATIENCE);

/** A proposal is decided within seconds. */
function withQuickVotes(spec: ChainSpec): ChainSpec {
  const governance = { ...spec.modules.governance, votingSeconds: 20n, timelockSeconds: 3n };
  return { ...spec, modules: { ...spec.modules, governance } };
}

async function startFifth(): Promise<NodeProcess> {
  const folder = join(directory, "validator-fifth");
  await mkdir(folder);
  // Everybody knows the key anyway: no reason to make a busy machine work for it.
  const kdf = { function: "scrypt", n: 16, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) } as const;
  const [keystore, password] = [join(directory, "fifth.json"), join(directory, "fifth.pass")];
  await writeKeystore(keystore, { kind: "validator", keystore: await lockValidatorKey(key, PASSWORD, "", kdf) });
  await writeFile(password, PASSWORD);
  const port = await choosePort("127.0.0.1", undefined, new Set());
  const peers = network.indices.flatMap((index) => ["--persistent-peer", network.addressOf(index)]);
  const args = [
    ...["validator", "--spec", join(directory, "spec.json"), "--data-dir", folder, "--rpc-port", "0", "--cache", "16"],
    ...["--key", keystore, "--password-file", password, "--new-key", "--coinbase", operator.address],
    ...["--listen", `/ip4/127.0.0.1/tcp/${port}`, ...peers],
  ];
  const program = [FAULTY, String(FIFTH), String(network.spec.chainId)];
  return new NodeProcess(args, join(directory, "validator-fifth.log"), program);
}

/** Blocks of the running epoch that the fifth validator has signed; `undefined` if it is not in the set. */
async function signedByFifth(): Promise<bigint | undefined> {
  const count = await client.view(STAKING, "activeCount", []);
  for (let index = 0n; index < count; index++) {
    const [found, , , , signed] = await client.view(STAKING, "activeAt", [index]);
    if (found.toLowerCase() === operator.address) return signed;
  }
  return undefined;
}

it("a fifth validator joins by a transaction, and signs from the next epoch on", { timeout: PATIENCE }, async () => {
  fifth = await startFifth();
  await within("the fifth node starts", fifth.started);
  const before = await client.balance(operator.address);
  const proof = bytesToHex(bls.provePossession(key));
  const { status, fee, blockNumber } = await client.send(
    operator.privateKey,
    STAKING,
    "register",
    [publicKey, proof, 100_000n, 200_000n, 10_000n, operator.address, "the fifth"],
    100n * OGPU,
  );
  expect(status).toBe("0x1");
  expect(await client.balance(operator.address, blockNumber)).toBe(before - 100n * OGPU - fee);
  expect(await client.view(STAKING, "activeCount", [], blockNumber)).toBe(4n);
  await until("the fifth validator has signed", async () => ((await signedByFifth()) ?? 0n) > 0n || undefined);
  expect(await client.view(STAKING, "activeCount", [])).toBe(5n);
});

it("somebody delegates to it", { timeout: PATIENCE }, async () => {
  const before = await client.balance(delegator.address);
  const { status, fee, blockNumber } = await client.send(
    delegator.privateKey,
    STAKING,
    "delegate",
    [operator.address],
    50n * OGPU,
  );
  expect(status).toBe("0x1");
  expect(await client.balance(delegator.address, blockNumber)).toBe(before - 50n * OGPU - fee);
  expect(await client.view(STAKING, "validator", [operator.address], blockNumber)).toMatchObject({
    stake: 150n * OGPU,
    selfStake: 100n * OGPU,
  });
});

it("it votes for two blocks, and all others find out", { timeout: PATIENCE }, async () => {
  fifth.tell("SIGUSR2");
  for (const index of network.indices) {
    const [seen] = await until(`validator ${index} has seen the offence`, async () => {
      const all = await call<readonly Record<string, unknown>[]>(network.urlOf(index), "ogpu_getEvidence");
      return all.length > 0 ? all : undefined;
    });
    expect(seen).toMatchObject({ offence: "double-notarize", publicKey });
  }
});

it("what others have seen outlives them", { timeout: PATIENCE }, async () => {
  await network.end(3, "SIGKILL");
  await network.start(3);
  const [seen] = await call<readonly Record<string, unknown>[]>(network.urlOf(3), "ogpu_getEvidence");
  expect(seen).toMatchObject({ offence: "double-notarize", publicKey });
});

it("who takes stake out after the offence does not escape; the offender is out, and the reporter paid", {
  timeout: PATIENCE,
}, async () => {
  const unbonded = await client.send(delegator.privateKey, STAKING, "unbond", [operator.address, 20n * OGPU]);
  expect(unbonded.status).toBe("0x1");
  const { hash, reward } = await ogpuJson<{ hash: Hex; reward: string }>(
    ...["evidence", "submit", "--from", String(REPORTER), "--rpc", network.urlOf(1)],
  );
  const { status, fee, blockNumber } = await client.receipt(hash);
  expect(status).toBe("0x1");
  // 5% of 130 that were bonded and of 20 that were leaving.
  const amount = (65n * OGPU) / 10n + OGPU;
  const rewarded = (amount * 50_000n) / 1_000_000n;
  const toTreasury = (amount * 475_000n) / 1_000_000n;
  expect(BigInt(reward)).toBe(rewarded);
  const before = blockNumber - 1;
  expect(await client.balance(reporter.address, blockNumber)).toBe(
    (await client.balance(reporter.address, before)) + rewarded - fee,
  );
  expect(await client.view(TREASURY, "receivedFrom", ["slash"], before)).toBe(0n);
  expect(await client.view(TREASURY, "receivedFrom", ["slash"], blockNumber)).toBe(toTreasury);
  expect(await client.view(STAKING, "validator", [operator.address], before)).toMatchObject({
    stake: 130n * OGPU,
    isTombstoned: false,
  });
  expect(await client.view(STAKING, "validator", [operator.address], blockNumber)).toMatchObject({
    stake: (130n * OGPU * 95n) / 100n,
    selfStake: 95n * OGPU,
    isTombstoned: true,
    isCandidate: false,
  });
  const delegation = await client.view(STAKING, "delegation", [delegator.address, operator.address], blockNumber);
  expect(delegation.amount).toBe((285n * OGPU) / 10n);
  const leaving = await client.view(STAKING, "unbondings", [delegator.address, operator.address], blockNumber);
  expect(leaving.map((entry) => entry.amount)).toEqual([19n * OGPU]);
  expect(await client.view(SLASHING, "slashAt", [0n, 10n], blockNumber)).toMatchObject([
    { offence: 2, amount, blockNumber: BigInt(blockNumber) },
  ]);
});

it("it cannot be punished again, and leaves the set with the epoch", { timeout: PATIENCE }, async () => {
  expect(await ogpuJson("evidence", "submit", "--from", String(REPORTER), "--rpc", network.urlOf(2))).toEqual({
    sent: 0,
  });
  await until("four validators are left", async () => {
    return (await client.view(STAKING, "activeCount", [])) === 4n || undefined;
  });
  expect(await signedByFifth()).toBeUndefined();
  await goesOn(network);
});

it("those who stake change a parameter, which holds from the block on that carries it out", {
  timeout: PATIENCE,
}, async () => {
  const name = "slashing.jailSeconds";
  const voters = [0, 1, 2].map((index) => developmentOperatorKey(index));
  for (const voter of voters) {
    await client.transfer(sponsor.privateKey, bytesToHex(privateKeyToAddress(voter)), OGPU);
  }
  const { deposit } = network.spec.modules.governance;
  const { status, blockNumber } = await client.send(
    proposer.privateKey,
    GOVERNANCE,
    "proposeParameters",
    ["Wait longer", "Whoever was absent waits 45 seconds.", [name], [45n]],
    deposit,
  );
  expect(status).toBe("0x1");
  const id = await client.view(GOVERNANCE, "proposalCount", [], blockNumber);
  const held = await client.balance(proposer.address, blockNumber);
  const votes = await Promise.all(voters.map((voter) => client.send(voter, GOVERNANCE, "vote", [id, 1])));
  expect(votes.map((vote) => vote.status)).toEqual(["0x1", "0x1", "0x1"]);
  const at = await until(
    "the proposal is carried out",
    async () => await blockOfChange(blockNumber),
    async () => (await client.view(GOVERNANCE, "proposal", [id])).status,
  );
  const executed = 3;
  expect((await client.view(GOVERNANCE, "proposal", [id], at)).status).toBe(executed);
  expect(await client.view(GOVERNANCE, "parameter", [name], at - 1)).toBe(30n);
  expect(await client.view(GOVERNANCE, "parameter", [name], at)).toBe(45n);
  expect((await client.balance(proposer.address)) - held).toBe(deposit);
  for (const index of network.indices) {
    const other = new ModuleClient(() => network.urlOf(index), network.spec.chainId);
    expect(await until("it has the block", async () => (await heightOf(network.urlOf(index))) >= at || undefined)).toBe(
      true,
    );
    expect(await other.view(GOVERNANCE, "parameter", [name])).toBe(45n);
  }
});

/** The block that changed a parameter, if one has since that height. */
async function blockOfChange(fromBlock: number): Promise<number | undefined> {
  const topics = encodeEventTopics({ abi: governanceAbi, eventName: "ParameterChanged" });
  const filter = { address: GOVERNANCE_ADDRESS, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: "latest" };
  const [log] = await call<readonly { readonly blockNumber: Hex }[]>(network.urlOf(0), "eth_getLogs", [filter]);
  return log && Number(log.blockNumber);
}

it("all have the same chain, and the money adds up", { timeout: PATIENCE }, async () => {
  await load.stop();
  const [first, ...rest] = await settledChains(network, load);
  for (const chain of rest) expect(first && conflicts(first, chain)).toEqual([]);
  await Promise.all(network.indices.map((index) => network.end(index, "SIGTERM")));
  for (const index of network.indices) expect((await audit(network, index)).problems).toEqual([]);
});
