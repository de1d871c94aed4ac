/** What a method of the RPC is: its name, how each parameter is read, and what it answers. */
import type { JobCaller } from "./calls/job-caller.ts";
import type { JobName, JobRequest, JobResult, RunJob } from "./calls/jobs.ts";
import type { ChainReads, ChainView } from "./chain-view.ts";
import type { Filters } from "./filters/filters.ts";
import type { RpcLimits } from "./limits.ts";
import type { Parameter } from "./parameters.ts";
import type { RpcClient } from "./request-budget.ts";
import { invalidParams } from "./rpc-error.ts";
import type { JsonSchema } from "./schema.ts";
import type { Subscriptions } from "./subscriptions/subscriptions.ts";
import type { Watch } from "./watch/watch.ts";

/** Runs a job, and says what it took. */
export type JobRunner = <Name extends JobName>(
  name: Name,
  request: JobRequest<Name>,
  caller: JobCaller,
) => Promise<JobResult<Name>>;

/** What all requests share. */
export interface NodeContext {
  readonly chain: ChainView;
  readonly job: JobRunner;
  readonly limits: RpcLimits;
  readonly filters: Filters;
  readonly subscriptions: Subscriptions;
  readonly watch: Watch;
  /** `ogpu/0.1.0/...` */
  readonly clientVersion: string;
}

/** What methods work with. */
export interface RpcContext extends Omit<NodeContext, "job"> {
  /** Runs the EVM, on another thread: `job("call", ...)`. */
  readonly job: RunJob;
  readonly client: RpcClient;
  /** For a method that works through many blocks: awaited before each, it lets others go on. */
  turn(): Promise<void> | undefined;
  /** For a method that waits for the disk or another thread: lets others go on until then. */
  wait<Result>(work: Promise<Result>): Promise<Result>;
}

/** What reads work with: they run on any thread that has a view of the chain, and never wait. */
export interface ReadContext {
  readonly chain: ChainReads;
}

type Values<Parameters extends readonly Parameter<unknown>[]> = {
  readonly [Index in keyof Parameters]: Parameters[Index] extends Parameter<infer Value> ? Value : never;
};

/** A method with the types of its parameters forgotten: what the dispatcher calls. */
export interface RpcMethod {
  readonly name: string;
  /** One line for the OpenRPC document. */
  readonly summary: string;
  /** What it answers with. */
  readonly result: JsonSchema;
  readonly parameters: readonly Parameter<unknown>[];
  /** It works with a ReadContext. */
  readonly isRead: boolean;
  /** How errors name each parameter. Made once: requests are many. */
  readonly places: readonly string[];
  readonly run: (context: RpcContext, ...values: never[]) => unknown;
}

/** A method as its file writes it. */
interface Definition<Context, Parameters extends readonly Parameter<unknown>[]>
  extends Pick<RpcMethod, "name" | "summary" | "result"> {
  readonly parameters: Parameters;
  readonly run: (context: Context, ...values: Values<Parameters>) => unknown;
}

export function defineMethod<const Parameters extends readonly Parameter<unknown>[]>(
  method: Definition<RpcContext, Parameters>,
): RpcMethod {
  return { ...method, isRead: false, places: method.parameters.map(placeOf) } as unknown as RpcMethod;
}

/** A method that only reads what is final. */
export function defineRead<const Parameters extends readonly Parameter<unknown>[]>(
  method: Definition<ReadContext, Parameters>,
): RpcMethod {
  return { ...defineMethod(method), isRead: true };
}

/**
 * Reads the parameters and runs the method: answers with the result, or a promise of it where the method has to wait.
 * Throws, or rejects with, an RpcError or a CodedError.
 */
export function callMethod(method: RpcMethod, context: RpcContext, params: unknown): unknown {
  const { parameters, places } = method;
  if (!Array.isArray(params)) throw invalidParams("params must be a list");
  if (params.length > parameters.length) {
    throw invalidParams(`${method.name} takes at most ${parameters.length} parameters, not ${params.length}`);
  }
  const values: unknown[] = [];
  for (let index = 0; index < parameters.length; index++) {
    values.push(readValue(parameters[index] as Parameter<unknown>, params[index], places[index] as string));
  }
  return method.run(context, ...(values as never[]));
}

function readValue(parameter: Parameter<unknown>, value: unknown, place: string): unknown {
  // Libraries send null for what they leave out in the middle.
  if (value !== undefined && value !== null) return parameter.read(value, place);
  if (parameter.fallback === undefined) throw invalidParams(`missing value for ${place}: ${parameter.wanted}`);
  return parameter.fallback.value;
}

function placeOf({ name }: Parameter<unknown>, index: number): string {
  return name === undefined ? `parameter ${index + 1}` : `parameter ${index + 1} (${name})`;
}
