/** The methods as an OpenRPC document (spec.open-rpc.org, version 1.3), made of what they themselves say. */
import type { RpcMethod } from "./method.ts";
import type { Parameter } from "./parameters.ts";
import { COMPONENTS } from "./result-schemas.ts";

export function openRpcDocument(methods: readonly RpcMethod[], version: string): object {
  return {
    openrpc: "1.3.2",
    info: {
      title: "OpenGPU JSON-RPC",
      description: "The methods of an OpenGPU node: those of Ethereum's execution API that fit, and its own (ogpu_).",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0.html" },
      version,
    },
    methods: methods.map(methodOf),
    components: { schemas: COMPONENTS },
  };
}

function methodOf({ name, summary, parameters, result }: RpcMethod): object {
  return {
    name,
    summary,
    paramStructure: "by-position",
    params: parameters.map(parameterOf),
    result: { name: "result", schema: result },
  };
}

function parameterOf({ name, wanted, schema, fallback }: Parameter<unknown>, index: number): object {
  return {
    name: name ?? `parameter ${index + 1}`,
    description: wanted,
    required: fallback === undefined,
    schema: schema ?? {},
  };
}
