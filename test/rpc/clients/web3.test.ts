import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Web3 } from "web3";
import { type Contract as Compiled, compileContracts } from "./support/compile.ts";
import { account, CHAIN_ID, type Devnet, openDevnet } from "./support/devnet.ts";

let devnet: Devnet;
let web3: Web3;
let contractOf: (name: string) => Compiled;

beforeAll(async () => {
  [devnet, contractOf] = await Promise.all([openDevnet(), compileContracts("Token", "Faults", "Notary")]);
  web3 = new Web3(devnet.url);
  web3.eth.transactionPollingInterval = 50;
});

afterAll(() => devnet.close());

type Instance = InstanceType<typeof web3.eth.Contract>;

async function deploy(name: string, from: string, ...args: readonly unknown[]): Promise<Instance> {
  const { abi, bytecode } = contractOf(name);
  const contract = new web3.eth.Contract(abi as never);
  return (await contract.deploy({ data: bytecode, arguments: args as never }).send({ from })) as unknown as Instance;
}

/** Its functions, by name: web3 types them by an ABI that is known when the program is written. */
function method(contract: Instance, name: string, ...args: readonly unknown[]) {
  const methods = contract.methods as unknown as Record<string, (...values: unknown[]) => Method>;
  const make = methods[name];
  if (make === undefined) throw new Error(`the contract has no ${name}`);
  return make(...args);
}

interface Method {
  call(options?: object): Promise<unknown>;
  send(options: object): Promise<{ readonly status: bigint; readonly events?: Record<string, unknown> }>;
  estimateGas(options?: object): Promise<bigint>;
}

async function failureOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** All that an error says, and its causes. */
function wordsOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { message, reason, cause } = error as { message?: string; reason?: string; cause?: unknown };
  return [message, reason, wordsOf(cause)].join(" ");
}

it("finds the network, its accounts and its fees", async () => {
  expect(await web3.eth.getChainId()).toBe(BigInt(CHAIN_ID));
  expect(await web3.eth.getAccounts()).toHaveLength(20);
  expect(await web3.eth.net.isListening()).toBe(true);
  const { baseFeePerGas, maxFeePerGas } = await web3.eth.calculateFeeData();
  expect(maxFeePerGas).toBeGreaterThan(BigInt(baseFeePerGas ?? 0));
  expect(await web3.eth.getFeeHistory(2n, "latest", [50])).toHaveProperty("baseFeePerGas");
});

describe("contracts", () => {
  it("are deployed by the node's own accounts and used: ERC-20", async () => {
    const from = account(0).address;
    const to = account(1).address;
    const token = await deploy("Token", from, from, "1000");
    const transfer = method(token, "transfer", to, "5");
    expect(await transfer.estimateGas({ from })).toBeGreaterThan(21_000n);
    const receipt = await transfer.send({ from });
    expect(receipt.status).toBe(1n);
    expect(receipt.events?.["Transfer"]).toMatchObject({ returnValues: { from, to, value: 5n } });
    expect(await method(token, "balanceOf", to).call()).toBe(5n);
  });

  it("tell why a call fails", async () => {
    const from = account(1).address;
    const faults = await deploy("Faults", from);
    expect(await failureOf(() => method(faults, "withText").call({ from }))).toMatchObject({
      cause: { message: expect.stringContaining("a reason in words") },
    });
    expect(await failureOf(() => method(faults, "withError", "7").call({ from }))).toMatchObject({
      cause: { errorName: "Rejected", errorArgs: { caller: from, code: 7n, reason: "für immer" } },
    });
    const panic = await failureOf(() => method(faults, "withDivision", "0").call({ from }));
    expect(panic).toMatchObject({ cause: { data: expect.stringMatching(/^0x4e487b71.*12$/) } });
    expect(wordsOf(await failureOf(() => method(faults, "withText").send({ from })))).toContain("a reason in words");
  });

  it("check signatures of the node and of web3's own wallet", async () => {
    const from = account(2).address;
    const notary = await deploy("Notary", from);
    const text = "I was here";
    const byNode = await web3.eth.sign(web3.utils.utf8ToHex(text), from);
    expect(await method(notary, "signerOfMessage", text, byNode).call()).toBe(from);
    const wallet = web3.eth.accounts.create();
    const { signature } = wallet.sign(text);
    expect(await method(notary, "signerOfMessage", text, signature).call()).toBe(wallet.address);
  });
});

it("sends what its own wallet signed, and names what cannot be", async () => {
  const wallet = web3.eth.accounts.create();
  await web3.eth.sendTransaction({
    from: account(3).address,
    to: wallet.address,
    value: web3.utils.toWei("1", "ether"),
  });
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gas: 21_000n, chainId: BigInt(CHAIN_ID) };
  const transfer = { ...fees, to: account(4).address, value: 1n, nonce: 0n, type: 2n };
  const { rawTransaction } = await wallet.signTransaction(transfer);
  const receipt = await web3.eth.sendSignedTransaction(rawTransaction);
  expect(receipt.status).toBe(1n);
  const again = await wallet.signTransaction({ ...transfer, value: 2n });
  expect(wordsOf(await failureOf(() => web3.eth.sendSignedTransaction(again.rawTransaction)))).toContain(
    "nonce too low",
  );
  const { rawTransaction: poor } = await web3.eth.accounts.create().signTransaction(transfer);
  expect(wordsOf(await failureOf(() => web3.eth.sendSignedTransaction(poor)))).toContain("insufficient funds");
});

it("hears heads and events over WebSocket", async () => {
  const socket = new Web3(devnet.webSocketUrl);
  try {
    const from = account(5).address;
    const token = await deploy("Token", from, from, "10");
    const heads = await socket.eth.subscribe("newBlockHeaders");
    const logs = await socket.eth.subscribe("logs", { address: token.options.address as string });
    const head = new Promise<{ number?: unknown }>((resolve) => void heads.on("data", resolve));
    const log = new Promise<{ topics?: unknown }>((resolve) => void logs.on("data", resolve));
    await method(token, "transfer", account(6).address, "3").send({ from });
    expect((await head).number).toBeTypeOf("bigint");
    expect((await log).topics).toHaveLength(3);
    await heads.unsubscribe();
  } finally {
    socket.provider?.disconnect();
  }
});
