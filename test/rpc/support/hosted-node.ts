/** A validator alone with its RPC on threads of its own. */
import { join } from "node:path";
import type { Hex } from "../../../base/bytes.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { DEFAULT_ACCESS, type RpcAccess } from "../../../rpc/access.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "../../../rpc/limits.ts";
import { RpcHost } from "../../../rpc/thread/rpc-host.ts";
import { BOB, SingleNode, singleSpec } from "../../chain/runtime/support/single-node.ts";
import type { RpcAnswer } from "./rpc-fixture.ts";

export interface HostedOptions {
  readonly limits?: Partial<RpcLimits>;
  readonly access?: Partial<RpcAccess>;
  readonly archive?: boolean;
  /** The node signs for the accounts of the test mnemonic. */
  readonly development?: boolean;
}

export class HostedNode {
  readonly alone: SingleNode;
  readonly node: Node;
  readonly host: RpcHost;
  /** What the RPC said to the operator. */
  readonly log: string[];

  private constructor(alone: SingleNode, node: Node, host: RpcHost, log: string[]) {
    this.alone = alone;
    this.node = node;
    this.host = host;
    this.log = log;
  }

  static async open(options: HostedOptions = {}): Promise<HostedNode> {
    const { limits = {}, access = {}, archive = false, development = false } = options;
    const alone = new SingleNode({ ...singleSpec(), development });
    const node = await alone.open({ archive });
    const log: string[] = [];
    const host = await RpcHost.start({
      settings: {
        spec: alone.spec,
        directory: join(alone.directory, "chain"),
        limits: { ...DEFAULT_LIMITS, ...limits },
        access: { ...DEFAULT_ACCESS, ...access },
        host: "127.0.0.1",
        port: 0,
        clientVersion: "ogpu/test",
      },
      node,
      monitoring: {
        readiness: () => ({ ready: true, height: node.head.number }),
        metrics: async () => ({ contentType: "text/plain", text: "of_the_node 1\n" }),
      },
      log: { error: (_facts, text) => log.push(text), info: (_facts, text) => log.push(text) },
    });
    return new HostedNode(alone, node, host, log);
  }

  async post(body: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    return await (await fetch(this.host.url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
    return (await this.post({ jsonrpc: "2.0", id: 1, method, params })) as RpcAnswer;
  }

  async call<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const { result, error } = await this.ask(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result as Result;
  }

  /** Sends the transaction, and waits until the RPC shows its block. */
  async include(raw: Uint8Array): Promise<Hex> {
    const hash = await this.call<Hex>("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`);
    await this.nextBlock();
    return hash;
  }

  /** Makes a block with a transfer of Bob's. */
  async makeBlock(): Promise<number> {
    await this.node.submit(this.alone.sign(BOB, { nonce: this.node.nextNonce(BOB.address), to: BOB.address }));
    return (await this.alone.nextBlock(this.node)).number;
  }

  /** Makes a block of what waits, and waits until the RPC shows it. */
  async nextBlock(): Promise<number> {
    const { number } = await this.alone.nextBlock(this.node);
    while (Number(await this.call("eth_blockNumber")) < number);
    return number;
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.alone.close();
    this.alone.remove();
  }
}
