import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { DEFAULT_RPC_HOST, DEFAULT_RPC_PORT } from "../defaults.ts";
import { readValue } from "../failure.ts";
import { nodeOptions } from "../node/node-options.ts";

export const devnet: Command = defineCommand({
  name: "devnet",
  summary: "Run a development network on this machine",
  details: [
    "Several validators, each in a process of its own, that make a block whenever a transaction waits, and two providers " +
      "that compute jobs. It prints READY when blocks become final and jobs can come. The chain continues where it stopped.",
    "Any Ethereum wallet or library can connect. Stop it with Ctrl-C. A validator that dies is started again.",
  ].join("\n"),
  options: {
    dataDir: {
      type: "string",
      placeholder: "folder",
      description: "where the network is kept",
      default: "./data/devnet",
      env: "OGPU_DATA_DIR",
    },
    validators: {
      type: "integer",
      placeholder: "n",
      description: "how many of them a new network has (default 4)",
      min: 1,
      max: 100,
    },
    providers: {
      type: "integer",
      placeholder: "n",
      description: "how many processors compute jobs, each in a process of its own",
      default: 2,
      max: 2,
    },
    fresh: { type: "flag", description: "delete the chain in that folder and start a new one" },
    spec: {
      type: "string",
      placeholder: "spec",
      description:
        "for a new network, another chain spec: a file (see: ogpu genesis create --help) whose cap has room for the stakes",
    },
    rpcPort: {
      type: "integer",
      placeholder: "port",
      description: `the first validator's JSON-RPC port; 0 takes any (default ${DEFAULT_RPC_PORT}, or the next free one)`,
      max: 65_535,
    },
    rpcHost: {
      type: "string",
      placeholder: "address",
      description: "the address to listen on",
      default: DEFAULT_RPC_HOST,
    },
    rpcCors: nodeOptions.rpcCors,
    rpcHosts: nodeOptions.rpcHosts,
    rpcMethods: nodeOptions.rpcMethods,
    rpcLimit: nodeOptions.rpcLimit,
    archive: { type: "flag", description: "keep the state of every block, for historical queries" },
    logLevel: {
      type: "string",
      placeholder: "levels",
      description: "how much the validators write to their logs in the folder",
      default: "info",
      env: "OGPU_LOG_LEVEL",
    },
  },
  examples: [
    { command: "ogpu devnet", description: "continue the network in ./data/devnet" },
    { command: "ogpu devnet --fresh --validators 7", description: "start over with seven validators" },
    { command: "ogpu devnet --fresh --rpc-port 9000", description: "start over, on another port" },
    { command: "ogpu devnet --rpc-port 0 --json", description: "on any free port, which the ready event names" },
  ],
  async run({ options }, context): Promise<ExitCode> {
    // Asked for first: a signal that comes while the database opens must not tear it.
    const { signal } = context;
    // Loaded now, because the node is most of the program, and other commands shall start at once.
    const { runDevnet } = await import("../devnet/run-devnet.ts");
    const { readRpcLimits } = await import("../node/rpc-settings.ts");
    const { parseLogLevels } = await import("../../chain/observe/log-levels.ts");
    // Each validator reads them too, but then an old chain may be gone.
    readRpcLimits(options.rpcLimit, "ogpu devnet");
    readValue("--log-level", options.logLevel, "ogpu devnet", parseLogLevels);
    await runDevnet(options, signal, context);
    return 0;
  },
});
