import { checksumAddress, parseAddress } from "../../base/address.ts";
import { formatOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { callQuantity, rpcOption } from "../json-rpc-client.ts";

export const balance: Command = defineCommand({
  name: "balance",
  summary: "Print what an account has",
  args: [{ name: "address", description: "the account" }],
  options: { rpc: rpcOption },
  examples: [
    { command: "ogpu balance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", description: "the first test account" },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const address = checksumAddress(readValue("<address>", args[0] as string, "ogpu balance", parseAddress));
    const wei = await callQuantity(options.rpc, "eth_getBalance", [address, "latest"]);
    report({ address, wei, oGPU: formatOgpu(wei) }, `${formatOgpu(wei)} oGPU`);
    return 0;
  },
});
