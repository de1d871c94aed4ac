/** What somebody wants computed, from a model, a kernel, an example or a program file, and how its result is shown. */
import { readFile, writeFile } from "node:fs/promises";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { EXAMPLES } from "../../compute/examples/examples.ts";
import { decodeProgram, encodeProgram } from "../../compute/program/codec.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import type { Program } from "../../compute/program/types.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { inputFiles, launchProgram } from "../commands/compute-launch.ts";
import { loadModel, type ModelFiles } from "../commands/compute-run-model.ts";
import { tensorText } from "../commands/compute-summary.ts";
import { usageError } from "../failure.ts";
import { factTable } from "../table.ts";
import { measuredBudget } from "./measured-budget.ts";

export interface WorkOptions extends ModelFiles {
  readonly program: string | undefined;
  readonly example: string | undefined;
  readonly exampleSize: number | undefined;
  readonly exampleSteps: number | undefined;
  readonly ptx: string | undefined;
  readonly entry: string | undefined;
  readonly grid: string;
  readonly block: string;
  readonly shared: number;
  readonly arg: readonly string[];
  readonly tile: readonly string[];
  readonly fuel: number | undefined;
  readonly bytes: number | undefined;
}

export interface Blob {
  readonly name: string;
  readonly address: Hex;
  readonly contents: Uint8Array;
}

export interface ShownResult {
  readonly value: unknown;
  readonly text: string;
}

export interface Work {
  readonly program: Program;
  readonly encoding: Uint8Array;
  readonly address: Hex;
  /** In the order of the program's input buffers. */
  readonly inputs: readonly Blob[];
  readonly constants: readonly Blob[];
  /** Writes outputs where that was asked for, and describes them. By the names of the program's buffers. */
  show(outputs: ReadonlyMap<string, Uint8Array>): Promise<ShownResult>;
}

interface Contents {
  readonly program: Program;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly constants?: ReadonlyMap<string, Uint8Array>;
  show(outputs: ReadonlyMap<string, Uint8Array>): Promise<ShownResult>;
}

/** `path` is of the command, for its help. Throws what is wrong with the words, the files and the program. */
export async function loadWork(model: string | undefined, options: WorkOptions, path: string): Promise<Work> {
  const hint = `See: ${path} --help`;
  const ways = [model, options.program, options.example, options.ptx].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw usageError("say what to compute: one of a model, --program, --example, or --ptx with --entry", hint);
  }
  const contents = await contentsOf(model, options, hint);
  const { program } = contents;
  checkProgram(program);
  const encoding = encodeProgram(program);
  const blobs = (kind: string, from: ReadonlyMap<string, Uint8Array>): readonly Blob[] =>
    program.buffers.flatMap((buffer) => {
      if (buffer.kind !== kind) return [];
      const bytes = from.get(buffer.name);
      if (bytes === undefined)
        throw usageError(`${kind} ${buffer.name} has no contents`, "Give it as --input name=file.");
      if (bytes.length !== buffer.bytes) {
        throw usageError(`${kind} ${buffer.name} has ${buffer.bytes} bytes, the file ${bytes.length}`, hint);
      }
      return [{ name: buffer.name, contents: bytes, address: bytesToHex(contentAddress(bytes)) }];
    });
  return {
    ...{ program, encoding, address: bytesToHex(contentAddress(encoding)) },
    inputs: blobs("input", contents.inputs),
    constants: blobs("constant", contents.constants ?? contents.inputs),
    show: (outputs) => contents.show(outputs),
  };
}

function contentsOf(model: string | undefined, options: WorkOptions, hint: string): Promise<Contents> {
  if (model !== undefined) return modelContents(model, options);
  if (options.example !== undefined) return exampleContents(options.example, options, hint);
  if (options.program !== undefined) return programContents(options.program, options, hint);
  return kernelContents(options, hint);
}

async function modelContents(file: string, options: WorkOptions): Promise<Contents> {
  const { imported, inputs, finish } = await loadModel(file, options);
  return {
    ...{ program: imported.program, inputs, constants: imported.constants },
    show: async (outputs) => {
      const described = await finish(outputs);
      return { value: described, text: described.map(tensorText).join("\n\n") };
    },
  };
}

async function exampleContents(name: string, options: WorkOptions, hint: string): Promise<Contents> {
  const example = EXAMPLES.find((each) => each.name === name);
  if (example === undefined) {
    throw usageError(`no example is called ${name}`, `There are ${EXAMPLES.map((each) => each.name).join(", ")}.`);
  }
  const size = options.exampleSize ?? example.size.usual;
  const steps = options.exampleSteps ?? example.steps.usual;
  if (size > example.size.most || steps > example.steps.most) {
    throw usageError(`${name} takes at most size ${example.size.most} and ${example.steps.most} steps`, hint);
  }
  const { program, inputs, show } = example.make({ size, steps, picture: undefined, variant: undefined });
  return {
    ...{ program, inputs },
    show: async (outputs) => {
      await writeRaw(options.out, outputs, hint);
      const { facts } = show(outputs);
      return { value: facts, text: factTable(Object.entries(facts).map(([fact, value]) => [fact, String(value)])) };
    },
  };
}

async function programContents(file: string, options: WorkOptions, hint: string): Promise<Contents> {
  const program = decodeProgram(new Uint8Array(await readFile(file)));
  const inputs = new Map<string, Uint8Array>();
  for (const [name, path] of pairs(options.input, "input", hint))
    inputs.set(name, new Uint8Array(await readFile(path)));
  return { program, inputs, show: rawShow(options, hint) };
}

async function kernelContents(options: WorkOptions, hint: string): Promise<Contents> {
  const { ptx, entry, grid, block, shared, arg, tile } = options;
  if (ptx === undefined || entry === undefined) throw usageError("--ptx needs --entry, the kernel's name", hint);
  const inputs = new Map<string, Uint8Array>();
  for (const { name, file } of inputFiles(arg)) inputs.set(name, new Uint8Array(await readFile(file)));
  const text = await readFile(ptx, "utf8");
  const sizes = new Map([...inputs].map(([name, { length }]) => [name, length]));
  const words = { ptx: text, entry, grid, block, shared, args: arg, tiles: tile, sizes };
  const build = (fuel: number, bytes: number): Program => launchProgram({ ...words, fuel, bytes });
  const budget = measuredBudget(build, inputs, options);
  return { program: build(budget.fuel, budget.bytes), inputs, show: rawShow(options, hint) };
}

function rawShow({ out }: WorkOptions, hint: string): Contents["show"] {
  return async (outputs) => {
    await writeRaw(out, outputs, hint);
    const rows = [...outputs].map(
      ([name, bytes]) => [name, `${bytesToHex(contentAddress(bytes))}, ${bytes.length} bytes`] as const,
    );
    return { value: Object.fromEntries(rows), text: factTable(rows.map(([name, fact]) => [name, fact])) };
  };
}

async function writeRaw(
  words: readonly string[],
  outputs: ReadonlyMap<string, Uint8Array>,
  hint: string,
): Promise<void> {
  for (const [name, file] of pairs(words, "out", hint)) {
    const contents = outputs.get(name);
    if (contents === undefined) throw usageError(`--out ${name}: there is ${[...outputs.keys()].join(", ")}`, hint);
    await writeFile(file, contents);
  }
}

function pairs(words: readonly string[], option: string, hint: string): readonly (readonly [string, string])[] {
  return words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw usageError(`--${option} ${word}: expected name=file`, hint);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
}
