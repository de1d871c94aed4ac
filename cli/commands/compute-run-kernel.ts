/** One kernel of a PTX file, run as a program of one launch. */
import { readFile, writeFile } from "node:fs/promises";
import { bytesToHex } from "../../base/bytes.ts";
import { CheckingEngine } from "../../compute/device/checking-engine.ts";
import { type ProgramResult, runProgram } from "../../compute/device/run-program.ts";
import { WasmEngine } from "../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../compute/program/codec.ts";
import { segmentRoot } from "../../compute/program/commitment.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import type { CommandContext, ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { factTable } from "../table.ts";
import { inputFiles, launchProgram } from "./compute-launch.ts";
import { addressesOf, leafOf } from "./compute-progress.ts";

export interface KernelOptions {
  readonly ptx: string;
  readonly entry: string;
  readonly grid: string;
  readonly block: string;
  readonly shared: number;
  readonly arg: readonly string[];
  readonly tile: readonly string[];
  readonly out: readonly string[];
  readonly fuel: number;
  readonly bytes: number;
  readonly checked: boolean;
}

export async function runKernel(options: KernelOptions, { report, signal }: CommandContext): Promise<ExitCode> {
  const inputs = new Map<string, Uint8Array>();
  for (const { name, file } of inputFiles(options.arg)) inputs.set(name, new Uint8Array(await readFile(file)));
  const program = launchProgram({
    ...{ ptx: await readFile(options.ptx, "utf8"), args: options.arg, tiles: options.tile },
    ...{ entry: options.entry, grid: options.grid, block: options.block, shared: options.shared },
    ...{ fuel: options.fuel, bytes: options.bytes },
    sizes: new Map([...inputs].map(([name, { length }]) => [name, length])),
  });
  const files = outputFiles(options.out);
  const checked = checkProgram(program);
  const engine = options.checked ? new CheckingEngine(checked) : new WasmEngine(checked);
  const leaves: Uint8Array[] = [];
  const result = runProgram(checked, engine, inputs, {
    signal,
    onLaunch: (launch) => void leaves.push(leafOf(launch, addressesOf(launch))),
  });
  const facts = factsOf(result);
  const value = { program: bytesToHex(contentAddress(encodeProgram(program))), ...facts };
  if (result.kind === "trap") {
    report(value, factTable(Object.entries(value).map(([name, fact]) => [name, String(fact)])));
    return 1;
  }
  for (const [name, file] of files) {
    const contents = result.outputs.get(name);
    if (contents === undefined)
      throw usageError(`--out ${name}: the kernel does not write that buffer`, "Give that buffer a --tile.");
    await writeFile(file, contents);
  }
  const whole = { ...value, commitment: bytesToHex(segmentRoot(leaves)) };
  report(whole, factTable(Object.entries(whole).map(([name, fact]) => [name, String(fact)])));
  return 0;
}

function outputFiles(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw usageError(`--out ${word}: expected name=file`, "See ogpu compute run --help.");
      return [word.slice(0, at), word.slice(at + 1)] as const;
    }),
  );
}

function factsOf(result: ProgramResult): Readonly<Record<string, string | number>> {
  if (result.kind === "trap") {
    const { reason, line, launch, tile } = result.trap;
    return { outcome: "trap", reason, line, launch, tile };
  }
  const outputs = [...result.outputs].map(([name, contents]) => [name, bytesToHex(contentAddress(contents))] as const);
  return { outcome: "done", fuel: result.fuel, ...Object.fromEntries(outputs) };
}
