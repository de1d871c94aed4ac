import { expect, it } from "vitest";
import { devnet } from "../../../cli/commands/devnet.ts";
import { type RpcRights, rpcArguments } from "../../../cli/devnet/rpc-arguments.ts";
import { nodeOptions } from "../../../cli/node/node-options.ts";
import { parseWords } from "../../../cli/parse.ts";

const GIVEN = [
  ...["--rpc-cors", "https://a.example,https://b.example", "--rpc-hosts", "a.example", "--rpc-hosts", "b.example"],
  ...["--rpc-methods", "eth_*,-eth_get*", "--rpc-methods=-debug_*", "--rpc-limit", "logs=5,filters=6"],
];
const RIGHTS: RpcRights = {
  rpcCors: ["https://a.example,https://b.example"],
  rpcHosts: ["a.example", "b.example"],
  rpcMethods: ["eth_*,-eth_get*", "-debug_*"],
  rpcLimit: ["logs=5,filters=6"],
};

it("takes who may ask and how much as a node does, and tells each validator the same", () => {
  const devnetOptions = parseWords(devnet, "ogpu devnet", GIVEN).input(() => undefined).options;
  expect(devnetOptions).toMatchObject(RIGHTS);
  const node = { name: "node", summary: "", options: nodeOptions, run: () => 0 as const };
  expect(parseWords(node, "ogpu node", rpcArguments(RIGHTS)).input(() => undefined).options).toMatchObject(RIGHTS);
});
