/** Checks what can be checked of a program without looking into its kernels. */
import { reject } from "./errors.ts";
import * as limits from "./limits.ts";
import { blockCount, tileProblem } from "./tiles.ts";
import {
  type ArgumentSpec,
  ENGINE_VERSION,
  type Extent,
  type LaunchSpec,
  type Program,
  type StepSpec,
} from "./types.ts";

/** Throws the first problem, naming where it is: `launch 2` counts launches in the order of the text. */
export function validateProgram(program: Program): void {
  if (program.engine !== ENGINE_VERSION) {
    reject("PROGRAM_REFERENCE", `engine ${program.engine} is not known; this is engine ${ENGINE_VERSION}`);
  }
  atMost(program.kernels.length, limits.MAX_KERNELS, "kernels");
  validateBuffers(program);
  const launches = new LaunchChecks(program);
  const total = launches.steps(program.steps, []);
  if (total > limits.MAX_LAUNCHES) {
    reject("PROGRAM_LIMIT", `the loops make ${total} launches, more than ${limits.MAX_LAUNCHES}`);
  }
  validateOutputs(program);
}

function atMost(count: number, most: number, what: string, data: Readonly<Record<string, unknown>> = {}): void {
  if (count > most) reject("PROGRAM_LIMIT", `${count} ${what} are more than ${most}`, data);
}

function validateBuffers({ buffers }: Program): void {
  atMost(buffers.length, limits.MAX_BUFFERS, "buffers");
  const names = new Set<string>();
  let total = 0;
  buffers.forEach(({ name, kind, bytes, address }, buffer) => {
    const label = `buffer ${buffer} (${name})`;
    if (!/^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) || name.length > limits.MAX_NAME_LENGTH) {
      reject("PROGRAM_REFERENCE", `buffer ${buffer} has no proper name`, { buffer });
    }
    if (names.has(name)) reject("PROGRAM_REFERENCE", `${label}: the name is taken`, { buffer });
    names.add(name);
    if (bytes < 1 || bytes > limits.MAX_BUFFER_BYTES) {
      reject("PROGRAM_LIMIT", `${label} has ${bytes} bytes, not 1 to ${limits.MAX_BUFFER_BYTES}`, { buffer });
    }
    if ((kind === "constant") !== (address !== undefined)) {
      reject("PROGRAM_REFERENCE", `${label}: a constant has a content address, and nothing else has`, { buffer });
    }
    total += bytes;
  });
  atMost(total, limits.MAX_MEMORY_BYTES, "bytes of buffers");
}

function validateOutputs({ outputs, buffers }: Program): void {
  if (outputs.length === 0) reject("PROGRAM_REFERENCE", "a program has at least one output");
  outputs.forEach((buffer, i) => {
    if (buffer >= buffers.length) reject("PROGRAM_REFERENCE", `output ${i} names buffer ${buffer}, which is not there`);
    if (i > 0 && (outputs[i - 1] as number) >= buffer) reject("PROGRAM_REFERENCE", "outputs are not ascending");
  });
}

class LaunchChecks {
  readonly #program: Program;
  #steps = 0;
  #launch = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /** How many launches the steps make. */
  steps(steps: readonly StepSpec[], loops: readonly number[]): number {
    let total = 0;
    for (const step of steps) {
      atMost(++this.#steps, limits.MAX_STEPS, "steps");
      if (step.kind === "launch") {
        this.#checkLaunch(step, loops);
        total++;
        continue;
      }
      if (step.count < 1 || step.count > limits.MAX_ITERATIONS) {
        reject("PROGRAM_LIMIT", `a loop runs ${step.count} times, not 1 to ${limits.MAX_ITERATIONS}`);
      }
      atMost(loops.length + 1, limits.MAX_LOOP_DEPTH, "nested loops");
      total += step.count * this.steps(step.body, [...loops, step.count]);
    }
    return total;
  }

  #checkLaunch(launch: LaunchSpec, loops: readonly number[]): void {
    const number = this.#launch++;
    const data = { launch: number };
    const label = `launch ${number}`;
    if (launch.kernel >= this.#program.kernels.length) {
      reject("PROGRAM_REFERENCE", `${label} names kernel ${launch.kernel}, which is not there`, data);
    }
    positive(launch.grid, `${label}: the grid`, data);
    positive(launch.block, `${label}: the block`, data);
    atMost(blockCount(launch.grid), limits.MAX_GRID_BLOCKS, `blocks in ${label}`, data);
    atMost(blockCount(launch.block), limits.MAX_BLOCK_THREADS, `threads per block in ${label}`, data);
    atMost(launch.dynamicShared, limits.MAX_DYNAMIC_SHARED, `bytes of shared memory in ${label}`, data);
    atMost(launch.arguments.length, limits.MAX_ARGUMENTS, `arguments in ${label}`, data);
    if (launch.fuel < 1 || launch.fuel > limits.MAX_TILE_FUEL) {
      reject("PROGRAM_LIMIT", `${label}: a tile has 1 to ${limits.MAX_TILE_FUEL} fuel, not ${launch.fuel}`, data);
    }
    launch.arguments.forEach((argument, i) => {
      this.#checkArgument(argument, loops, `${label}, argument ${i}`, data);
    });
    this.#checkTiles(launch, label, data);
  }

  #checkArgument(
    argument: ArgumentSpec,
    loops: readonly number[],
    label: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    if (argument.kind === "scalar") {
      atMost(argument.bytes.length, limits.MAX_SCALAR_BYTES, `bytes in ${label}`, data);
      return;
    }
    if (argument.kind !== "buffer" && argument.depth >= loops.length) {
      reject("PROGRAM_REFERENCE", `${label} counts loop ${argument.depth}, which is not around it`, data);
    }
    if (argument.kind === "counter") return;
    const buffers = argument.kind === "buffer" ? [argument.buffer] : argument.buffers;
    if (buffers.length < 1) reject("PROGRAM_REFERENCE", `${label} alternates between no buffers`, data);
    atMost(buffers.length, limits.MAX_ALTERNATES, `alternating buffers in ${label}`, data);
    for (const buffer of buffers) {
      if (buffer >= this.#program.buffers.length) {
        reject("PROGRAM_REFERENCE", `${label} names buffer ${buffer}, which is not there`, { ...data, buffer });
      }
    }
  }

  #checkTiles(launch: LaunchSpec, label: string, data: Readonly<Record<string, unknown>>): void {
    const written = new Set<number>();
    launch.tiles.forEach(({ parameter, tile }, i) => {
      if (i > 0 && (launch.tiles[i - 1]?.parameter ?? 0) >= parameter) {
        reject("PROGRAM_TILES", `${label}: tiles are not in the order of parameters`, data);
      }
      for (const buffer of buffersOf(launch.arguments[parameter])) {
        const spec = this.#program.buffers[buffer];
        if (spec?.kind === "constant") {
          reject("PROGRAM_TILES", `${label} writes buffer ${spec.name}, which is constant`, { ...data, buffer });
        }
        const problem = tileProblem(tile, launch.grid, spec?.bytes ?? 0);
        if (problem !== undefined) {
          reject("PROGRAM_TILES", `${label}, buffer ${spec?.name}: ${problem}`, { ...data, buffer });
        }
        written.add(buffer);
      }
      if (buffersOf(launch.arguments[parameter]).length === 0) {
        reject("PROGRAM_TILES", `${label}: parameter ${parameter} has a tile and is no buffer`, data);
      }
    });
    this.#checkAliases(launch, written, label, data);
  }

  /** What is written must be reached in one way only, or a tile would not be alone. */
  #checkAliases(
    launch: LaunchSpec,
    written: ReadonlySet<number>,
    label: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    for (const buffer of written) {
      const ways = launch.arguments.filter((argument) => buffersOf(argument).includes(buffer));
      // Arguments that alternate in step over the same buffers never meet.
      const distinct = new Set(ways.map((argument) => buffersOf(argument).indexOf(buffer)));
      if (ways.length === 1) continue;
      const inStep = ways.every(
        (argument) =>
          argument.kind === "alternate" &&
          argument.depth === (ways[0] as typeof argument).depth &&
          argument.buffers.length === (ways[0] as typeof argument).buffers.length,
      );
      if (inStep && distinct.size === ways.length && ways.every((way) => uniqueBuffers(way))) continue;
      const { name } = this.#program.buffers[buffer] ?? { name: "" };
      reject("PROGRAM_TILES", `${label} writes buffer ${name} and also reaches it by another argument`, {
        ...data,
        buffer,
      });
    }
  }
}

function uniqueBuffers(argument: ArgumentSpec): boolean {
  const buffers = buffersOf(argument);
  return new Set(buffers).size === buffers.length;
}

/** The buffers that an argument may stand for. */
export function buffersOf(argument: ArgumentSpec | undefined): readonly number[] {
  if (argument?.kind === "buffer") return [argument.buffer];
  return argument?.kind === "alternate" ? argument.buffers : [];
}

function positive(extent: Extent, what: string, data: Readonly<Record<string, unknown>>): void {
  if (extent.some((count) => count < 1 || count > 2 ** 31 - 1)) {
    reject("PROGRAM_LIMIT", `${what} is ${extent.join(" x ")}: each must be 1 to 2147483647`, data);
  }
  if ((extent[1] as number) > 65_535 || (extent[2] as number) > 65_535) {
    reject("PROGRAM_LIMIT", `${what}: y and z go up to 65535`, data);
  }
}
