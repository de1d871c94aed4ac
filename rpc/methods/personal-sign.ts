import { requireAccount } from "../development/accounts.ts";
import { signMessage } from "../development/sign.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, data, named, optional, text } from "../parameters.ts";
import { DATA } from "../schema.ts";

export const personalSign: RpcMethod = defineMethod({
  name: "personal_sign",
  summary: "On a development chain: eth_sign with its parameters the other way round.",
  result: DATA,
  // The password is what other nodes unlock an account with: these need none.
  parameters: [named("message", data), address, optional(named("password", text(1_024)), "")],
  run: ({ chain }, message, account) => signMessage(requireAccount(chain.spec, account), message),
});
