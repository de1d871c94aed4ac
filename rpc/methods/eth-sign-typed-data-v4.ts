import { requireAccount } from "../development/accounts.ts";
import { signTypedHash } from "../development/sign.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, type Parameter } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { DATA } from "../schema.ts";

/** An object, or the same as text. */
const typedData: Parameter<unknown> = {
  name: "typedData",
  wanted: "typed data (EIP-712): an object with types, primaryType, domain and message, or that as text",
  schema: { anyOf: [{ type: "object" }, { type: "string" }] },
  read(value, where) {
    if (typeof value === "object") return value;
    try {
      if (typeof value === "string") return JSON.parse(value) as unknown;
    } catch {
      // Told below: text that is no JSON is as wrong as a number.
    }
    throw invalidParams(`${where} must be ${this.wanted}`);
  },
};

export const ethSignTypedDataV4: RpcMethod = defineMethod({
  name: "eth_signTypedData_v4",
  summary: "On a development chain: signs typed data (EIP-712) for an account of the test mnemonic.",
  result: DATA,
  parameters: [address, typedData],
  run: async ({ chain, job }, account, typed) => {
    const signer = requireAccount(chain.spec, account, "eth_signTypedData_v4");
    return signTypedHash(signer, await job("typedData", { typedData: typed }));
  },
});
