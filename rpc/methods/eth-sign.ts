import { requireAccount } from "../development/accounts.ts";
import { signMessage } from "../development/sign.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, data, named } from "../parameters.ts";
import { DATA } from "../schema.ts";

export const ethSign: RpcMethod = defineMethod({
  name: "eth_sign",
  summary: "On a development chain: signs a message (EIP-191) for an account of the test mnemonic.",
  result: DATA,
  parameters: [address, named("message", data)],
  run: ({ chain }, account, message) => signMessage(requireAccount(chain.spec, account), message),
});
