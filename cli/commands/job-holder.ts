import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { jobNumber } from "../job/job-number.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { callModule } from "../modules/module-commands.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu job holder";

export const jobHolder: Command = defineCommand({
  name: "holder",
  summary: "Let another account keep the state between segments in the client's place",
  details:
    "That account may attest that it holds the state after an accepted segment, which ogpu job watch with its key does, and " +
    "may demand it where the worker withholds it. So the client's own key need not be on a machine that always runs. Whoever " +
    "attests to a state that it does not hold may leave the job without it: name only whom you trust.",
  args: [
    { name: "job", description: "its number" },
    { name: "account", description: "who holds the state" },
  ],
  options: { rpc: rpcOption, ...senderOptions },
  examples: [
    {
      command: "ogpu job holder 7 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --from 0",
      description: "then there: ogpu job watch 7 --key holder.json",
    },
  ],
  async run({ args: [text = "", account = ""], options }, context): Promise<ExitCode> {
    const id = jobNumber(text, PATH);
    const holder = readValue("<account>", account, PATH, parseAddress);
    const done = `${checksumAddress(holder)} may attest to states of job ${id}, and demand them`;
    const order = { module: "market", functionName: "setHolder", args: [id, bytesToHex(holder)], done } as const;
    return callModule(options.rpc, await senderKey(options, PATH), order, context);
  },
});
