import { formatOgpu } from "../../base/units.ts";
import { type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { jobNumber } from "../job/job-number.ts";
import { MarketSession } from "../job/market-session.ts";
import { loadWork } from "../job/work.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { columns } from "../table.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";
import { termOptions, workOptions } from "./job-options.ts";

const { tier, racers, seats, assurance, taskSeconds } = termOptions;

const sourceCreate: Command = defineCommand({
  name: "create",
  summary: "Publish a program and make a source of it, which tasks bring inputs to",
  details:
    "A source names a program once; providers join it with devices, and each task needs only its inputs. The program is " +
    "said as for ogpu job submit; inputs are needed where sizes follow from them.",
  args: [{ name: "model.onnx", description: "the model, unless another option says the program", optional: true }],
  options: { rpc: rpcOption, ...senderOptions, ...workOptions, tier, racers, seats, assurance, taskSeconds },
  examples: [
    {
      command: "ogpu source create --from 0 model.onnx --input image.png --racers 3",
      description: "three providers race for each task",
    },
  ],
  async run({ args: [model], options }, { progress, report }): Promise<ExitCode> {
    const path = "ogpu source create";
    const key = await senderKey(options, path);
    const work = await loadWork(model, options, path);
    const session = new MarketSession(options.rpc, key);
    try {
      await session.publish(work, progress);
      const source = await session.createSource(work.address, options);
      report({ source, program: work.address }, `source ${source} of program ${work.address}`);
      return 0;
    } finally {
      session.close();
    }
  },
});

const sourceList: Command = defineCommand({
  name: "list",
  summary: "List sources, the newest first",
  options: { rpc: rpcOption, all: { type: "flag", description: "also those that are closed" } },
  async run({ options }, { report }): Promise<ExitCode> {
    const session = new MarketSession(options.rpc);
    try {
      const found = await session.sources(!options.all, 100n);
      const rows = found.map((source) => [
        ...[String(source.id), source.program, String(source.tier), `${source.members} (${source.idle} idle)`],
        ...[String(source.tasks), String(source.waiting), formatOgpu(source.total), source.open ? "open" : "closed"],
      ]);
      const head = ["source", "program", "tier", "members", "tasks", "waiting", "price (oGPU)", ""];
      report(found, found.length === 0 ? "no sources" : columns(head, rows));
      return 0;
    } finally {
      session.close();
    }
  },
});

const sourceClose: Command = defineCommand({
  name: "close",
  summary: "Take no more tasks; those that wait keep their place",
  args: [{ name: "source", description: "its number" }],
  options: { rpc: rpcOption, ...senderOptions },
  async run({ args: [text = ""], options }, { report }): Promise<ExitCode> {
    const path = "ogpu source close";
    const id = jobNumber(text, path);
    const session = new MarketSession(options.rpc, await senderKey(options, path));
    try {
      await session.send({ module: "market", name: "closeSource", args: [id] });
      report({ source: id }, `source ${id} is closed`);
      return 0;
    } finally {
      session.close();
    }
  },
});

export const source: CommandGroup = {
  name: "source",
  summary: "Make, list and close sources of pool tasks",
  commands: [sourceCreate, sourceList, sourceClose],
};
