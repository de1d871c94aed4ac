import { readFile, writeFile } from "node:fs/promises";
import { bytesToHex } from "../../base/bytes.ts";
import type { Example, Picture } from "../../compute/examples/example.ts";
import { EXAMPLES } from "../../compute/examples/examples.ts";
import { decodeImage, encodeImage } from "../../compute/onnx/files/image.ts";
import type { ImageOptions } from "../../compute/onnx/files/image-tensor.ts";
import { encodeProgram } from "../../compute/program/codec.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { type Command, defineCommand } from "../command.ts";
import { usageError } from "../failure.ts";
import { nearest } from "../nearest.ts";
import { columns, factTable } from "../table.ts";
import { runWithBar } from "./compute-progress.ts";
import { deviceOf } from "./compute-run-model.ts";

const HINT = "See: ogpu compute example --help";
const BYTES: ImageOptions = { layout: "nhwc", scale: 1, mean: [0], std: [1] };

export const computeExample: Command = defineCommand({
  name: "example",
  summary: "Run an example of verifiable work: a search, a simulation, a sort, a filter, a training",
  details:
    "Without a name it lists them. Each is a CUDA source in compute/examples, compiled to PTX, and a function that makes a " +
    "program of it; docs/examples.md explains them one by one. Those that make a picture write it with --out.",
  args: [{ name: "name", description: "which one", optional: true }],
  options: {
    size: { type: "integer", placeholder: "number", description: "how large; the list says what it counts", min: 1 },
    steps: { type: "integer", placeholder: "number", description: "how long; the list says what it counts", min: 1 },
    input: { type: "string", placeholder: "image.png", description: "the image of image-filter" },
    filter: { type: "string", placeholder: "name", description: "of image-filter: blur, sharpen, edges or emboss" },
    out: { type: "string", placeholder: "image.png", description: "where the picture goes" },
    device: { type: "string", placeholder: "device", description: "cpu, wasm or cuda:N", default: "cpu" },
    cudaLibrary: { type: "string", placeholder: "file", description: "another driver library than libcuda.so.1" },
    commit: { type: "flag", description: "also commit to every tile of every launch" },
  },
  examples: [
    { command: "ogpu compute example", description: "the list" },
    { command: "ogpu compute example heat-equation --out plate.png", description: "a picture of a plate that cools" },
    {
      command: "ogpu compute example image-filter --input photo.png --filter edges --out edges.png",
      description: "an image's edges",
    },
  ],
  async run({ args: [name], options }, context) {
    if (name === undefined) {
      context.report(EXAMPLES.map(describe), listText());
      return 0;
    }
    const example = find(name);
    const size = within(example, "size", options.size);
    const steps = within(example, "steps", options.steps);
    const variant = variantOf(example, options.filter);
    if (options.input !== undefined && example.variants.length === 0) {
      throw usageError(`--input: ${name} takes no image`, HINT);
    }
    const picture = options.input === undefined ? undefined : await readPicture(options.input);
    const { program, inputs, show } = example.make({ size, steps, picture, variant });
    const device = deviceOf(options.device, options.cudaLibrary);
    const checked = checkProgram(program);
    const run = await runWithBar(program, context, options.commit, (how) => device.run(checked, inputs, how));
    const { result, launches, milliseconds, commitment } = run;
    const about = {
      ...{ example: name, program: bytesToHex(contentAddress(encodeProgram(program))), device: device.name },
      ...{ launches, milliseconds, ...(commitment === undefined ? {} : { commitment }) },
    };
    if (result.kind === "trap") {
      context.report(
        { ...about, outcome: "trap", ...result.trap },
        textOf({ ...about, outcome: "trap", ...result.trap }),
      );
      return 1;
    }
    const { facts, picture: made } = show(result.outputs);
    if (options.out !== undefined) await writePicture(example, made, options.out);
    const outputs = [...result.outputs].map(([output, bytes]) => [output, bytesToHex(contentAddress(bytes))] as const);
    context.report({ ...about, outcome: "done", facts, outputs: new Map(outputs) }, textOf({ ...about, ...facts }));
    return 0;
  },
});

function textOf(facts: Readonly<Record<string, unknown>>): string {
  return factTable(Object.entries(facts).map(([name, fact]) => [name, String(fact)]));
}

function describe({ name, summary, size, steps }: Example): unknown {
  return { name, summary, size, steps };
}

function listText(): string {
  const rows = EXAMPLES.map(({ name, summary, size, steps }) => [
    ...[name, summary, `${size.means} (${size.usual})`, steps.most === 1 ? "" : `${steps.means} (${steps.usual})`],
  ]);
  return columns(["example", "", "--size", "--steps"], rows);
}

function find(name: string): Example {
  const found = EXAMPLES.find((example) => example.name === name);
  if (found !== undefined) return found;
  const names = EXAMPLES.map((example) => example.name);
  const meant = nearest(name, names);
  throw usageError(
    `no example is called ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    `There are ${names.join(", ")}.`,
  );
}

function within(example: Example, what: "size" | "steps", given: number | undefined): number {
  const { usual, most, means } = example[what];
  if (given !== undefined && given > most) throw usageError(`--${what} ${given}: ${most} ${means} are the most`, HINT);
  return given ?? usual;
}

function variantOf({ name, variants }: Example, given: string | undefined): string | undefined {
  if (given === undefined || variants.includes(given)) return given;
  throw usageError(`--filter ${given}: ${name} has ${variants.length === 0 ? "none" : variants.join(", ")}`, HINT);
}

async function readPicture(file: string): Promise<Picture> {
  const wanted = { name: "image", type: "u8", shape: [undefined, undefined, 4] } as const;
  const { shape, bytes } = decodeImage(new Uint8Array(await readFile(file)), wanted, BYTES);
  const [height = 0, width = 0] = shape;
  return { width, height, data: bytes };
}

async function writePicture({ name }: Example, picture: Picture | undefined, file: string): Promise<void> {
  if (picture === undefined) throw usageError(`--out: ${name} makes no picture`, HINT);
  const { width, height, data } = picture;
  await writeFile(file, encodeImage({ type: "u8", shape: [height, width, 4], bytes: data }, BYTES));
}
