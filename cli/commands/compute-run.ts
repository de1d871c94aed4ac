import { readFile, writeFile } from "node:fs/promises";
import { bytesToHex } from "../../base/bytes.ts";
import { CheckingEngine } from "../../compute/device/checking-engine.ts";
import { type ProgramResult, runProgram } from "../../compute/device/run-program.ts";
import { WasmEngine } from "../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../compute/program/codec.ts";
import { commitBuffer, launchLeaf, segmentRoot } from "../../compute/program/commitment.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { type Command, defineCommand } from "../command.ts";
import { usageError } from "../failure.ts";
import { factTable } from "../table.ts";
import { inputFiles, launchProgram } from "./compute-launch.ts";

export const computeRun: Command = defineCommand({
  name: "run",
  summary: "Run one kernel of a PTX file on this machine's CPU, bit for bit as a GPU would",
  details:
    "Arguments come in the order of the kernel's parameters: numbers as i32:5 or f32:1.5, buffers as name=in:file or " +
    "name=zero:bytes. Each buffer that the kernel writes needs a tile, which says what a thread block owns: name=run:bytes, " +
    "name=rows:pitch,width,rows,plane or name=whole (docs/spec/job-program.md). Exit code 1 when the kernel traps.",
  options: {
    ptx: { type: "string", placeholder: "file", description: "the PTX text", required: true },
    entry: { type: "string", placeholder: "name", description: "the kernel", required: true },
    grid: { type: "string", placeholder: "XxYxZ", description: "thread blocks", default: "1" },
    block: { type: "string", placeholder: "XxYxZ", description: "threads of a block", default: "1" },
    shared: { type: "integer", placeholder: "bytes", description: "dynamic shared memory", default: 0 },
    arg: { type: "list", placeholder: "value", description: "the next argument" },
    tile: { type: "list", placeholder: "name=tile", description: "what a block owns of a buffer" },
    out: { type: "list", placeholder: "name=file", description: "where a buffer goes after the run" },
    fuel: { type: "integer", placeholder: "units", description: "compute units of a tile", default: 2 ** 36 },
    bytes: { type: "integer", placeholder: "bytes", description: "bytes that a tile may touch", default: 2 ** 32 },
    checked: { type: "flag", description: "interpret with all checks, races included; slow" },
  },
  examples: [
    {
      command:
        "ogpu compute run --ptx saxpy.ptx --entry saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 " +
        "--arg x=in:x.bin --arg y=in:y.bin --tile y=run:1024 --out y=result.bin",
      description: "y = 2x + y for 1,000 floats, 256 per block",
    },
  ],
  async run({ options }, { report, signal }) {
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
    const seed = new Uint8Array(32);
    const leaves: Uint8Array[] = [];
    const result = runProgram(checked, engine, inputs, {
      signal,
      onLaunch: ({ scheduled: { index, launch }, written }) => {
        const versions = written.map(({ buffer, tile, contents }) => ({
          buffer,
          root: commitBuffer(contents, tile, launch.grid, index, buffer, seed).root,
        }));
        leaves.push(launchLeaf(index, { kind: "done", versions }));
      },
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
  },
});

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
