import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { jobNumber } from "../job/job-number.ts";
import { MarketSession } from "../job/market-session.ts";
import { receiptText } from "../job/receipt-text.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu job cancel";

export const jobCancel: Command = defineCommand({
  name: "cancel",
  summary: "End a job: workers are paid for what they have done, the rest comes back",
  details: "A pool task can be cancelled until racers are drawn; an auction job at any time.",
  args: [{ name: "job", description: "its number" }],
  options: { rpc: rpcOption, ...senderOptions },
  examples: [{ command: "ogpu job cancel 7 --from 0", description: "as the client who submitted it" }],
  async run({ args: [text = ""], options }, { report }): Promise<ExitCode> {
    const id = jobNumber(text, PATH);
    const session = new MarketSession(options.rpc, await senderKey(options, PATH));
    try {
      await session.send({ module: "market", name: "cancel", args: [id] });
      const receipt = await session.receipt(id);
      report(receipt, receiptText(receipt));
      return 0;
    } finally {
      session.close();
    }
  },
});
