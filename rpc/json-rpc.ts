/** JSON-RPC 2.0 without its transport: the text of a request in, the text of the answer out. */
import { MAX_BATCH } from "./limits.ts";
import { callMethod, type NodeContext, type RpcContext, type RpcMethod } from "./method.ts";
import { ClientGone, RequestBudget, type RpcClient, responseTooLarge } from "./request-budget.ts";
import {
  describeError,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
  type RpcErrorBody,
} from "./rpc-error.ts";
import { type Now, Turns } from "./turns.ts";

type RequestId = string | number | null;

interface RpcRequest {
  readonly method: string;
  readonly params: unknown;
  /** `undefined`: a notification, which is not answered. */
  readonly id: RequestId | undefined;
}

/** A failure that is our own bug: told to the operator, not to the caller. */
export type OnBug = (method: string, error: unknown) => void;

export class JsonRpc {
  private readonly methods: ReadonlyMap<string, RpcMethod>;
  private readonly node: NodeContext;
  private readonly onBug: OnBug;
  private readonly now: Now;
  private readonly turns: Turns;

  constructor(methods: readonly RpcMethod[], node: NodeContext, onBug: OnBug, now: Now = () => performance.now()) {
    this.methods = new Map(methods.map((method) => [method.name, method]));
    this.node = node;
    this.onBug = onBug;
    this.now = now;
    this.turns = new Turns(now);
  }

  /** `undefined` when there is nothing to answer: only notifications, or nobody who listens. */
  async answer(body: string, client: RpcClient): Promise<string | undefined> {
    const budget = new RequestBudget(this.turns, client, this.now);
    try {
      await budget.turn();
      return await this.answerBody(body, budget);
    } catch (error) {
      if (error instanceof ClientGone) return undefined;
      throw error;
    } finally {
      budget.end();
    }
  }

  private async answerBody(body: string, budget: RequestBudget): Promise<string | undefined> {
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      return failure(null, { code: PARSE_ERROR, message: "the body is not JSON" });
    }
    if (!Array.isArray(parsed)) return await this.answerOne(parsed, budget);
    if (parsed.length === 0) return failure(null, { code: INVALID_REQUEST, message: "the batch is empty" });
    if (parsed.length > MAX_BATCH) {
      return failure(null, { code: INVALID_REQUEST, message: `a batch has at most ${MAX_BATCH} requests` });
    }
    const answers = await this.answerAll(parsed, budget);
    return answers.length === 0 ? undefined : `[${answers.join(",")}]`;
  }

  /** One after the other, but a request that waits for something else holds up only its own answer. */
  private async answerAll(requests: readonly unknown[], budget: RequestBudget): Promise<string[]> {
    const answers: Promise<string | undefined>[] = [];
    for (const request of requests) {
      const begins = budget.waits();
      const answer = this.answerOne(request, budget);
      answers.push(answer);
      await Promise.race([answer, begins]).catch((error: unknown) => {
        // The others end by themselves, for the same reason; nobody is told.
        for (const other of answers) other.catch(() => undefined);
        throw error;
      });
    }
    return (await Promise.all(answers)).filter((answer) => answer !== undefined);
  }

  private async answerOne(value: unknown, budget: RequestBudget): Promise<string | undefined> {
    const request = readRequest(value);
    if (typeof request === "string") return failure(null, { code: INVALID_REQUEST, message: request });
    const { id } = request;
    const answer = await this.answerRequest(request, budget);
    if (id === undefined) return undefined;
    return budget.holds(answer) ? answer : failure(id, responseTooLarge().body);
  }

  private async answerRequest(request: RpcRequest, budget: RequestBudget): Promise<string> {
    const id = request.id ?? null;
    try {
      const result = await this.run(request, budget);
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`;
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      return failure(id, describeError(error) ?? this.reportBug(request.method, error));
    }
  }

  private async run({ method: name, params }: RpcRequest, budget: RequestBudget): Promise<unknown> {
    await budget.turn();
    const method = this.methods.get(name);
    if (method === undefined) {
      throw new RpcError(METHOD_NOT_FOUND, `the method ${name.slice(0, 60)} does not exist/is not available`);
    }
    if (!Array.isArray(params)) throw new RpcError(INVALID_PARAMS, "params must be a list");
    return await callMethod(method, this.contextOf(budget), params);
  }

  private contextOf(budget: RequestBudget): RpcContext {
    const { node } = this;
    return {
      ...node,
      turn: () => budget.turn(),
      wait: (work) => budget.wait(work),
      caller: {
        call: async (...call) => {
          await budget.turn();
          return await node.caller.call(...call);
        },
      },
    };
  }

  private reportBug(method: string, error: unknown): RpcErrorBody {
    this.onBug(method, error);
    return { code: INTERNAL_ERROR, message: "internal error" };
  }
}

/** A request, or what is wrong with it. */
function readRequest(value: unknown): RpcRequest | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "a request is an object";
  const { jsonrpc, method, params, id } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return 'a request has "jsonrpc": "2.0"';
  if (typeof method !== "string") return "a request has a method";
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") {
    return "an id is a string, a number or null";
  }
  // Libraries send null for what they leave out.
  return { method, params: params ?? [], id };
}

function failure(id: RequestId, error: RpcErrorBody): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
