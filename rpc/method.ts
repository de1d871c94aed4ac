/** What a method of the RPC is: its name, how each parameter is read, and what it answers. */
import type { MessageCaller } from "../vm/execution/call-message.ts";
import type { ChainView } from "./chain-view.ts";
import type { Parameter } from "./parameters.ts";
import { invalidParams } from "./rpc-error.ts";

/** What all requests share. */
export interface NodeContext {
  readonly chain: ChainView;
  readonly caller: Pick<MessageCaller, "call">;
  /** `ogpu/0.1.0/...` */
  readonly clientVersion: string;
}

/** What methods work with. Calls take their turns by themselves. */
export interface RpcContext extends NodeContext {
  /** For a method that works through many blocks: awaited before each, it lets others go on. */
  turn(): Promise<void>;
  /** For a method that waits for the disk or another thread: lets others go on until then. */
  wait<Result>(work: Promise<Result>): Promise<Result>;
}

type Values<Parameters extends readonly Parameter<unknown>[]> = {
  readonly [Index in keyof Parameters]: Parameters[Index] extends Parameter<infer Value> ? Value : never;
};

/** A method with the types of its parameters forgotten: what the dispatcher calls. */
export interface RpcMethod {
  readonly name: string;
  readonly parameters: readonly Parameter<unknown>[];
  readonly run: (context: RpcContext, ...values: never[]) => unknown;
}

export function defineMethod<const Parameters extends readonly Parameter<unknown>[]>(method: {
  readonly name: string;
  readonly parameters: Parameters;
  readonly run: (context: RpcContext, ...values: Values<Parameters>) => unknown;
}): RpcMethod {
  return method as unknown as RpcMethod;
}

/** Reads the parameters and runs the method. Throws an RpcError or a CodedError. */
export async function callMethod(method: RpcMethod, context: RpcContext, params: readonly unknown[]): Promise<unknown> {
  const { parameters } = method;
  if (params.length > parameters.length) {
    throw invalidParams(`${method.name} takes at most ${parameters.length} parameters, not ${params.length}`);
  }
  const values = parameters.map((parameter, index) => {
    const value = params[index];
    // Libraries send null for what they leave out in the middle.
    if (value !== undefined && value !== null) return parameter.read(value, `parameter ${index + 1}`);
    if (parameter.fallback === undefined) throw invalidParams(`parameter ${index + 1} is missing: ${parameter.wanted}`);
    return parameter.fallback.value;
  });
  return await method.run(context, ...(values as never[]));
}
