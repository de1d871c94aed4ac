/** Requests: every method with parameters as its schema says, with one part spoiled, and with anything at all. */
import fc, { type Arbitrary } from "fast-check";
import type { RpcMethod } from "../../../rpc/method.ts";
import { METHODS } from "../../../rpc/methods.ts";
import { type Facts, fitting, replaced, wild } from "./values.ts";

export interface FuzzRequest {
  readonly jsonrpc: unknown;
  readonly id: unknown;
  readonly method: unknown;
  readonly params?: unknown;
}

/** Waits up to a minute for a block, when it is asked well: it would take the time of all others. */
const LEFT_OUT = new Set(["eth_sendRawTransactionSync"]);

const id: Arbitrary<unknown> = fc.oneof(
  fc.nat(),
  fc.string(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** A request to a method that there is. */
export function methodRequest(facts: Facts): Arbitrary<FuzzRequest> {
  const methods = METHODS.filter(({ name }) => !LEFT_OUT.has(name));
  const byMethod = methods.map((method) =>
    fc.record({ jsonrpc: fc.constant("2.0"), id, method: fc.constant(method.name), params: paramsOf(method, facts) }),
  );
  return fc.oneof(...byMethod);
}

function paramsOf({ parameters }: RpcMethod, facts: Facts): Arbitrary<unknown> {
  const values = parameters.map(({ schema, fallback }) => {
    const value = fitting(schema ?? {}, facts);
    return fallback === undefined ? value : fc.option(value, { nil: null, freq: 3 });
  });
  const good = fc.tuple(...values);
  const spoiled = fc.tuple(good, fc.nat(), wild).map(([params, place, by]) => replaced(params, place, by));
  const longer = fc.tuple(good, wild).map(([params, more]) => [...params, more]);
  const shorter = fc.tuple(good, fc.nat({ max: 3 })).map(([params, count]) => params.slice(0, count));
  return fc.oneof({ weight: 4, arbitrary: good }, { weight: 4, arbitrary: spoiled }, longer, shorter, wild);
}

/** Not even a request: members that are missing, of other types, or unknown. */
export const brokenRequest: Arbitrary<unknown> = fc.oneof(
  wild,
  fc.record({ jsonrpc: wild, id: wild, method: wild, params: wild, extra: wild }, { requiredKeys: [] }),
  fc.record({ jsonrpc: fc.constant("2.0"), id, method: fc.string({ unit: "binary" }), params: wild }),
);
