import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { nodeOptions } from "../node/node-options.ts";

const PATH = "ogpu node";

export const node: Command = defineCommand({
  name: "node",
  summary: "Follow a network: check and keep its blocks, answer RPC",
  details: [
    "A node without blocks fetches a snapshot of the state, whose every part is checked against the signatures of the " +
      "validators, and then follows the blocks. It signs nothing.",
    "It logs to standard error, prints READY when it has caught up, and ends in an orderly way on SIGTERM and Ctrl-C.",
  ].join("\n"),
  options: nodeOptions,
  examples: [
    {
      command: "ogpu node --spec data/devnet/spec.json --bootstrap /ip4/127.0.0.1/tcp/21007/p2p/12D3Koo...",
      description: "follow a devnet on this machine; it prints the address",
    },
    { command: "ogpu node --network testnet --archive --rpc-port 9000", description: "keep all history" },
    { command: "ogpu node --network testnet --log-level info,consensus=debug", description: "see consensus at work" },
  ],
  async run({ options }, context): Promise<ExitCode> {
    // Asked for first: a signal that comes while the database opens must not tear it.
    const { signal } = context;
    // Loaded now, because the node is most of the program, and other commands shall start at once.
    const [{ runNode }, { nodeSettings, specOf }] = await Promise.all([
      import("../node/run-node.ts"),
      import("../node/node-settings.ts"),
    ]);
    const spec = await specOf(options, PATH);
    await runNode(nodeSettings(options, PATH, spec, undefined), signal, context);
    return 0;
  },
});
