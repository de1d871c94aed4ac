/** The RPC of a node that is alone, without HTTP. */
import type { Hex } from "../../../base/bytes.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import type { ChainView } from "../../../rpc/chain-view.ts";
import { Filters } from "../../../rpc/filters/filters.ts";
import { JsonRpc } from "../../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "../../../rpc/limits.ts";
import { localJobs } from "../../../rpc/local-jobs.ts";
import type { NodeContext } from "../../../rpc/method.ts";
import { methodsFor } from "../../../rpc/methods.ts";
import type { RpcClient } from "../../../rpc/request-budget.ts";
import { Subscriptions } from "../../../rpc/subscriptions/subscriptions.ts";
import { Watch } from "../../../rpc/watch/watch.ts";
import { SingleNode } from "../../chain/runtime/support/single-node.ts";

export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that waits for every answer, and whose node has room for it. */
export const PATIENT: RpcClient = {
  ...{ isGone: () => false, hold: () => true, charge: () => true },
  ...{ address: "127.0.0.1", connection: 1 },
};

/** What methods share, with calls on this thread. */
export function nodeContext(chain: ChainView, changes: Partial<RpcLimits> = {}): NodeContext {
  const limits = { ...DEFAULT_LIMITS, ...changes };
  const job = localJobs(chain, limits);
  return {
    chain,
    job: (name, request) => job(name, request),
    limits,
    filters: new Filters({ limits, watchPending: () => undefined }),
    subscriptions: new Subscriptions({ chain, limits, watchPending: () => undefined }),
    watch: new Watch(chain),
    clientVersion: "ogpu/test",
  };
}

export class RpcFixture {
  readonly alone: SingleNode;
  readonly bugs: unknown[] = [];
  readonly chain: Node;
  readonly rpc: JsonRpc;

  private constructor(alone: SingleNode, chain: Node) {
    this.alone = alone;
    this.chain = chain;
    this.rpc = new JsonRpc({
      methods: methodsFor([], chain.spec),
      node: nodeContext(chain),
      onBug: (_method, error) => this.bugs.push(error),
    });
  }

  static async open(archive = false, changes: Partial<ChainSpec> = {}): Promise<RpcFixture> {
    const alone = new SingleNode();
    return new RpcFixture(alone, await alone.open({ archive, spec: { ...alone.spec, ...changes } }));
  }

  /** A node that forgets a state as soon as so many blocks have followed. */
  static async openForgetful(retainedVersions: number): Promise<RpcFixture> {
    const alone = new SingleNode();
    return new RpcFixture(alone, await alone.open({ limits: { retainedVersions } }));
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
    await this.alone.nextBlock(this.chain);
    return hash;
  }

  async close(): Promise<void> {
    await this.alone.close();
    this.alone.remove();
  }
}
