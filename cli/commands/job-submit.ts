import { parseOgpu } from "../../base/units.ts";
import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, type CommandContext, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { requireAffordable } from "../job/affordable.ts";
import { bringBlobs, providerPlaces } from "../job/bring-blobs.ts";
import { fetchOutputs, followJob } from "../job/follow-job.ts";
import { MarketSession } from "../job/market-session.ts";
import { requireSourceOf } from "../job/own-source.ts";
import { receiptText } from "../job/receipt-text.ts";
import { loadWork, type Work } from "../job/work.ts";
import { callQuantity, rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";
import { checkTerms, type TermOptions, termOptions, workOptions } from "./job-options.ts";

const PATH = "ogpu job submit";

export const jobSubmit: Command = defineCommand({
  name: "submit",
  summary: "Have a model, a kernel or an example computed by providers, and checked by verifiers",
  details:
    "Brings the inputs to the node and to providers, publishes the program if it is new, submits the job, follows it and " +
    "prints the checked result with its receipt. Pool tasks cost the base price; with --budget the job is auctioned. " +
    "What to compute is said as for ogpu compute run. docs/jobs.md explains it all.\nExit code 1 when the job is not settled.",
  args: [{ name: "model.onnx", description: "the model, unless another option says what to compute", optional: true }],
  options: {
    rpc: rpcOption,
    ...senderOptions,
    ...workOptions,
    ...termOptions,
    place: {
      type: "list",
      placeholder: "url",
      description: "another place that the inputs are brought to",
      isWebAddress: true,
    },
    allowInternal: allowInternalOption,
    detach: { type: "flag", description: "do not wait for the result: ogpu job watch and result do" },
  },
  examples: [
    {
      command: "ogpu job submit --from 0 compute/examples/digits/digits.onnx --input compute/examples/digits/seven.png",
      description: "which digit is on the picture? a task for two racing providers",
    },
    {
      command:
        "ogpu job submit --from 0 --example heat-equation --example-size 64 --example-steps 40 --budget 1 --segments 4",
      description: "a simulation from a CUDA kernel, auctioned, verified in four parts",
    },
  ],
  async run({ args: [model], options }, context) {
    checkTerms(options, PATH);
    const key = await senderKey(options, PATH);
    const work = await loadWork(model, options, PATH);
    const session = new MarketSession(options.rpc, key, {
      allowInternal: options.allowInternal,
      places: options.place,
    });
    try {
      return await submit(session, work, options, context);
    } finally {
      session.close();
    }
  },
});

type SubmitOptions = TermOptions & { readonly place: readonly string[]; readonly detach: boolean };

async function submit(
  session: MarketSession,
  work: Work,
  options: SubmitOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { progress, report } = context;
  const budget = options.budget === undefined ? undefined : readValue("--budget", options.budget, PATH, parseOgpu);
  if (budget !== undefined) {
    requireAffordable(budget, await callQuantity(session.link.url, "eth_getBalance", [session.account, "latest"]));
  }
  if (options.source !== undefined) {
    requireSourceOf(work.address, BigInt(options.source), await session.source(BigInt(options.source)));
  }
  const places = [session.link.url, ...options.place, ...(await providerPlaces(session.link, options.tier))];
  await bringBlobs([...work.inputs, ...work.constants], places, session.web, progress);
  await session.publish(work, progress);
  const job = await enter(session, work, { ...options, budget }, progress);
  if (options.detach) {
    report({ job, program: work.address }, `job ${job}`);
    return 0;
  }
  context.event({ event: "submitted", job, program: work.address });
  const ended = await followJob(session, job, context);
  if (ended === undefined) return 1;
  if (ended.job.status !== 6 || ended.job.traps) {
    report({ job, receipt: ended.receipt }, receiptText(ended.receipt));
    return 1;
  }
  const names = work.program.outputs.map((buffer) => work.program.buffers[buffer]?.name ?? "");
  const shown = await work.show(await fetchOutputs(session, ended.job, names));
  report(
    { job, program: work.address, result: shown.value, receipt: ended.receipt },
    `${shown.text}\n\n${receiptText(ended.receipt)}`,
  );
  return 0;
}

/** Into the pool, or into an auction. */
async function enter(
  session: MarketSession,
  { address, inputs }: Work,
  options: Omit<TermOptions, "budget"> & { readonly budget: bigint | undefined },
  progress: (text: string) => void,
): Promise<bigint> {
  const addresses = inputs.map((input) => input.address);
  const { budget } = options;
  if (budget !== undefined) {
    progress("posting the job for bids");
    return await session.postJob(address, addresses, { ...options, budget });
  }
  const source =
    options.source === undefined ? await sourceFor(session, address, options, progress) : BigInt(options.source);
  progress(`submitting a task to source ${source}`);
  return await session.submitTask(source, addresses);
}

async function sourceFor(
  session: MarketSession,
  program: Work["address"],
  options: Omit<TermOptions, "budget">,
  progress: (text: string) => void,
): Promise<bigint> {
  const { tier, seats, assurance } = options;
  const isFit = (source: Awaited<ReturnType<MarketSession["sources"]>>[number]): boolean =>
    source.program === program && source.tier === tier && source.seats === seats && source.assurance === assurance;
  const found = (await session.sources(true)).find(isFit);
  if (found !== undefined) return found.id;
  progress("making a source for tasks of this program");
  return await session.createSource(program, options);
}
