import { leaveProvider } from "../agent/leave-provider.ts";
import { NodeChain } from "../agent/node-chain.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { dutiesOf } from "../modules/provider-duties.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu provider exit";

export const providerExit: Command = defineCommand({
  name: "exit",
  summary: "Leave for good: out of all sources, without devices, and all its collateral leaves",
  details:
    "It cannot be taken back. What is under way is still the provider's: let it run, or start it again, until ogpu provider " +
    "status shows nothing under way. Collateral that jobs have reserved leaves when they are settled. ogpu provider claim pays " +
    "what is due, and the last claim ends the registration. Called again, it leaves sources in which the provider raced before.",
  options: { ...senderOptions, rpc: rpcOption },
  examples: [{ command: "ogpu provider exit --key provider.json", description: "all of it" }],
  async run({ options }, { report, progress, style }): Promise<ExitCode> {
    const chain = new NodeChain(options.rpc, await senderKey(options, PATH));
    try {
      const leaving = await leaveProvider(chain, progress);
      const duties = await dutiesOf(options.rpc, chain.account);
      const { racing } = leaving;
      const lines = [
        style.good("leaving; see when the collateral is due: ogpu provider status"),
        ...duties.map(({ job, what }) => style.warn(`still under way: job ${job}, ${what}`)),
        ...(duties.length > 0 ? ["Let the provider run, or start it again, until nothing is under way."] : []),
        ...(racing.length > 0 ? [`It races in source ${racing.join(", ")}: call this again when that is over.`] : []),
      ];
      report({ account: chain.account, ...leaving, duties }, lines.join("\n"));
      return 0;
    } finally {
      chain.close();
    }
  },
});
