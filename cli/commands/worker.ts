import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, defineCommand, type ExitCode, type StringOption } from "../command.ts";
import { usageError } from "../failure.ts";

const PATH = "ogpu worker";

export const queueOption: StringOption = {
  ...{ type: "string", placeholder: "redis://host", env: "OGPU_QUEUE" },
  description: "the queue of a provider and its workers, on Redis or Valkey",
};

export const queueTokenOption: StringOption = {
  ...{ type: "string", placeholder: "word", env: "OGPU_QUEUE_TOKEN" },
  description: "by which the provider knows its workers' blobs from others'",
};

export const worker: Command = defineCommand({
  name: "worker",
  summary: "Compute for a provider on another machine, through its queue",
  details:
    "The provider runs with --queue and talks to the chain; any number of workers compute. One that dies loses nothing: " +
    'another takes its work. docs/providers.md, "Several machines".',
  options: {
    queue: { ...queueOption, required: true },
    queueToken: { ...queueTokenOption, required: true },
    provider: { type: "string", placeholder: "address", description: "the provider's account", required: true },
    home: { type: "string", placeholder: "url", description: "where the provider is reached", required: true },
    device: { type: "string", placeholder: "device", description: "cpu, wasm or cuda:N", default: "cpu" },
    allowInternal: allowInternalOption,
    dataDir: {
      ...{ type: "string", placeholder: "folder", default: "./data/worker" },
      description: "where blobs are kept for a while",
    },
  },
  examples: [
    {
      command: "ogpu worker --queue redis://10.0.0.1 --provider 0x… --home http://10.0.0.1:8560 --device cuda:0",
      description: "a GPU of a provider whose agent is on 10.0.0.1; the word is in OGPU_QUEUE_TOKEN",
    },
  ],
  async run({ options }, { signal, progress, report }): Promise<ExitCode> {
    const [{ runWorker }, { chooseDevice }] = await Promise.all([
      import("../agent/run-worker.ts"),
      import("../../compute/device/choose-device.ts"),
    ]);
    const device = chooseDevice(options.device);
    const reference = chooseDevice("wasm");
    if (device === undefined || reference === undefined) {
      throw usageError(`--device ${options.device}: expected cpu, wasm or cuda:N, as in cuda:0`, `See: ${PATH} --help`);
    }
    const { queueToken: token, ...rest } = options;
    const tell = (text: string): void => report({ event: "worker", text }, text);
    await runWorker({ ...rest, token, device, reference, progress, tell }, signal);
    return 0;
  },
});
