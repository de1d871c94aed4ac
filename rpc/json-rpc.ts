/** JSON-RPC 2.0 without its transport: the text of a request in, the text of the answer out. */
import type { JobCaller } from "./calls/job-caller.ts";
import type { ReadsAnswer } from "./calls/job-context.ts";
import type { RunJob } from "./calls/jobs.ts";
import { batchOf, failure, invalidRequest, isInvalid, type RpcRequest, readRequest, success } from "./envelope.ts";
import { MAX_READS_BODY } from "./limits.ts";
import { callMethod, type NodeContext, type RpcContext, type RpcMethod } from "./method.ts";
import { methodsIn } from "./methods-in.ts";
import { ClientGone, RequestBudget, type RpcClient, responseTooLarge } from "./request-budget.ts";
import {
  describeError,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  LIMIT_EXCEEDED,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
  type RpcErrorBody,
} from "./rpc-error.ts";
import { type Now, Turns } from "./turns.ts";

/** A failure that is our own bug: told to the operator, not to the caller. */
export type OnBug = (method: string, error: unknown) => void;

/**
 * Told of every request: its method if there is such a one, its JSON-RPC error code if it failed, and what it took. Of
 * several that are alike in all three, once.
 */
export type OnAnswer = (
  method: string | undefined,
  errorCode: number | undefined,
  milliseconds: number,
  requests: number,
) => void;

/** There at once, or later. Most answers are, and then a thousand of them need not a thousand turns of promises. */
type Soon<Value> = Value | Promise<Value>;

/** One body under way. */
interface Work {
  readonly budget: RequestBudget;
  readonly context: RpcContext;
}

export interface JsonRpcOptions {
  readonly methods: readonly RpcMethod[];
  readonly node: NodeContext;
  readonly onBug: OnBug;
  readonly onAnswer?: OnAnswer;
  readonly readBatch?: ReadBatch | undefined;
  readonly now?: Now;
}

/** Begins a body of reads on another thread; `undefined` when none is free. */
export type ReadBatch = (body: string, caller: JobCaller) => Promise<ReadsAnswer> | undefined;

/** Requests of a batch that is worth a message to another thread and back. */
const LEAST_READS = 20;

export class JsonRpc {
  private readonly methods: ReadonlyMap<string, RpcMethod>;
  /** Of these, those that another thread can answer. */
  private readonly reads: ReadonlyMap<string, RpcMethod>;
  private readonly node: NodeContext;
  private readonly onBug: OnBug;
  private readonly onAnswer: OnAnswer | undefined;
  private readonly readBatch: ReadBatch | undefined;
  private readonly now: Now;
  private readonly turns: Turns;

  constructor({ methods, node, onBug, onAnswer, readBatch, now = () => performance.now() }: JsonRpcOptions) {
    this.methods = new Map(methods.map((method) => [method.name, method]));
    this.reads = new Map([...this.methods].filter(([, { isRead }]) => isRead));
    this.node = node;
    this.onBug = onBug;
    this.onAnswer = onAnswer;
    this.readBatch = readBatch;
    this.now = now;
    this.turns = new Turns(now);
  }

  /** `undefined` when there is nothing to answer: only notifications, or nobody who listens. */
  async answer(body: string, client: RpcClient): Promise<string | undefined> {
    const budget = new RequestBudget(this.turns, client, this.node.limits, this.now);
    try {
      const granted = budget.turn();
      if (granted !== undefined) await granted;
      const work = { budget, context: this.contextOf(budget) };
      const reads = this.readsIn(body);
      return await (reads === undefined ? this.answerBody(body, work) : this.answerReads(body, reads, work));
    } catch (error) {
      if (error instanceof ClientGone) return undefined;
      throw error;
    } finally {
      budget.end();
    }
  }

  /** Of a body for which so many requests are charged already. */
  private answerBody(body: string, work: Work, charged = 0): Soon<string | undefined> {
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      return failure(null, { code: PARSE_ERROR, message: "the body is not JSON" });
    }
    const { client } = work.budget;
    const isGranted = (requests: number): boolean => requests <= charged || client.charge(requests - charged);
    if (!Array.isArray(parsed)) return isGranted(1) ? this.answerOne(parsed, work) : tooOften(parsed);
    const { batchRequests } = this.node.limits;
    if (parsed.length === 0) return failure(null, { code: INVALID_REQUEST, message: "the batch is empty" });
    if (parsed.length > batchRequests) {
      return failure(null, { code: INVALID_REQUEST, message: `a batch has at most ${batchRequests} requests` });
    }
    return isGranted(parsed.length) ? this.answerAll(parsed, work).then(batchOf) : tooOften(null);
  }

  /** The methods of a batch that looks like one of reads, and is worth another thread's while. */
  private readsIn(body: string): readonly RpcMethod[] | undefined {
    if (this.readBatch === undefined || !body.startsWith("[") || body.length > MAX_READS_BODY) return undefined;
    const methods = methodsIn(body, this.node.limits.batchRequests, this.reads) ?? [];
    return methods.length < LEAST_READS ? undefined : methods;
  }

  /** Begun on another thread, if one is free, and ended here. */
  private async answerReads(body: string, methods: readonly RpcMethod[], work: Work): Promise<string | undefined> {
    const { budget } = work;
    if (!budget.client.charge(methods.length)) return tooOften(null);
    const elsewhere = budget.elsewhere((caller) => this.readBatch?.(body, caller));
    const first = await elsewhere?.catch(() => undefined);
    // Whatever keeps the other thread from it, or whatever else it is, this one answers as if nobody had tried.
    if (first === undefined || first.requests !== methods.length || !budget.tryHold(first.text)) {
      return await this.answerBody(body, work, methods.length);
    }
    this.countReads(methods, first, this.now() - budget.time);
    const begun = first.text === "" ? undefined : first.text;
    if (first.count === first.requests) return batchOf([begun]);
    return batchOf([begun, ...(await this.answerAll(JSON.parse(body).slice(first.count), work))]);
  }

  /** Those in a row that are alike are counted together: most batches ask for one thing many times. */
  private countReads(methods: readonly RpcMethod[], { count, failures }: ReadsAnswer, milliseconds: number): void {
    const codes = new Map(failures);
    for (let [place, alike] = [0, 1]; place < count; place += alike) {
      const [method, code] = [methods[place], codes.get(place)];
      alike = 1;
      while (place + alike < count && methods[place + alike] === method && codes.get(place + alike) === code) alike++;
      this.onAnswer?.(method?.name, code, milliseconds / count, alike);
    }
  }

  /** One after the other, but a request that waits for something else holds up only its own answer. */
  private async answerAll(requests: readonly unknown[], work: Work): Promise<readonly (string | undefined)[]> {
    const answers: Soon<string | undefined>[] = [];
    try {
      for (const request of requests) {
        const granted = work.budget.turn();
        if (granted !== undefined) await granted;
        const answer = this.answerOne(request, work);
        answers.push(answer);
        if (answer instanceof Promise && !work.budget.isWaiting) await Promise.race([answer, work.budget.waits()]);
      }
    } catch (error) {
      // The others end by themselves, for the same reason; nobody is told.
      for (const other of answers) if (other instanceof Promise) other.catch(() => undefined);
      if (!(error instanceof RpcError)) throw error;
      work.budget.end();
      return await this.refuseRest(requests, answers, error);
    }
    const isLater = answers.some((answer) => answer instanceof Promise);
    if (!isLater) return answers as (string | undefined)[];
    // Nothing is left to do here but to wait: somebody else has the turn meanwhile.
    work.budget.end();
    return await Promise.all(answers);
  }

  /** The budget ended between two requests: those that have no answer yet get its error. */
  private async refuseRest(
    requests: readonly unknown[],
    answers: readonly Soon<string | undefined>[],
    error: RpcError,
  ): Promise<readonly (string | undefined)[]> {
    const rest = requests.slice(answers.length).map((value) => {
      const request = readRequest(value);
      if (isInvalid(request)) return invalidRequest(request);
      return request.id === undefined ? undefined : failure(request.id, error.body);
    });
    return [...(await Promise.all(answers)), ...rest];
  }

  private answerOne(value: unknown, work: Work): Soon<string | undefined> {
    const request = readRequest(value);
    if (isInvalid(request)) return invalidRequest(request);
    const answer = this.answerRequest(request, work);
    if (answer instanceof Promise) {
      return answer.then((text) => {
        // It may have taken the turn again after waiting, and others of its batch may wait for long.
        work.budget.end();
        return fitted(request, text, work.budget, this.node);
      });
    }
    return fitted(request, answer, work.budget, this.node);
  }

  private answerRequest(request: RpcRequest, work: Work): Soon<string> {
    const begun = work.budget.time;
    try {
      const result = this.run(request, work.context);
      if (!(result instanceof Promise)) return this.succeeded(request, result, begun);
      return result.then(
        (later) => this.succeeded(request, later, begun),
        (error) => this.failed(request, error, begun),
      );
    } catch (error) {
      return this.failed(request, error, begun);
    }
  }

  private succeeded({ method, id }: RpcRequest, result: unknown, begun: number): string {
    this.onAnswer?.(method, undefined, this.now() - begun, 1);
    return success(id, result);
  }

  private failed({ method, id }: RpcRequest, error: unknown, begun: number): string {
    if (error instanceof ClientGone) throw error;
    const body = describeError(error) ?? this.reportBug(method, error);
    this.onAnswer?.(this.methods.has(method) ? method : undefined, body.code, this.now() - begun, 1);
    return failure(id, body);
  }

  private run({ method: name, params }: RpcRequest, context: RpcContext): unknown {
    const method = this.methods.get(name);
    if (method === undefined) {
      throw new RpcError(METHOD_NOT_FOUND, `the method ${name.slice(0, 60)} does not exist/is not available`);
    }
    return callMethod(method, context, params);
  }

  private contextOf(budget: RequestBudget): RpcContext {
    const { node } = this;
    // Over the node's own, not a copy of it: copying took a twentieth of a small request (measured).
    return Object.assign(Object.create(node) as NodeContext, {
      client: budget.client,
      turn: () => budget.turn(),
      wait: <Result>(work: Promise<Result>) => budget.wait(work),
      job: ((name, request) => budget.call((caller) => node.job(name, request, caller))) satisfies RunJob,
    });
  }

  private reportBug(method: string, error: unknown): RpcErrorBody {
    this.onBug(method, error);
    return { code: INTERNAL_ERROR, message: "internal error" };
  }
}

/** Nothing for a notification; an error where the answer does not fit any more. */
function fitted({ id }: RpcRequest, answer: string, budget: RequestBudget, node: NodeContext): string | undefined {
  if (id === undefined) return undefined;
  return budget.holds(answer) ? answer : failure(id, responseTooLarge(node.limits.answerBytes).body);
}

function tooOften(value: unknown): string {
  return failure(readRequest(value).id, {
    code: LIMIT_EXCEEDED,
    message: "limit exceeded: this address asks too often",
    data: { code: "RPC_TOO_OFTEN" },
  });
}
