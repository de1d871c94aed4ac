import { hashTypedData, recoverAddress, recoverMessageAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { TEST_ACCOUNTS } from "../../rpc/development/test-mnemonic.ts";
import { BOB, STRANGER } from "../chain/runtime/support/single-node.ts";
import { DrivenChain } from "./support/driven-chain.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

/** The first account of the test mnemonic, as every tool shows it. */
const FIRST = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

const TYPED_DATA = {
  domain: { name: "Test", version: "1", chainId: 1 },
  types: { Mail: [{ name: "contents", type: "string" }] },
  primaryType: "Mail",
  message: { contents: "hello" },
} as const;

let chain: DrivenChain;
beforeAll(async () => {
  chain = await DrivenChain.open();
});
afterAll(() => chain.close());

describe("a development chain", () => {
  it("signs for the accounts of the test mnemonic", async () => {
    const accounts = await chain.fixture.call<Hex[]>("eth_accounts");
    expect(accounts[0]).toBe(FIRST);
    expect(accounts).toEqual(Array.from({ length: TEST_ACCOUNTS }, (_, index) => testAccount(index).address));
  });

  it("sends transactions of theirs, several at once", async () => {
    const { fixture } = chain;
    const transfer = { from: FIRST, to: STRANGER.address, value: "0x1" };
    const hashes = await Promise.all([1, 2, 3].map(() => fixture.call<Hex>("eth_sendTransaction", transfer)));
    await fixture.alone.nextBlock(fixture.chain);
    const receipts = await Promise.all(hashes.map((hash) => fixture.call("eth_getTransactionReceipt", hash)));
    expect(receipts).toMatchObject([{ status: "0x1" }, { status: "0x1" }, { status: "0x1" }]);
  });

  it("signs messages and typed data as wallets do", async () => {
    const message = "0x68656c6c6f";
    for (const params of [
      ["eth_sign", FIRST, message],
      ["personal_sign", message, FIRST],
      ["personal_sign", message, FIRST, "password"],
    ] as const) {
      const [method, ...rest] = params;
      const signature = await chain.fixture.call<Hex>(method, ...rest);
      expect((await recoverMessageAddress({ message: "hello", signature })).toLowerCase()).toBe(FIRST);
    }
    const signature = await chain.fixture.call<Hex>("eth_signTypedData_v4", FIRST, TYPED_DATA);
    const signer = await recoverAddress({ hash: hashTypedData(TYPED_DATA), signature });
    expect(signer.toLowerCase()).toBe(FIRST);
  });

  it("signs a transaction without sending it", async () => {
    const request = { from: FIRST, to: BOB.address, value: "0x1", nonce: "0x63" };
    const { raw, tx } = (await chain.fixture.call("eth_signTransaction", request)) as { raw: Hex; tx: { hash: Hex } };
    expect(raw).toMatch(/^0x02/);
    expect(await chain.fixture.call("eth_getTransactionByHash", tx.hash)).toBeNull();
  });

  it("gives money to whoever asks, but not all at once", async () => {
    const { fixture } = chain;
    const receiver = `0x${"77".repeat(20)}`;
    await fixture.call("ogpu_faucet", receiver);
    await fixture.alone.nextBlock(fixture.chain);
    expect(BigInt(await fixture.call<Hex>("eth_getBalance", receiver))).toBe(10n * OGPU);
    const { error } = await fixture.ask("ogpu_faucet", receiver, `0x${(2_000n * OGPU).toString(16)}`);
    expect(error?.code).toBe(-32_602);
  });

  it("signs for nobody else", async () => {
    const { error } = await chain.fixture.ask("eth_sendTransaction", { from: BOB.address, to: FIRST });
    expect(error).toMatchObject({ code: -32_000, message: "unknown account" });
  });

  it("refuses what is no typed data", async () => {
    for (const data of ["{", { types: {} }, { ...TYPED_DATA, primaryType: "Letter" }]) {
      expect((await chain.fixture.ask("eth_signTypedData_v4", FIRST, data)).error?.code).toBe(-32_602);
    }
  });
});

describe("any other chain", () => {
  it("signs for nobody, and has none of it", async () => {
    const plain = await RpcFixture.open();
    try {
      expect(await plain.call("eth_accounts")).toEqual([]);
      const requests = [
        ["eth_sendTransaction", { from: FIRST, to: BOB.address }],
        ["eth_signTransaction", { from: FIRST, to: BOB.address }],
        ["eth_sign", FIRST, "0x00"],
        ["personal_sign", "0x00", FIRST],
        ["eth_signTypedData_v4", FIRST, TYPED_DATA],
        ["ogpu_faucet", FIRST],
      ] as const;
      const { methods } = await plain.call<{ methods: { name: string }[] }>("rpc.discover");
      for (const [method, ...params] of requests) {
        for (const given of [params, [], ["nonsense", 1, 2, 3]]) {
          expect((await plain.ask(method, ...given)).error?.code, `${method} ${given}`).toBe(-32_601);
        }
        expect(methods.map(({ name }) => name)).not.toContain(method);
      }
    } finally {
      await plain.close();
    }
  });
});
