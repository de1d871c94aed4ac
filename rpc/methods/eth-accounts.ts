import { developmentAccounts } from "../development/accounts.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ADDRESS, listOf } from "../schema.ts";

export const ethAccounts: RpcMethod = defineMethod({
  name: "eth_accounts",
  summary: "The accounts that the node signs for: none, but on a development chain those of the test mnemonic.",
  result: listOf(ADDRESS),
  parameters: [],
  run: ({ chain }) => [...developmentAccounts(chain.spec).keys()],
});
