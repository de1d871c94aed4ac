/** The RPC of a solo chain, without HTTP. */
import type { Hex } from "../../../base/bytes.ts";
import type { SoloChain } from "../../../chain/solo/solo-chain.ts";
import { JsonRpc } from "../../../rpc/json-rpc.ts";
import { METHODS } from "../../../rpc/methods.ts";
import type { RpcClient } from "../../../rpc/request-budget.ts";
import { MessageCaller } from "../../../vm/execution/call-message.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import { SoloFixture } from "../../chain/solo/support/solo-fixture.ts";

export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that waits for every answer, and whose node has room for it. */
export const PATIENT: RpcClient = { isGone: () => false, hold: () => true };

export class RpcFixture {
  readonly solo: SoloFixture;
  readonly bugs: unknown[] = [];
  readonly chain: SoloChain;
  readonly rpc: JsonRpc;

  private constructor(solo: SoloFixture, chain: SoloChain) {
    this.solo = solo;
    this.chain = chain;
    const caller = new MessageCaller(rulesOfSpec(chain.spec));
    const context = { chain, caller, clientVersion: "ogpu/test" };
    this.rpc = new JsonRpc(METHODS, context, (_method, error) => this.bugs.push(error));
  }

  static async open(archive = false): Promise<RpcFixture> {
    const solo = new SoloFixture();
    return new RpcFixture(solo, await solo.open({ archive }));
  }

  /** The whole answer to one request. */
  async ask(method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
    const text = await this.rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), PATIENT);
    return JSON.parse(text ?? "null");
  }

  /** The result; throws when there is an error instead. */
  async call<Result = unknown>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const { result, error } = await this.ask(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result as Result;
  }

  /** Sends the transaction and waits for its block. */
  async include(raw: Uint8Array): Promise<Hex> {
    const hash = await this.call<Hex>("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`);
    await this.solo.nextBlock(this.chain);
    return hash;
  }

  async close(): Promise<void> {
    await this.chain.close();
    this.solo.remove();
  }
}
