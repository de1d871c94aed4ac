import { parseOgpu } from "../../base/units.ts";
import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu verifier run";

export const verifierRun: Command = defineCommand({
  name: "run",
  summary: "Recompute random parts of others' work; ogpu verifier by itself does the same",
  details:
    "Answers the seats that its stake is drawn for: fetches what a tile is computed from, checks every byte of it against " +
    "what the worker committed, computes the tile by the reference engine on this processor, and seals, reveals and votes. " +
    "It needs no GPU. What its seals hide is on disk before they are sent, so a restart loses nothing. docs/verifiers.md.",
  options: {
    rpc: rpcOption,
    ...senderOptions,
    dataDir: {
      type: "string",
      placeholder: "folder",
      description: "where the journal of seals is kept",
      default: "./data/verifier",
    },
    stake: { type: "string", placeholder: "oGPU", description: "register with this stake, unless it is registered" },
    allowInternal: allowInternalOption,
    noChallenge: {
      type: "flag",
      description: "never call the referee, which takes a bond for the time that it judges",
    },
  },
  examples: [
    { command: "ogpu verifier run --key verifier.json --stake 100", description: "register, then answer seats" },
    { command: "ogpu verifier run --from 9 --stake 50", description: "with a test account of the devnet" },
  ],
  async run({ options }, context): Promise<ExitCode> {
    const { signal } = context;
    const key = await senderKey(options, PATH);
    const { stake } = options;
    const { runVerifier } = await import("../agent/run-verifier.ts");
    const { verifierText } = await import("../agent/verifier-text.ts");
    await runVerifier(
      {
        ...{ rpc: options.rpc, key, dataDir: options.dataDir, challenges: !options.noChallenge },
        allowInternal: options.allowInternal,
        stake: stake === undefined ? undefined : readValue("--stake", stake, PATH, parseOgpu),
        tell: (event) => context.report(event, verifierText(event)),
      },
      signal,
    );
    return 0;
  },
});
