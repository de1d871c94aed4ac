import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, defineCommand } from "../command.ts";
import { followJob } from "../job/follow-job.ts";
import { jobNumber } from "../job/job-number.ts";
import { MarketSession } from "../job/market-session.ts";
import { receiptText } from "../job/receipt-text.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKeyIfNamed, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu job watch";

export const jobWatch: Command = defineCommand({
  name: "watch",
  summary: "Follow a job: where it is, how far its workers are, then its receipt",
  details:
    "With the key of the job's client, or of whom it named by ogpu job holder, it also attests that it holds the state after each " +
    "accepted segment, so that the next one begins at once; with the client's it shows inputs that somebody demands on chain.\nExit code 0 when the job is settled, 1 when it ended otherwise.",
  args: [{ name: "job", description: "its number" }],
  options: { rpc: rpcOption, ...senderOptions, allowInternal: allowInternalOption },
  examples: [
    { command: "ogpu job watch 7", description: "until it is over" },
    { command: "ogpu job watch 7 --from 0", description: "as its client, who keeps the state between segments" },
  ],
  async run({ args: [text = ""], options }, context) {
    const session = new MarketSession(options.rpc, await senderKeyIfNamed(options, PATH), options);
    try {
      const ended = await followJob(session, jobNumber(text, PATH), context);
      if (ended === undefined) return 1;
      context.report(ended.receipt, receiptText(ended.receipt));
      return ended.job.status === 6 ? 0 : 1;
    } finally {
      session.close();
    }
  },
});
