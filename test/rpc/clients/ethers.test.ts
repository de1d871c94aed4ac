import {
  type Contract as AnyContract,
  type BaseContract,
  ContractFactory,
  type ContractTransactionResponse,
  HDNodeWallet,
  Interface,
  isError,
  JsonRpcProvider,
  Mnemonic,
  parseEther,
  TypedDataEncoder,
  verifyMessage,
  verifyTypedData,
  WebSocketProvider,
} from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_MNEMONIC } from "../../../rpc/development/test-mnemonic.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { type Contract, compileContracts } from "./support/compile.ts";
import { account, CHAIN_ID, type Devnet, openDevnet } from "./support/devnet.ts";

let devnet: Devnet;
let provider: JsonRpcProvider;
let contractOf: (name: string) => Contract;

beforeAll(async () => {
  const files = ["Token", "Collectible", "Guild", "Faults", "Notary"];
  [devnet, contractOf] = await Promise.all([openDevnet(), compileContracts(...files)]);
  // It keeps answers for a quarter of a second unless told: a block is faster, and the nonce would be the last one's.
  provider = new JsonRpcProvider(devnet.url, undefined, { pollingInterval: 50, cacheTimeout: -1 });
});

afterAll(async () => {
  provider.destroy();
  await devnet.close();
});

function walletOf(index: number): HDNodeWallet {
  const mnemonic = Mnemonic.fromPhrase(TEST_MNEMONIC);
  return HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index}`).connect(provider);
}

/** With its functions by name, as ethers makes them at run time. */
type Deployed = BaseContract & Omit<AnyContract, keyof BaseContract>;

async function deploy(wallet: HDNodeWallet, name: string, ...args: readonly unknown[]): Promise<Deployed> {
  const { abi, bytecode } = contractOf(name);
  const contract = await new ContractFactory(abi as never, bytecode, wallet).deploy(...args);
  return (await contract.waitForDeployment()) as Deployed;
}

async function send(
  contract: Deployed,
  name: string,
  ...args: readonly unknown[]
): Promise<ContractTransactionResponse> {
  return (await contract.getFunction(name).send(...args)) as ContractTransactionResponse;
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

it("finds the network, its fees and its accounts", async () => {
  expect((await provider.getNetwork()).chainId).toBe(BigInt(CHAIN_ID));
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
  expect(gasPrice).toBeGreaterThan(0n);
  expect(maxFeePerGas).toBeGreaterThan(maxPriorityFeePerGas ?? 0n);
  const accounts = await provider.listAccounts();
  expect(accounts.map(({ address }) => address)).toEqual(
    Array.from({ length: 20 }, (_, index) => account(index).address),
  );
});

describe("contracts", () => {
  it("are deployed and used: ERC-20, with its events in the receipt and in queries", async () => {
    const wallet = walletOf(0);
    const token = await deploy(wallet, "Token", wallet.address, 1000n);
    const estimated = await token.getFunction("transfer").estimateGas(walletOf(1).address, 5n);
    const receipt = await (await send(token, "transfer", walletOf(1).address, 5n)).wait();
    expect(receipt?.status).toBe(1);
    expect(receipt?.gasUsed).toBeLessThanOrEqual(estimated);
    expect(await token.getFunction("balanceOf")(walletOf(1).address)).toBe(5n);
    const [, found] = await token.queryFilter("Transfer", 0);
    expect(found).toMatchObject({ transactionHash: receipt?.hash });
  });

  it("are deployed and used: ERC-721", async () => {
    const wallet = walletOf(1);
    const items = await deploy(wallet, "Collectible", wallet.address);
    await (await send(items, "mint", wallet.address)).wait();
    expect(await items.getFunction("ownerOf")(1n)).toBe(wallet.address);
    const error = await failureOf(items.getFunction("ownerOf")(2n));
    expect(error).toMatchObject({ code: "CALL_EXCEPTION", revert: { name: "ERC721NonexistentToken", args: [2n] } });
  });

  it("call native modules", async () => {
    const wallet = walletOf(2);
    const guild = await deploy(wallet, "Guild");
    const staking = new Interface(stakingAbi as never);
    const query = staking.encodeFunctionData("activeAt", [0n]);
    const to = await guild.getFunction("STAKING")();
    const [operator] = staking.decodeFunctionResult("activeAt", await provider.call({ to, data: query }));
    await (await send(guild, "join", operator, { value: parseEther("2") })).wait();
    expect(await guild.getFunction("holdings")(operator)).toEqual([parseEther("1"), parseEther("1")]);
    const error = await failureOf(guild.getFunction("join").staticCall(wallet.address, { value: parseEther("2") }));
    if (!isError(error, "CALL_EXCEPTION")) throw error;
    expect(staking.parseError(error.data ?? "0x")).toMatchObject({ name: "NotValidator", args: [wallet.address] });
  });
});

describe("a call that fails", () => {
  let faults: Deployed;
  beforeAll(async () => {
    faults = await deploy(walletOf(3), "Faults");
  });
  const failing = (name: string, ...args: readonly unknown[]) =>
    failureOf(faults.getFunction(name).staticCall(...args));

  it("is decoded: text, errors of the contract's own, panics, nothing", async () => {
    expect(await failing("withText")).toMatchObject({ code: "CALL_EXCEPTION", reason: "a reason in words" });
    const { address } = walletOf(3);
    expect(await failing("withError", 7n)).toMatchObject({
      code: "CALL_EXCEPTION",
      revert: { name: "Rejected", args: [address, 7n, "für immer"] },
    });
    expect(await failing("withDivision", 0n)).toMatchObject({ revert: { name: "Panic", args: [0x12] } });
    expect(await failing("withAssert")).toMatchObject({ revert: { name: "Panic", args: [0x01] } });
    expect(await failing("withNothing")).toMatchObject({ code: "CALL_EXCEPTION", data: "0x" });
  });

  it("is decoded when gas is estimated for it, and is a receipt when it is sent all the same", async () => {
    expect(await failureOf(send(faults, "withText"))).toMatchObject({
      code: "CALL_EXCEPTION",
      action: "estimateGas",
      reason: "a reason in words",
    });
    const sent = await send(faults, "withText", { gasLimit: 100_000n });
    expect(await failureOf(sent.wait())).toMatchObject({ code: "CALL_EXCEPTION", receipt: { status: 0 } });
  });
});

describe("signatures", () => {
  const types = {
    Order: [
      { name: "buyer", type: "address" },
      { name: "amount", type: "uint256" },
      { name: "note", type: "string" },
    ],
  };

  it("of a wallet and of the node are the same, and contracts take them (EIP-191, EIP-712)", async () => {
    const wallet = walletOf(4);
    const signer = await provider.getSigner(4);
    const notary = await deploy(wallet, "Notary");
    const text = "I was here ✓";
    const signed = await wallet.signMessage(text);
    expect(await signer.signMessage(text)).toBe(signed);
    expect(verifyMessage(text, signed)).toBe(wallet.address);
    expect(await notary.getFunction("signerOfMessage")(text, signed)).toBe(wallet.address);
    const domain = { name: "Notary", version: "1", chainId: CHAIN_ID, verifyingContract: await notary.getAddress() };
    const order = { buyer: wallet.address, amount: 12n, note: "für zwölf" };
    const typed = await wallet.signTypedData(domain, types, order);
    expect(await signer.signTypedData(domain, types, order)).toBe(typed);
    expect(verifyTypedData(domain, types, order, typed)).toBe(wallet.address);
    expect(TypedDataEncoder.hash(domain, types, order)).toMatch(/^0x/);
    expect(await notary.getFunction("signerOfOrder")(...Object.values(order), typed)).toBe(wallet.address);
  });
});

it("the node sends for its own accounts: eth_sendTransaction through JsonRpcSigner", async () => {
  const signer = await provider.getSigner(5);
  const sent = await signer.sendTransaction({ to: account(1_000).address, value: 3n });
  expect((await sent.wait())?.status).toBe(1);
  expect(await provider.getBalance(account(1_000).address)).toBe(3n);
});

it("a transaction that cannot be is named as ethers names it", async () => {
  const wallet = walletOf(6);
  const to = walletOf(7).address;
  await (await wallet.sendTransaction({ to, value: 1n })).wait();
  const low = await failureOf(wallet.sendTransaction({ to, value: 1n, nonce: 0, gasLimit: 21_000 }));
  expect(low).toMatchObject({ code: "NONCE_EXPIRED" });
  const poor = await failureOf(walletOf(99).sendTransaction({ to, value: 1n, gasLimit: 21_000 }));
  expect(poor).toMatchObject({ code: "INSUFFICIENT_FUNDS" });
  // One nonce ahead, so that it waits.
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 21_000 };
  const ahead = { to, nonce: (await wallet.getNonce()) + 1, ...fees };
  await wallet.sendTransaction({ ...ahead, value: 1n });
  const rival = await failureOf(wallet.sendTransaction({ ...ahead, value: 2n }));
  expect(rival).toMatchObject({ code: "REPLACEMENT_UNDERPRICED" });
});

it("hears events, heads and waiting transactions over WebSocket", async () => {
  const socket = new WebSocketProvider(devnet.webSocketUrl);
  try {
    const wallet = walletOf(8);
    const token = (await deploy(wallet, "Token", wallet.address, 10n)).connect(socket) as Deployed;
    const event = new Promise<bigint>((resolve) => {
      void token.on("Transfer", (_from, _to, value: bigint) => resolve(value));
    });
    const head = new Promise<number>((resolve) => void socket.on("block", resolve));
    const waiting = new Promise<string>((resolve) => void socket.on("pending", resolve));
    // The answers come in the order of the requests: by then the subscriptions are there.
    await socket.getBlockNumber();
    await socket.getBlockNumber();
    const sent = await send(token.connect(wallet) as Deployed, "transfer", walletOf(9).address, 4n);
    expect(await waiting).toBe(sent.hash);
    expect(await event).toBe(4n);
    expect(await head).toBeGreaterThan(0);
  } finally {
    await socket.destroy();
  }
});
