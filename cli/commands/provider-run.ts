import { parseOgpu } from "../../base/units.ts";
import { allowInternalOption } from "../agent/agent-web.ts";
import { STOP_PAUSE_SECONDS } from "../agent/limits.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { inputEnd } from "../input-end.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";
import { queueOption, queueTokenOption } from "./worker.ts";

const PATH = "ogpu provider run";

export const providerRun: Command = defineCommand({
  name: "run",
  summary: "Compute jobs of others on this machine; ogpu provider by itself does the same",
  details:
    "Tests and measures the device, registers it, joins sources of tasks and bids for jobs by the policy below, fetches " +
    "inputs, computes, commits, opens what verifiers draw, and delivers. It goes on where it stopped after a restart. When it " +
    "is stopped it pauses on the chain, and resumes when it is started again; a pause of ogpu provider pause stays. " +
    "docs/providers.md explains collateral, policy and what can go wrong.",
  options: {
    rpc: rpcOption,
    ...senderOptions,
    dataDir: {
      ...{ type: "string", placeholder: "folder", default: "./data/provider" },
      description: "where its journal and blobs are kept",
    },
    name: { type: "string", placeholder: "text", description: "what it is called on the chain", default: "provider" },
    collateral: {
      type: "string",
      placeholder: "oGPU",
      description: "register with this collateral, unless it is registered",
    },
    device: { type: "string", placeholder: "device", description: "cpu, wasm or cuda:N", default: "cpu" },
    cudaLibrary: { type: "string", placeholder: "file", description: "another driver library than libcuda.so.1" },
    region: { type: "string", placeholder: "text", description: "where it is, such as eu-west", default: "anywhere" },
    tier: { type: "integer", placeholder: "n", description: "of the hardware (default: as measured)", max: 15 },
    quick: { type: "flag", description: "a short benchmark, for trying things out" },
    host: { type: "string", placeholder: "address", description: "the address to listen on", default: "127.0.0.1" },
    port: {
      type: "integer",
      placeholder: "port",
      description: "for inputs, outputs and openings; 0 takes any",
      default: 8560,
      max: 65_535,
    },
    endpoint: { type: "string", placeholder: "url", description: "what others are told, where it differs" },
    minPrice: { type: "string", placeholder: "oGPU", description: "for 10^9 compute units, at least", default: "0" },
    noPool: { type: "flag", description: "join no sources of tasks" },
    noAuctions: { type: "flag", description: "bid for no jobs" },
    memory: {
      type: "integer",
      placeholder: "MB",
      description: "of all buffers of a job, at most",
      default: 2_048,
      min: 1,
    },
    maxSeconds: {
      type: "integer",
      placeholder: "seconds",
      description: "of one segment, at most",
      default: 3_600,
      min: 1,
    },
    stopWithInput: { type: "flag", description: "stop when standard input ends, for programs that start providers" },
    pauseSeconds: {
      type: "integer",
      placeholder: "seconds",
      description: "when it is stopped, it waits so long for its pause to be on the chain",
      default: STOP_PAUSE_SECONDS,
      min: 1,
    },
    noPause: {
      type: "flag",
      description: "do not pause on the chain when it is stopped, as for a restart that takes seconds",
    },
    allowInternal: allowInternalOption,
    queue: queueOption,
    queueToken: queueTokenOption,
    noChallenge: {
      type: "flag",
      description:
        "never call the referee against a vote that was wrong, which takes a bond for the time that it judges",
    },
    refereeableOnly: { type: "flag", description: "only programs whose every tile the referee can check" },
  },
  examples: [
    {
      command:
        "ogpu provider run --key provider.json --collateral 100 --endpoint https://gpu.example.org --device cuda:0",
      description: "a GPU, reached through a proxy",
    },
    {
      command: "ogpu provider run --from 8 --collateral 50 --port 0 --quick",
      description: "this processor, on the devnet",
    },
  ],
  async run({ options }, context): Promise<ExitCode> {
    const { signal, progress } = context;
    const key = await senderKey(options, PATH);
    const [{ runProvider }, { providerText }, { USUAL_POLICY }] = await Promise.all([
      import("../agent/run-provider.ts"),
      import("../agent/provider-text.ts"),
      import("../../compute/agent/provider/policy.ts"),
    ]);
    const ogpu = (name: string, text: string): bigint => readValue(name, text, PATH, parseOgpu);
    const {
      queue,
      queueToken: token,
      collateral,
      minPrice,
      noPool,
      noAuctions,
      memory,
      maxSeconds,
      refereeableOnly,
      ...rest
    } = options;
    await runProvider(
      {
        ...{ ...rest, key, progress, pauseSeconds: options.noPause ? undefined : options.pauseSeconds },
        queue: queue === undefined ? undefined : { address: queue, token: tokenOf(token) },
        collateral: collateral === undefined ? undefined : ogpu("--collateral", collateral),
        policy: {
          ...{ ...USUAL_POLICY, pool: !noPool, auctions: !noAuctions, refereeableOnly, seconds: maxSeconds },
          ...{
            defends: !options.noChallenge,
            minimumPrice: ogpu("--min-price", minPrice),
            memoryBytes: memory * 1_048_576,
          },
        },
        tell: (event) => context.report({ event: "provider", ...event }, providerText(event)),
      },
      options.stopWithInput ? AbortSignal.any([signal, inputEnd()]) : signal,
    );
    // An input that is still open would keep the process alive.
    if (options.stopWithInput) process.stdin.destroy();
    return 0;
  },
});

/** A short one could be guessed, and with it somebody else's blobs would count as the provider's. */
function tokenOf(token: string | undefined): string {
  if (token !== undefined && token.length >= 16) return token;
  throw usageError("--queue needs a --queue-token of at least 16 characters", "openssl rand -hex 16 makes one.");
}
