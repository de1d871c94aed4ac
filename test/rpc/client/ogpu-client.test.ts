import {
  BaseError,
  type Chain,
  ContractFunctionRevertedError,
  createClient,
  custom,
  defineChain,
  parseEther,
  publicActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { networkSpec } from "../../../genesis/networks.ts";
import {
  type OgpuActions,
  type OgpuWalletActions,
  ogpuActions,
  ogpuModules,
  ogpuWalletActions,
} from "../../../rpc/client/client.ts";
import { modulesOfSpec } from "../../../vm/rules-of-spec.ts";
import { ALICE } from "../../chain/runtime/support/single-node.ts";
import { RpcFixture } from "../support/rpc-fixture.ts";

let fixture: RpcFixture;
let client: OgpuActions & OgpuWalletActions;
const account = privateKeyToAccount(bytesToHex(ALICE.key));

beforeAll(async () => {
  fixture = await RpcFixture.open();
  const chain: Chain = defineChain({
    id: Number(fixture.chain.spec.chainId),
    name: "test",
    nativeCurrency: { name: "OpenGPU", symbol: "oGPU", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    const { result, error } = await fixture.ask(method, ...(params as unknown[]));
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return result;
  };
  const transport = custom({ request });
  client = createClient({ account, chain, transport })
    .extend(publicActions)
    .extend(ogpuActions)
    .extend(ogpuWalletActions);
});

afterAll(() => fixture.close());

describe("the typed client", () => {
  it("knows every module of the chain, where it lives and what it understands", () => {
    const named = Object.fromEntries(Object.entries(ogpuModules));
    const there = modulesOfSpec(networkSpec("devnet"));
    const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    expect(Object.keys(named).sort()).toEqual(there.map(({ name }) => camelCase(name)).sort());
    for (const { name, address, abi } of there) expect(named[camelCase(name)]).toEqual({ address, abi });
  });

  it("reads what the node is, with quantities as bigints", async () => {
    const status = await client.getStatus();
    expect(status).toMatchObject({ network: fixture.chain.spec.name, role: "validator", epoch: 0 });
    expect(status.head.number).toBe(BigInt(fixture.chain.head.number));
    const { validators, totalWeight } = await client.getEpochValidators();
    expect(validators.reduce((sum, { weight }) => sum + weight, 0n)).toBe(totalWeight);
    const supply = await client.getSupply();
    expect(supply.total).toBe(supply.genesis + supply.minted - supply.burned);
    expect(await client.getPeers()).toEqual([]);
    expect(await client.getEvidence()).toEqual([]);
  });

  it("delegates and reads the position, with its finality and a proof for light clients", async () => {
    const { operator } = fixture.chain.spec.validators[0] ?? { operator: "0x" };
    const before = await client.getValidator({ operator });
    const hash = await client.delegate({ operator, amount: parseEther("3") });
    await fixture.alone.nextBlock(fixture.chain);
    expect(await fixture.call("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    const after = await client.getValidator({ operator });
    expect(after.stake - before.stake).toBe(parseEther("3"));
    expect(await client.getDelegation({ operator, delegator: account.address })).toMatchObject({
      amount: parseEther("3"),
    });
    const blockNumber = BigInt(fixture.chain.head.number);
    const { certificate } = await client.getFinality({ blockNumber });
    expect(certificate?.signers.length).toBe(1);
    expect(certificate?.signedWeight).toBe(certificate?.totalWeight);
    const proof = await client.getLightClientProof({ blockNumber });
    expect(proof.blockNumber).toBe(blockNumber);
    expect(proof.validators.length).toBe(1);
  });

  it("reads any view and past parameters of any module, typed", async () => {
    const cap: bigint = await client.readModule({ module: "token", functionName: "cap" });
    expect(cap).toBe(parseEther("21000000"));
    const seconds: bigint = await client.getParameter({ name: "staking.unbondingSeconds" });
    expect(seconds).toBe(fixture.chain.spec.modules.staking.unbondingSeconds);
  });

  it("tells the module's own error when a call fails", async () => {
    const error = await client.delegate({ operator: account.address, amount: 1n }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(BaseError);
    const reverted = (error as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError);
    expect((reverted as ContractFunctionRevertedError).data?.errorName).toMatch(/NotValidator|TooLittle/);
  });
});
