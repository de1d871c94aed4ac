import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  concat,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  getCreate2Address,
  type Hex,
  http,
  InsufficientFundsError,
  keccak256,
  NonceTooLowError,
  pad,
  parseEther,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  toFunctionSelector,
  webSocket,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ogpuActions, ogpuWalletActions } from "../../../rpc/client/client.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import { type Contract, compileContracts } from "./support/compile.ts";
import { account, type Devnet, openDevnet } from "./support/devnet.ts";
import { CREATE2_FACTORY, keylessCreation } from "./support/keyless.ts";

/** Where ERC-1967 keeps the implementation: keccak256("eip1967.proxy.implementation") - 1. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

let devnet: Devnet;
let contractOf: (name: string) => Contract;

beforeAll(async () => {
  const files = ["Token", "Collectible", "Counter", "Guild", "Faults", "Notary", "Multicall"];
  [devnet, contractOf] = await Promise.all([openDevnet(), compileContracts(...files)]);
});

afterAll(() => devnet.close());

function clientOf(index: number) {
  const { chain, url } = devnet;
  return createWalletClient({ account: account(index), chain, transport: http(url), pollingInterval: 50 }).extend(
    publicActions,
  );
}

type Client = ReturnType<typeof clientOf>;

/** Over WebSocket, until `use` ends. */
async function listening<Result>(use: (client: ReturnType<typeof listener>) => Promise<Result>): Promise<Result> {
  const client = listener();
  try {
    return await use(client);
  } finally {
    (await client.transport.getRpcClient()).close();
  }
}

function listener() {
  return createPublicClient({ chain: devnet.chain, transport: webSocket(devnet.webSocketUrl) });
}

async function receiptOf(client: Client, hash: Hex): Promise<TransactionReceipt> {
  const receipt = await client.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
  return receipt;
}

async function deploy(
  client: Client,
  name: string,
  ...args: readonly unknown[]
): Promise<{ address: Address; abi: Abi }> {
  const { abi, bytecode } = contractOf(name);
  const { contractAddress } = await receiptOf(client, await client.deployContract({ abi, bytecode, args }));
  if (!contractAddress) throw new Error("the receipt names the contract");
  return { address: getAddress(contractAddress), abi };
}

/** What viem makes of a call that must fail. */
async function revertOf(call: Promise<unknown>): Promise<ContractFunctionRevertedError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const reverted = (error as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
  return reverted;
}

describe("OpenZeppelin's contracts", () => {
  it("are deployed with the fees and the gas that were estimated, and do what they say: ERC-20", async () => {
    const client = clientOf(0);
    const token = await deploy(client, "Token", client.account.address, parseEther("1000"));
    const fees = await client.estimateFeesPerGas();
    const { baseFeePerGas } = await client.getBlock();
    expect(fees.maxFeePerGas).toBeGreaterThan((baseFeePerGas ?? 0n) + (fees.maxPriorityFeePerGas ?? 0n) - 1n);
    const transfer = { ...token, functionName: "transfer", args: [account(1).address, 5n] } as const;
    const gas = await client.estimateContractGas(transfer);
    const { request, result } = await client.simulateContract(transfer);
    expect(result).toBe(true);
    const receipt = await receiptOf(client, await client.writeContract({ ...request, gas }));
    expect(receipt.gasUsed).toBeLessThanOrEqual(gas);
    expect(receipt.effectiveGasPrice).toBeLessThanOrEqual(fees.maxFeePerGas ?? 0n);
    expect(await client.readContract({ ...token, functionName: "balanceOf", args: [account(1).address] })).toBe(5n);
    const [event] = await client.getContractEvents({ ...token, eventName: "Transfer", fromBlock: receipt.blockNumber });
    expect(event?.args).toEqual({ from: client.account.address, to: account(1).address, value: 5n });
  });

  it("take a permit that was signed as typed data (EIP-712, EIP-2612)", async () => {
    const client = clientOf(0);
    const owner = client.account.address;
    const spender = account(1).address;
    const token = await deploy(client, "Token", owner, 100n);
    const deadline = 2n ** 255n;
    const signature = await client.signTypedData({
      domain: { name: "Test Token", version: "1", chainId: devnet.chain.id, verifyingContract: token.address },
      types: {
        Permit: [
          { name: "owner", type: "address" },
          { name: "spender", type: "address" },
          { name: "value", type: "uint256" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" },
        ],
      },
      primaryType: "Permit",
      message: { owner, spender, value: 40n, nonce: 0n, deadline },
    });
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)];
    const other = clientOf(1);
    const args = [owner, spender, 40n, deadline, v, r, s];
    await receiptOf(other, await other.writeContract({ ...token, functionName: "permit", args }));
    await receiptOf(
      other,
      await other.writeContract({ ...token, functionName: "transferFrom", args: [owner, spender, 40n] }),
    );
    expect(await other.readContract({ ...token, functionName: "balanceOf", args: [spender] })).toBe(40n);
    const again = await revertOf(other.simulateContract({ ...token, functionName: "permit", args }));
    expect(again.data?.errorName).toBe("ERC2612InvalidSigner");
  });

  it("do what they say: ERC-721", async () => {
    const client = clientOf(2);
    const items = await deploy(client, "Collectible", client.account.address);
    const mint = { ...items, functionName: "mint", args: [client.account.address] } as const;
    const receipt = await receiptOf(client, await client.writeContract(mint));
    const [event] = parseEventLogs({ abi: items.abi, logs: receipt.logs, eventName: "Transfer" });
    expect(event?.args).toMatchObject({ to: client.account.address, tokenId: 1n });
    const args = [client.account.address, account(3).address, 1n];
    await receiptOf(client, await client.writeContract({ ...items, functionName: "transferFrom", args }));
    expect(await client.readContract({ ...items, functionName: "ownerOf", args: [1n] })).toBe(account(3).address);
    const stranger = await revertOf(client.simulateContract({ ...mint, account: account(3) }));
    expect(stranger.data).toMatchObject({ errorName: "OwnableUnauthorizedAccount", args: [account(3).address] });
  });

  it("are replaced behind a proxy: ERC-1967 with UUPS", async () => {
    const client = clientOf(3);
    const { abi } = contractOf("Counter");
    const first = await deploy(client, "Counter");
    const second = await deploy(client, "FasterCounter");
    const data = encodeFunctionData({ abi, functionName: "initialize", args: [client.account.address] });
    const { address } = await deploy(client, "Proxy", first.address, data);
    const proxy = { address, abi } as const;
    await receiptOf(client, await client.writeContract({ ...proxy, functionName: "increment" }));
    expect(await client.readContract({ ...proxy, functionName: "count" })).toBe(1n);
    const upgrade = { ...proxy, functionName: "upgradeToAndCall", args: [second.address, "0x"] } as const;
    const refused = await revertOf(client.simulateContract({ ...upgrade, account: account(4) }));
    expect(refused.data).toMatchObject({ errorName: "NotOwner", args: [account(4).address] });
    await receiptOf(client, await client.writeContract(upgrade));
    await receiptOf(client, await client.writeContract({ ...proxy, functionName: "increment" }));
    expect(await client.readContract({ ...proxy, functionName: "count" })).toBe(11n);
    expect(await client.readContract({ ...proxy, functionName: "version" })).toBe("two");
    const slot = await client.getStorageAt({ address, slot: IMPLEMENTATION_SLOT });
    expect(slot).toBe(pad(second.address).toLowerCase());
    const again = await revertOf(client.simulateContract({ ...proxy, functionName: "initialize", args: [address] }));
    expect(again.data?.errorName).toBe("InvalidInitialization");
  });
});

describe("a contract that calls native modules", () => {
  it("stakes and locks what it is sent, and its events and theirs are in one receipt", async () => {
    const client = clientOf(5).extend(ogpuActions);
    const [operator] = await client.readModule({ module: "staking", functionName: "activeAt", args: [0n] });
    const guild = await deploy(client, "Guild");
    const join = { ...guild, functionName: "join", args: [operator], value: parseEther("4") } as const;
    const receipt = await receiptOf(client, await client.writeContract(join));
    const [delegated] = parseEventLogs({ abi: stakingAbi, logs: receipt.logs, eventName: "Delegated" });
    expect(delegated?.args).toMatchObject({ delegator: guild.address, operator, amount: parseEther("2") });
    const [locked] = parseEventLogs({ abi: trustLockAbi, logs: receipt.logs, eventName: "Locked" });
    expect(locked?.args).toMatchObject({ owner: guild.address, amount: parseEther("2"), total: parseEther("2") });
    const holdings = await client.readContract({ ...guild, functionName: "holdings", args: [operator] });
    expect(holdings).toEqual([parseEther("2"), parseEther("2")]);
    const byClient = await client.getDelegation({ operator, delegator: guild.address });
    expect(byClient.amount).toBe(parseEther("2"));
  });

  it("hears the modules' own errors, and so do its callers", async () => {
    const client = clientOf(5).extend(ogpuActions);
    const guild = await deploy(client, "Guild");
    const known = { ...guild, abi: [...guild.abi, ...stakingAbi, ...trustLockAbi] as Abi };
    const value = parseEther("4");
    const nobody = { ...known, functionName: "join", args: [guild.address], value } as const;
    expect((await revertOf(client.simulateContract(nobody))).data).toMatchObject({
      errorName: "NotValidator",
      args: [guild.address],
    });
    const [operator] = await client.readModule({ module: "staking", functionName: "activeAt", args: [0n] });
    const join = { ...known, functionName: "join", args: [operator], value } as const;
    await receiptOf(client, await client.writeContract(join));
    expect((await revertOf(client.simulateContract(join))).data).toMatchObject({
      errorName: "LockExists",
      args: [parseEther("2")],
    });
    const caught = await client.simulateContract({ ...join, functionName: "joinOrStakeOnly" });
    expect(caught.result).toBe(toFunctionSelector("LockExists(uint256)"));
  });
});

describe("a call that fails", () => {
  let faults: { address: Address; abi: Abi };
  let client: Client;

  beforeAll(async () => {
    client = clientOf(6);
    faults = await deploy(client, "Faults");
  });

  const failing = (functionName: string, ...args: readonly unknown[]) =>
    revertOf(client.readContract({ ...faults, functionName, args }));

  it("gives its reason: text, an error of the contract's own, nothing", async () => {
    expect((await failing("withText")).reason).toBe("a reason in words");
    expect((await failing("withError", 7n)).data).toMatchObject({
      errorName: "Rejected",
      args: [expect.any(String), 7n, "für immer"],
    });
    expect((await failing("withNothing")).data).toBeUndefined();
  });

  it("gives the code of a panic", async () => {
    const codeOf = async (functionName: string, ...args: readonly unknown[]): Promise<unknown> =>
      (await failing(functionName, ...args)).data?.args?.[0];
    expect(await codeOf("withAssert")).toBe(0x01n);
    expect(await codeOf("withOverflow", 1)).toBe(0x11n);
    expect(await codeOf("withDivision", 0n)).toBe(0x12n);
    expect(await codeOf("withIndex", 0n)).toBe(0x32n);
  });

  it("fails before it is sent, and as a transaction when it is sent all the same", async () => {
    const call = { ...faults, functionName: "withText", gas: 100_000n } as const;
    await expect(client.estimateContractGas(call)).rejects.toThrow("a reason in words");
    const receipt = await client.waitForTransactionReceipt({ hash: await client.writeContract(call) });
    expect(receipt.status).toBe("reverted");
    const invalid = client.readContract({ ...faults, functionName: "withInvalidOpcode" });
    await expect(invalid).rejects.toThrow(/invalid/i);
  });
});

it("signatures are checked by contracts: EIP-191 and EIP-712", async () => {
  const client = clientOf(7);
  const notary = await deploy(client, "Notary");
  const text = "I was here ✓";
  const signed = await client.signMessage({ message: text });
  const { address } = client.account;
  expect(await client.readContract({ ...notary, functionName: "signerOfMessage", args: [text, signed] })).toBe(address);
  const order = { buyer: address, amount: 12n, note: "für zwölf" };
  const typed = {
    domain: { name: "Notary", version: "1", chainId: devnet.chain.id, verifyingContract: notary.address },
    types: {
      Order: [
        { name: "buyer", type: "address" },
        { name: "amount", type: "uint256" },
        { name: "note", type: "string" },
      ],
    },
    primaryType: "Order",
    message: order,
  } as const;
  const args = [order.buyer, order.amount, order.note, await client.signTypedData(typed)];
  expect(await client.readContract({ ...notary, functionName: "signerOfOrder", args })).toBe(address);
  // The node signs the same for its own accounts.
  const node = createWalletClient({ account: address, chain: devnet.chain, transport: http(devnet.url) });
  expect(await node.signTypedData(typed)).toBe(args[3]);
  expect(await node.signMessage({ message: text })).toBe(signed);
  expect(await client.verifyMessage({ address, message: text, signature: signed })).toBe(true);
});

describe("a transaction that cannot be", () => {
  it("is named as viem names it: nonce too low, insufficient funds", async () => {
    const client = clientOf(8);
    const to = account(9).address;
    await receiptOf(client, await client.sendTransaction({ to, value: 1n }));
    const low = client.sendTransaction({ to, value: 1n, nonce: 0, gas: 21_000n });
    await expect(low).rejects.toSatisfy((error) => isCause(error, NonceTooLowError));
    const poor = clientOf(99).sendTransaction({ to, value: 1n, gas: 21_000n });
    await expect(poor).rejects.toSatisfy((error) => isCause(error, InsufficientFundsError));
  });

  it("is told apart: the same again, and another in its place that pays no more", async () => {
    const client = clientOf(8);
    const nonce = (await client.getTransactionCount(client.account)) + 1;
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gas: 21_000n };
    const prepared = { ...fees, to: account(9).address, nonce, chainId: devnet.chain.id, type: "eip1559" } as const;
    const serializedTransaction = await client.signTransaction({ ...prepared, value: 1n });
    const hash = await client.sendRawTransaction({ serializedTransaction });
    await expect(client.sendRawTransaction({ serializedTransaction })).rejects.toThrow("already known");
    const rival = await client.signTransaction({ ...prepared, value: 2n });
    await expect(client.sendRawTransaction({ serializedTransaction: rival })).rejects.toThrow(
      "replacement transaction underpriced",
    );
    const dearer = { maxFeePerGas: 2n * 10n ** 11n, maxPriorityFeePerGas: 2n * 10n ** 9n };
    const winner = await client.signTransaction({ ...prepared, ...dearer, value: 3n });
    await client.sendRawTransaction({ serializedTransaction: winner });
    await client.sendTransaction({ to: account(9).address, nonce: nonce - 1 });
    await receiptOf(client, keccak256(winner));
    await expect(client.getTransaction({ hash })).rejects.toThrow("could not be found");
  });
});

describe("over WebSocket", () => {
  it("hears of heads, of events and of transactions that wait", async () => {
    await listening(async (listener) => {
      const client = clientOf(10);
      const token = await deploy(client, "Token", client.account.address, 1000n);
      const head = new Promise<bigint>((resolve, onError) => {
        listener.watchBlocks({ onBlock: ({ number }) => resolve(number ?? -1n), onError });
      });
      const events = new Promise<readonly unknown[]>((resolve, onError) => {
        listener.watchContractEvent({ ...token, eventName: "Transfer", onLogs: resolve, onError });
      });
      const waiting = new Promise<readonly Hex[]>((resolve, onError) => {
        listener.watchPendingTransactions({ onTransactions: resolve, onError });
      });
      // Subscriptions are on their way on the same socket: this answer comes after theirs.
      await listener.getBlockNumber();
      await listener.getBlockNumber();
      const args = [account(11).address, 7n];
      const hash = await client.writeContract({ ...token, functionName: "transfer", args });
      expect(await waiting).toContain(hash);
      expect(await events).toMatchObject([{ transactionHash: hash, args: { value: 7n }, removed: false }]);
      expect(await head).toBeGreaterThan(0n);
    });
  });

  it("answers everything that HTTP answers", async () => {
    await listening(async (listener) => {
      const { address } = account(12);
      expect(await listener.getChainId()).toBe(devnet.chain.id);
      expect(await listener.getBalance({ address })).toBe(await clientOf(12).getBalance({ address }));
      await expect(listener.getBalance({ address: "0x12" as Address })).rejects.toThrow();
    });
  });
});

describe("contracts that nobody has the key of", () => {
  it("are where they are on every chain: the CREATE2 factory, from the first block on", async () => {
    const client = clientOf(13);
    const { address } = CREATE2_FACTORY;
    const salt = pad("0x2a");
    const { abi, bytecode } = contractOf("Multicall");
    await receiptOf(client, await client.sendTransaction({ to: address, data: concat([salt, bytecode]) }));
    const made = getCreate2Address({ from: address, salt, bytecode });
    expect(await client.readContract({ address: made, abi, functionName: "aggregate3", args: [[]] })).toEqual([]);
  });

  it("serve viem's multicall, as does a call without any contract", async () => {
    const client = clientOf(14);
    const { raw, sender, address, cost } = await keylessCreation(contractOf("Multicall").bytecode, 1_000_000n);
    await receiptOf(client, await client.sendTransaction({ to: sender, value: cost }));
    const receipt = await receiptOf(client, await client.sendRawTransaction({ serializedTransaction: raw }));
    expect(receipt.contractAddress).toBe(address.toLowerCase());
    const token = await deploy(client, "Token", client.account.address, 9n);
    const faults = await deploy(client, "Faults");
    const contracts = [
      { ...token, functionName: "balanceOf", args: [client.account.address] },
      { ...token, functionName: "symbol" },
      { ...faults, functionName: "withText" },
    ];
    for (const how of [{ multicallAddress: address }, { deployless: true }] as const) {
      const [balance, symbol, failure] = await client.multicall({ contracts, ...how });
      expect(balance?.result).toBe(9n);
      expect(symbol?.result).toBe("TEST");
      expect(failure?.error).toBeInstanceOf(BaseError);
    }
  });
});

it("the typed client reads the chain and acts on it", async () => {
  const { chain, url } = devnet;
  const client = createWalletClient({ account: account(15), chain, transport: http(url), pollingInterval: 50 })
    .extend(publicActions)
    .extend(ogpuActions)
    .extend(ogpuWalletActions);
  const [operator] = await client.readModule({ module: "staking", functionName: "activeAt", args: [0n] });
  const hash = await client.delegate({ operator, amount: parseEther("2") });
  const { blockNumber } = await client.waitForTransactionReceipt({ hash });
  const { amount } = await client.getDelegation({ operator, delegator: client.account.address });
  expect(amount).toBe(parseEther("2"));
  const lock = await client.lock({ amount: parseEther("1") });
  expect((await client.waitForTransactionReceipt({ hash: lock })).status).toBe("success");
  const { certificate } = await client.getFinality({ blockNumber });
  expect(certificate?.signedWeight).toBe(certificate?.totalWeight);
  const supply = await client.getSupply();
  expect(supply.total).toBe(supply.genesis + supply.minted - supply.burned);
});

it("the faucet gives to whoever asks", async () => {
  const client = clientOf(16);
  const to = account(1_000).address;
  const hash = await client.request<{ Method: "ogpu_faucet"; Parameters: [Address]; ReturnType: Hex }>({
    method: "ogpu_faucet",
    params: [to],
  });
  await receiptOf(client, hash);
  expect(await client.getBalance({ address: to })).toBe(parseEther("10"));
});

function isCause(error: unknown, type: abstract new (...args: never[]) => Error): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof type) instanceof type;
}
