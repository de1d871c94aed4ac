import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import type { ChainView } from "../../rpc/chain-view.ts";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { METHODS } from "../../rpc/methods.ts";
import { ALICE } from "../chain/runtime/support/single-node.ts";
import { nodeContext, PATIENT, type RpcAnswer, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
beforeAll(async () => {
  fixture = await RpcFixture.open();
});
afterAll(() => fixture.close());

describe("a transaction that gets into a block while the node is asked whether it waits", () => {
  it("is found, though it waited no more when the node was asked", async () => {
    const raw = fixture.alone.sign(ALICE, { nonce: fixture.chain.nextNonce(ALICE.address) });
    const hash = await fixture.include(raw);
    let isAsked = false;
    /** Shows the block only after the question, which finds nothing. */
    const changed: Pick<ChainView, "locate" | "waiting"> = {
      locate: (wanted) => (isAsked ? fixture.chain.locate(wanted) : undefined),
      waiting: () => {
        isAsked = true;
        return undefined;
      },
    };
    const view: ChainView = new Proxy(fixture.chain, {
      get: (target, name) => {
        if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const ask = async (method: string): Promise<unknown> => {
      isAsked = false;
      const rpc = new JsonRpc({ methods: METHODS, node: nodeContext(view), onBug: () => undefined });
      const answer = await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [hash] }), PATIENT);
      return (JSON.parse(answer ?? "null") as RpcAnswer).result;
    };
    expect(await ask("eth_getTransactionByHash")).toMatchObject({ hash, blockNumber: expect.stringMatching(/^0x/) });
    expect(await ask("debug_getRawTransaction")).toBe(bytesToHex(raw));
  });
});
