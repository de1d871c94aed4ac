/** What the job commands take: what to compute, and on which terms. */
import type { IntegerOption, ListOption, OptionValues, StringOption } from "../command.ts";
import { usageError } from "../failure.ts";
import { flagName } from "../parse.ts";

type WithDefault<Spec, Value> = Spec & { readonly default: Value };

type WorkOptionSpecs = {
  readonly input: ListOption;
  readonly out: ListOption;
  readonly size: ListOption;
  readonly layout: StringOption;
  readonly scale: StringOption;
  readonly mean: WithDefault<StringOption, string>;
  readonly std: WithDefault<StringOption, string>;
  readonly labels: StringOption;
  readonly program: StringOption;
  readonly example: StringOption;
  readonly exampleSize: IntegerOption;
  readonly exampleSteps: IntegerOption;
  readonly ptx: StringOption;
  readonly entry: StringOption;
  readonly grid: WithDefault<StringOption, string>;
  readonly block: WithDefault<StringOption, string>;
  readonly shared: WithDefault<IntegerOption, number>;
  readonly arg: ListOption;
  readonly tile: ListOption;
  readonly fuel: IntegerOption;
  readonly bytes: IntegerOption;
};

/** As `ogpu compute run` takes them. */
export const workOptions: WorkOptionSpecs = {
  input: {
    type: "list",
    placeholder: "[name=]file",
    description: "npy, json or png for an input of a model (--program: raw)",
  },
  out: { type: "list", placeholder: "[name=]file", description: "where an output goes: npy, json, png (others: raw)" },
  size: { type: "list", placeholder: "name=number", description: "a size that the model only names" },
  layout: {
    ...{ type: "string", placeholder: "layout", choices: ["nchw", "nhwc"] },
    description: "where an image's channels are; told from the model's shape if not given",
  },
  scale: { type: "string", placeholder: "number", description: "of an image's bytes; 1/255 for floats, else 1" },
  mean: { type: "string", placeholder: "numbers", description: "of an image's channels, after scaling", default: "0" },
  std: { type: "string", placeholder: "numbers", description: "of an image's channels, after scaling", default: "1" },
  labels: { type: "string", placeholder: "file", description: "names of the classes, one in each line" },
  program: { type: "string", placeholder: "file", description: "an encoded program (docs/spec/job-program.md)" },
  example: { type: "string", placeholder: "name", description: "an example's kernel (see: ogpu compute example)" },
  exampleSize: { type: "integer", placeholder: "number", description: "how large the example is", min: 1 },
  exampleSteps: { type: "integer", placeholder: "number", description: "how long the example is", min: 1 },
  ptx: { type: "string", placeholder: "file", description: "the PTX text of a kernel" },
  entry: { type: "string", placeholder: "name", description: "the kernel" },
  grid: { type: "string", placeholder: "XxYxZ", description: "thread blocks", default: "1" },
  block: { type: "string", placeholder: "XxYxZ", description: "threads of a block", default: "1" },
  shared: { type: "integer", placeholder: "bytes", description: "dynamic shared memory", default: 0 },
  arg: { type: "list", placeholder: "value", description: "the kernel's next argument" },
  tile: { type: "list", placeholder: "name=tile", description: "what a block owns of a buffer" },
  fuel: {
    type: "integer",
    placeholder: "units",
    description: "compute units of a tile (default: twice what is measured)",
    min: 1,
  },
  bytes: {
    type: "integer",
    placeholder: "bytes",
    description: "bytes that a tile may touch (default: twice what is measured)",
    min: 1,
  },
};

type TermOptionSpecs = {
  readonly source: IntegerOption;
  readonly budget: StringOption;
  readonly segments: WithDefault<IntegerOption, number>;
  readonly tier: WithDefault<IntegerOption, number>;
  readonly racers: WithDefault<IntegerOption, number>;
  readonly seats: WithDefault<IntegerOption, number>;
  readonly assurance: WithDefault<IntegerOption, number>;
  readonly taskSeconds: WithDefault<IntegerOption, number>;
  readonly bidSeconds: WithDefault<IntegerOption, number>;
  readonly jobSeconds: WithDefault<IntegerOption, number>;
};

const seconds = (description: string, usual: number): WithDefault<IntegerOption, number> => ({
  ...{ type: "integer", placeholder: "seconds", description, default: usual, min: 1 },
});

export const termOptions: TermOptionSpecs = {
  source: {
    type: "integer",
    placeholder: "n",
    description: "the source for a pool task (default: one with the same program, or a new one)",
    min: 1,
  },
  budget: { type: "string", placeholder: "oGPU", description: "auction it instead: what workers are paid, at most" },
  segments: {
    type: "integer",
    placeholder: "n",
    description: "of an auction: parts that are verified and paid one by one",
    default: 1,
    min: 1,
    max: 4096,
  },
  tier: { type: "integer", placeholder: "n", description: "of the hardware", default: 0, max: 15 },
  racers: {
    type: "integer",
    placeholder: "n",
    description: "of a new source: providers that race, at most",
    default: 2,
    min: 1,
    max: 16,
  },
  seats: {
    type: "integer",
    placeholder: "n",
    description: "verifiers that check a random tile each",
    default: 3,
    min: 1,
    max: 64,
  },
  assurance: {
    type: "integer",
    placeholder: "n",
    description: "0 puts to the vote what the seats doubt, 1 all that they check",
    default: 0,
    max: 1,
  },
  taskSeconds: seconds("of a new source: how long racers have", 60),
  bidSeconds: seconds("of an auction: how long bids are taken", 4),
  jobSeconds: seconds("of an auction: how long it may take in all", 600),
};

export type TermOptions = OptionValues<TermOptionSpecs>;

/** Refuses what would be ignored: terms of an auction for a pool task, and the other way round. */
export function checkTerms({ budget, source, ...terms }: TermOptions, path: string): void {
  const hint = `See: ${path} --help`;
  if (budget === undefined) {
    const given = (["segments", "bidSeconds", "jobSeconds"] as const).find(
      (name) => terms[name] !== termOptions[name].default,
    );
    if (given !== undefined) throw usageError(`--${flagName(given)} is of an auction: give --budget too`, hint);
  } else if (source !== undefined) {
    throw usageError("--source is of a pool task, and --budget auctions the job: leave one out", hint);
  }
}
