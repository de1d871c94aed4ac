/**
 * Stands in for compute/onnx/evaluate.ts in the browser: the interpreter runs the launch, since the page's policy lets no
 * WebAssembly be compiled. Both give the same bits.
 */
import type { BuiltLaunch } from "../../compute/onnx/built-launch.ts";
import { reject } from "../../compute/onnx/errors.ts";
import { blockAt, blockCount } from "../../compute/program/tiles.ts";
import { type CheckedKernel, checkKernel } from "../../compute/ptx/check.ts";
import { interpretBlock } from "../../compute/ptx/interpreter/interpret.ts";
import { windowOf } from "../../compute/ptx/run-tile.ts";

const checked = new Map<string, CheckedKernel>();

function checkedOf({ kernel: { ptx, entry } }: BuiltLaunch): CheckedKernel {
  const found = checked.get(ptx) ?? checkKernel(ptx, entry);
  checked.set(ptx, found);
  return found;
}

/** `contents`: of every store that the launch names; those that it writes are filled. */
export function evaluateLaunch(launch: BuiltLaunch, contents: Map<number, Uint8Array>): void {
  const stores = [...contents.keys()];
  const buffers = stores.map((store) => contents.get(store)?.slice() ?? new Uint8Array(0));
  const { grid, block } = launch;
  const shape = {
    ...{ grid, block, dynamicShared: 0 },
    arguments: launch.arguments.map((argument) =>
      argument instanceof Uint8Array
        ? ({ kind: "bytes", bytes: argument } as const)
        : ({ kind: "buffer", buffer: stores.indexOf(argument.store) } as const),
    ),
  };
  for (let index = 0; index < blockCount(grid); index++) {
    const at = blockAt(index, grid);
    const windows = new Map(
      launch.arguments.flatMap((argument, parameter) => {
        const spec = argument instanceof Uint8Array ? undefined : launch.tiles.get(argument.store);
        if (spec === undefined || argument instanceof Uint8Array) return [];
        return [[parameter, windowOf(spec, at, grid, contents.get(argument.store)?.length ?? 0)] as const];
      }),
    );
    const task = { checked: checkedOf(launch), shape, buffers, windows, block: at, fuel: launch.fuel };
    const outcome = interpretBlock(task);
    if (outcome.kind === "trap") reject("ONNX_FORMAT", `${launch.kernel.entry} traps on constants: ${outcome.reason}`);
  }
  stores.forEach((store, i) => void contents.set(store, buffers[i] as Uint8Array));
}
