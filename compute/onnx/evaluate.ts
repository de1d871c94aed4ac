/** Runs one launch while lowering, on the engine that defines results. */
import { blockAt, blockCount } from "../program/tiles.ts";
import { type CheckedKernel, checkKernel } from "../ptx/check.ts";
import { type CompiledKernel, compileKernel } from "../ptx/wasm/compile.ts";
import { Machine, scratchBytes } from "../ptx/wasm/machine.ts";
import type { BuiltLaunch } from "./built-launch.ts";
import { reject } from "./errors.ts";

/** By text: the kernels are few, and the same for every model. */
const compiled = new Map<string, CompiledKernel>();

function compiledOf({ kernel: { ptx, entry } }: BuiltLaunch): CompiledKernel {
  const found = compiled.get(ptx);
  if (found !== undefined) return found;
  const checked: CheckedKernel = checkKernel(ptx, entry);
  const made = compileKernel(checked);
  compiled.set(ptx, made);
  return made;
}

/** `contents`: of every store that the launch names; those that it writes are filled. */
export function evaluateLaunch(launch: BuiltLaunch, contents: Map<number, Uint8Array>): void {
  const kernel = compiledOf(launch);
  const threads = blockCount(launch.block);
  const stores = [...contents.keys()];
  const machine = new Machine(
    scratchBytes(kernel, threads),
    stores.map((store) => Math.max(1, contents.get(store)?.length ?? 0)),
  );
  stores.forEach((store, i) => {
    machine.buffer(i).set(contents.get(store) as Uint8Array);
  });
  const loaded = machine.load(kernel);
  loaded.begin({
    ...{ grid: launch.grid, block: launch.block, dynamicShared: 0 },
    arguments: launch.arguments.map((argument) =>
      argument instanceof Uint8Array
        ? { kind: "bytes", bytes: argument }
        : { kind: "buffer", buffer: stores.indexOf(argument.store) },
    ),
  });
  for (let block = 0; block < blockCount(launch.grid); block++) {
    const outcome = loaded.runBlock(blockAt(block, launch.grid), launch.fuel);
    if (outcome.kind === "trap") reject("ONNX_FORMAT", `${launch.kernel.entry} traps on constants: ${outcome.reason}`);
  }
  stores.forEach((store, i) => {
    const length = contents.get(store)?.length ?? 0;
    contents.set(store, machine.buffer(i).slice(0, length));
  });
}
