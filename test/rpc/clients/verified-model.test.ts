import { createWalletClient, http, pad, publicActions } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { type Contract, compileContracts } from "./support/compile.ts";
import { account, type Devnet, openDevnet } from "./support/devnet.ts";

let devnet: Devnet;
let contract: Contract;

beforeAll(async () => {
  const compiled = compileContracts("../../../../docs/contracts/VerifiedModel");
  [devnet, contract] = await Promise.all([openDevnet(), compiled.then((contractOf) => contractOf("VerifiedModel"))]);
});

afterAll(() => devnet.close());

describe("the contract of docs/dapps.md", () => {
  it("computes the content addresses that results are known by, and hears nobody but the market", async () => {
    const { chain, url } = devnet;
    const client = createWalletClient({ account: account(0), chain, transport: http(url), pollingInterval: 50 }).extend(
      publicActions,
    );
    const hash = await client.deployContract({ ...contract, args: [1n] });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    const model = { address: contractAddress ?? "0x", abi: contract.abi } as const;
    for (const length of [0, 1, 31, 32, 33, 700, 1024]) {
      const contents = Uint8Array.from({ length }, (_, i) => (7 * i + length) & 0xff);
      const args = [bytesToHex(contents)];
      expect(await client.readContract({ ...model, functionName: "contentAddress", args })).toBe(
        bytesToHex(contentAddress(contents)),
      );
    }
    const forged = { ...model, functionName: "onJobResult", args: [1n, true, [pad("0x1")]] } as const;
    await expect(client.simulateContract(forged)).rejects.toThrow("NotTheMarket");
  });
});
