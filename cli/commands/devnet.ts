import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { DEFAULT_RPC_PORT } from "../defaults.ts";

export const devnet: Command = defineCommand({
  name: "devnet",
  summary: "Run a development chain on this machine",
  details: [
    "One process that makes a block whenever a transaction waits. The chain continues where it stopped.",
    "Any Ethereum wallet or library can connect. Stop it with Ctrl-C.",
  ].join("\n"),
  options: {
    dataDir: {
      type: "string",
      placeholder: "folder",
      description: "where the chain is kept",
      default: "./data/devnet",
      env: "OGPU_DATA_DIR",
    },
    fresh: { type: "flag", description: "delete the chain in that folder and start a new one" },
    spec: {
      type: "string",
      placeholder: "spec",
      description: "another chain spec: a file (see: ogpu genesis create --help), testnet or mainnet",
    },
    rpcPort: {
      type: "integer",
      placeholder: "port",
      description: `the JSON-RPC port; 0 takes any (default ${DEFAULT_RPC_PORT}, or the next free one)`,
      max: 65_535,
    },
    rpcHost: { type: "string", placeholder: "address", description: "the address to listen on", default: "127.0.0.1" },
    archive: { type: "flag", description: "keep the state of every block, for historical queries" },
  },
  examples: [
    { command: "ogpu devnet", description: "continue the chain in ./data/devnet" },
    { command: "ogpu devnet --fresh --rpc-port 9000", description: "start over, on another port" },
    { command: "ogpu devnet --rpc-port 0 --json", description: "on any free port, which the ready event names" },
  ],
  async run({ options }, context): Promise<ExitCode> {
    // Asked for first: a signal that comes while the database opens must not tear it.
    const { signal } = context;
    // Loaded now, because the node is most of the program, and other commands shall start at once.
    const { runDevnet } = await import("../run-devnet.ts");
    await runDevnet(options, signal, context);
    return 0;
  },
});
