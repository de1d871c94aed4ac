import { requireAccount } from "../development/accounts.ts";
import { signTypedHash } from "../development/sign.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, type Parameter } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { DATA } from "../schema.ts";

/** An object, or the same as text. It goes on as text: one that is nested very deep could not cross to another thread. */
const typedData: Parameter<string> = {
  name: "typedData",
  wanted: "typed data (EIP-712): an object with types, primaryType, domain and message, or that as text",
  schema: { anyOf: [{ type: "object" }, { type: "string" }] },
  read(value, where) {
    if (typeof value === "string") return value;
    try {
      if (typeof value === "object") return JSON.stringify(value);
    } catch {
      // Told below: nested too deep to be written, it is as wrong as a number.
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
    const signer = requireAccount(chain.spec, account);
    return signTypedHash(signer, await job("typedData", { typedData: typed }));
  },
});
