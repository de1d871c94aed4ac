/** The compiler: a checked kernel becomes a WebAssembly module with one exported function for each region. */
import type { BitRows } from "../bit-rows.ts";
import type { CheckedKernel } from "../check.ts";
import { liveRegisters } from "../data-flow.ts";
import { fail } from "../errors.ts";
import type { Instruction, Kernel } from "../ir.ts";
import * as limits from "../limits.ts";
import { Code, ModuleBuilder } from "./assembler.ts";
import { Emitter } from "./emitter.ts";
import { addHelpers, type HelperName, IMPORTS } from "./helpers.ts";
import * as at from "./layout.ts";
import { RegionWriter } from "./region.ts";
import { regionGraph } from "./structure.ts";

/** A place where threads wait; state 0 is the start of the kernel. */
export interface CompiledState {
  /** `undefined` for the start. */
  readonly wait: Instruction | undefined;
  /** Registers of a thread that live through the wait: they are written to its frame, and read again. */
  readonly live: number;
}

export interface CompiledKernel {
  readonly checked: CheckedKernel;
  readonly layout: at.KernelLayout;
  readonly states: readonly CompiledState[];
  /** Exports `region0`, `region1`, ...: (first frame, end of frames) -> state of all threads, EXITED or MIXED. */
  readonly wasm: Uint8Array;
  readonly trackChunks: boolean;
  readonly findRaces: boolean;
  readonly paged: boolean;
}

interface Region {
  readonly root: number;
  readonly wait: Instruction | undefined;
}

function regionsOf(kernel: Kernel): { readonly regions: readonly Region[]; readonly stateOf: Map<number, number> } {
  const regions: Region[] = [{ root: 0, wait: undefined }];
  const stateOf = new Map<number, number>();
  kernel.blocks.forEach(({ end }, block) => {
    if (end.kind !== "sync") return;
    stateOf.set(block, regions.length);
    regions.push({ root: end.next, wait: end.instruction });
  });
  return { regions, stateOf };
}

export interface CompileOptions {
  /** Note which chunks of buffers a block touches, for its budget of bytes. Costs a few percent. */
  readonly trackChunks?: boolean;
  /**
   * Trap when threads touch a byte unordered and one of them writes: the checking mode, which is the reference. Costs
   * tens of nanoseconds for each access to shared memory and to what the launch writes: a matrix product in shared memory
   * takes 4 times as long, and 800 times less than interpreted (measured).
   */
  readonly findRaces?: boolean;
  /**
   * Reach buffers through a table of chunks that the host fills as they are touched: memory then depends on what a block
   * touches, not on how large the buffers are. Chunks are counted by the host, so `trackChunks` adds nothing.
   */
  readonly paged?: boolean;
}

/** A kernel is compiled once for each way of compiling it, however many jobs run it. */
const compiledBefore = new WeakMap<CheckedKernel, Map<string, CompiledKernel>>();

export function compileKernel(checked: CheckedKernel, given: CompileOptions = {}): CompiledKernel {
  const paged = given.paged ?? false;
  const options = { trackChunks: !paged && (given.trackChunks ?? false), findRaces: given.findRaces ?? false, paged };
  const ways = compiledBefore.get(checked) ?? new Map<string, CompiledKernel>();
  compiledBefore.set(checked, ways);
  const way = `${options.trackChunks} ${options.findRaces} ${paged}`;
  const compiled = ways.get(way) ?? compile(checked, options);
  ways.set(way, compiled);
  return compiled;
}

function compile(checked: CheckedKernel, options: Required<CompileOptions>): CompiledKernel {
  const { kernel } = checked;
  const live = liveRegisters(kernel);
  const layout = at.layOut(kernel, live);
  const { regions, stateOf } = regionsOf(kernel);
  const builder = new ModuleBuilder(IMPORTS);
  const helpers = addHelpers(builder, options.paged);
  const graphs = regionGraphs(kernel, regions, live);
  regions.forEach((region, state) => {
    const graph = graphs[state] as ReturnType<typeof regionGraph>;
    const type = { params: ["i32", "i32"], results: ["i32"] } as const;
    const code = regionFunction(checked, layout, helpers, region, { graph, stateOf, live, ...options });
    if (code.length > limits.MAX_FUNCTION_BYTES) {
      const message = `the code between barriers takes more than ${limits.MAX_FUNCTION_BYTES} bytes of WebAssembly`;
      fail("PTX_LIMIT", message, region.wait ?? { line: 1, column: 1 });
    }
    builder.define(builder.reserve(), type, code, `region${state}`);
  });
  const states = regions.map(({ root, wait }) => ({ wait, live: wait === undefined ? 0 : live.columns(root).length }));
  return { checked, layout, states, wasm: builder.build(), ...options };
}

/** All of them before anything is emitted: what would be too much is refused while that costs little. */
function regionGraphs(
  kernel: Kernel,
  regions: readonly Region[],
  live: BitRows,
): readonly ReturnType<typeof regionGraph>[] {
  const sizes = kernel.blocks.map(
    ({ instructions, end }) => 1 + instructions.length + (end.kind === "table" ? end.targets.length : 0),
  );
  const kept = kernel.blocks.map(({ end }) => (end.kind === "sync" ? live.columns(end.next).length : 0));
  const own = sizes.reduce((sum, size) => sum + size, 0);
  const most = Math.min(limits.MAX_EMITTED, limits.EMITTED_FOR_ALL + limits.EMITTED_PER_INSTRUCTION * own);
  const mostKept = limits.KEPT_FOR_ALL + limits.KEPT_PER_INSTRUCTION * own;
  let [emitted, moved] = [0, 0];
  return regions.map(({ root, wait }) => {
    const graph = regionGraph(kernel, root);
    const place = wait ?? { line: 1, column: 1 };
    emitted += graph.order.reduce((sum, block) => sum + (sizes[block] as number), 0);
    if (emitted > most) {
      fail("PTX_LIMIT", `code around barriers would be repeated to more than ${most} instructions`, place);
    }
    moved += graph.order.reduce((sum, block) => sum + (kept[block] as number), live.columns(root).length);
    if (moved > mostKept) {
      fail("PTX_LIMIT", `waits would keep more than ${mostKept} registers in all`, place);
    }
    return graph;
  });
}

interface RegionContext {
  readonly graph: ReturnType<typeof regionGraph>;
  readonly stateOf: ReadonlyMap<number, number>;
  readonly live: BitRows;
  readonly trackChunks: boolean;
  readonly findRaces: boolean;
  readonly paged: boolean;
}

/**
 * The loop over threads around what one thread does. What the body wants hoisted is known only after it was written,
 * so it is written twice: first to collect, then for good.
 */
function regionFunction(
  checked: CheckedKernel,
  layout: at.KernelLayout,
  helpers: ReadonlyMap<HelperName, number>,
  region: Region,
  context: RegionContext,
): Code {
  const write = (hoisted: Emitter["hoisted"]): { readonly code: Code; readonly emitter: Emitter } => {
    const code = new Code(2);
    const [frame, end] = [0, 1] as const;
    const [next, all, fuel] = [code.local("i32"), code.local("i32"), code.local("i64")];
    const emitter = new Emitter(code, checked, layout, helpers, frame, context);
    code.i32(0).memory("i64.load", at.FUEL).set(fuel);
    // The first thread's answer is everybody's until one differs; no region answers with 0, the start.
    code.i32(0).set(all);
    for (const { fill } of hoisted) fill(code);
    // Locals are numbered by the order in which they are asked for, so both passes must ask alike.
    hoisted.toReversed().forEach(({ local }) => {
      code.set(local);
    });
    code.loop();
    new RegionWriter(emitter, { ...context, root: region.root, after: region.wait, next, fuel }).write();
    code.get(frame).get(next).memory("i32.store", at.FRAME_STATE);
    code.get(all).op("i32.eqz").if().get(next).set(all).op("end");
    code.get(next).i32(at.MIXED).get(next).get(all).op("i32.eq", "select").set(all);
    // After each thread, not after all of them: a thousand threads could run long on a budget of nothing.
    code.get(fuel).i64(0n).op("i64.lt_s");
    emitter.trapIf(at.TRAP_FUEL, undefined);
    code.get(frame).i32(layout.frameBytes).op("i32.add").tee(frame).get(end).op("i32.lt_u").brIf(0).op("end");
    code.i32(0).get(fuel).memory("i64.store", at.FUEL);
    code.get(all);
    return { code, emitter };
  };
  return write(write([]).emitter.hoisted).code;
}
