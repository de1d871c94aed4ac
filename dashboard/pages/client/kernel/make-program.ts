/**
 * A program of one launch, checked as the chain checks it. What its tiles may use is twice what the first, the middle and the
 * last one use, as `ogpu job submit` has it: the interpreter tries them, since the page may not compile WebAssembly.
 */
import { encodeProgram } from "../../../../compute/program/codec.ts";
import { CHUNK_BYTES } from "../../../../compute/program/merkle.ts";
import { scheduleOf } from "../../../../compute/program/schedule.ts";
import { blockAt, blockCount, isWhole } from "../../../../compute/program/tiles.ts";
import type { CheckedKernel } from "../../../../compute/ptx/check.ts";
import { type CheckedProgram, checkProgram } from "../../../../compute/ptx/check-program.ts";
import { interpretBlock } from "../../../../compute/ptx/interpreter/interpret.ts";
import { windowOf } from "../../../../compute/ptx/run-tile.ts";
import { type Budget, bufferName, DraftProblem, type LaunchDraft, namedBudget, programOf } from "./launch-draft.ts";

/** Compute units that are tried for one tile: about a second of the interpreter. */
const MOST_FUEL = 1_000_000;
/** Bytes of all buffers while tiles are tried. */
const MOST_MEMORY: number = 256 << 20;
/** Other tiles may need more than those that were tried. */
const ROOM = 2;
/** While nothing is known. */
const ANY: Budget = { fuel: 2 ** 36, bytes: 2 ** 32 };

/** Encoded. Throws what is wrong with the draft or the program. */
export function makeProgram(ptx: string, kernel: CheckedKernel, draft: LaunchDraft): Uint8Array {
  const named = namedBudget(draft);
  const { fuel, bytes } = { ...ANY, ...named };
  const checked = checkProgram(programOf(ptx, kernel, draft, { fuel, bytes }));
  if (named.fuel !== undefined && named.bytes !== undefined) return encodeProgram(checked.program);
  const measured = measure(checked, contentsOf(checked, kernel, draft));
  const program = programOf(ptx, kernel, draft, { ...measured, ...named });
  checkProgram(program);
  return encodeProgram(program);
}

function contentsOf({ program }: CheckedProgram, kernel: CheckedKernel, draft: LaunchDraft): readonly Uint8Array[] {
  const total = program.buffers.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > MOST_MEMORY) {
    throw new DraftProblem(
      "The buffers are too large to try the kernel here: name the compute units and bytes of a tile.",
    );
  }
  const files = new Map(draft.arguments.map(({ file }, parameter) => [bufferName(kernel, parameter), file]));
  return program.buffers.map(({ name, bytes }) => files.get(name)?.bytes.slice() ?? new Uint8Array(bytes));
}

function measure({ program, kernels }: CheckedProgram, buffers: readonly Uint8Array[]): Budget {
  const [scheduled] = scheduleOf(program);
  const [checked] = kernels;
  if (scheduled === undefined || checked === undefined) throw new DraftProblem("The program has no launch.");
  const { launch } = scheduled;
  const blocks = blockCount(launch.grid);
  const tried = isWhole(launch)
    ? [Array.from({ length: blocks }, (_, block) => block)]
    : [...new Set([0, Math.floor(blocks / 2), blocks - 1])].map((block) => [block]);
  const shape = { ...launch, arguments: scheduled.arguments };
  let [fuel, chunks] = [1, 1];
  for (const tile of tried) {
    const touched = new Set<string>();
    let used = 0;
    for (const index of tile) {
      const block = blockAt(index, launch.grid);
      const windows = new Map(
        launch.tiles.map(({ parameter, tile: spec }) => {
          const argument = scheduled.arguments[parameter];
          const length = argument?.kind === "buffer" ? (buffers[argument.buffer]?.length ?? 0) : 0;
          return [parameter, windowOf(spec, block, launch.grid, length)];
        }),
      );
      const outcome = interpretBlock({ checked, shape, buffers, windows, block, fuel: MOST_FUEL - used, touched });
      if (outcome.kind === "trap") throw trapProblem(outcome.reason, outcome.line, index);
      used += outcome.fuel;
    }
    fuel = Math.max(fuel, used);
    chunks = Math.max(chunks, touched.size);
  }
  return { fuel: ROOM * fuel, bytes: ROOM * chunks * CHUNK_BYTES };
}

function trapProblem(reason: string, line: number, block: number): DraftProblem {
  return new DraftProblem(
    reason === "FUEL"
      ? "A tile takes longer than this page tries: name the compute units and bytes of a tile."
      : `Block ${block} stops with ${reason} at line ${line} when it is tried here.`,
  );
}
