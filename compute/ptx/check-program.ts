/** Checks a program together with its kernels: parameters, tiles of what is written, and what it can cost. */
import type { CodedError } from "../../base/errors.ts";
import { isCoded } from "../../base/errors.ts";
import { programError, reject } from "../program/errors.ts";
import { isRefereeable } from "../program/refereeable.ts";
import { blockCount, isWhole, launchFuel } from "../program/tiles.ts";
import type { ArgumentSpec, LaunchSpec, Program, StepSpec } from "../program/types.ts";
import { buffersOf, validateProgram } from "../program/validate.ts";
import { type CheckedKernel, checkKernel } from "./check.ts";
import { MAX_SHARED_BYTES } from "./limits.ts";

export interface CheckedProgram {
  readonly program: Program;
  /** In the order of the program's kernels. */
  readonly kernels: readonly CheckedKernel[];
  /** An upper bound of the compute units, from the budgets that the launches declare. */
  readonly fuel: bigint;
  /** Whether the referee can check every tile. */
  readonly refereeable: boolean;
}

/** Throws the first problem, with the launch, buffer, or kernel and PTX line in it. */
export function checkProgram(program: Program): CheckedProgram {
  validateProgram(program);
  const kernels = program.kernels.map(({ ptx, entry }, kernel) => {
    try {
      return checkKernel(ptx, entry);
    } catch (error) {
      if (isCoded(error)) throw kernelError(error, kernel, entry);
      throw error;
    }
  });
  const launches = launchesOf(program.steps, 1n);
  launches.forEach(({ launch }, place) => {
    checkLaunch(launch, kernels[launch.kernel] as CheckedKernel, place);
  });
  return {
    program,
    kernels,
    fuel: launches.reduce((sum, { launch, times }) => sum + times * launchFuel(launch), 0n),
    refereeable: launches.every(({ launch }) => isRefereeable(launch, program.buffers)),
  };
}

function kernelError(error: CodedError, kernel: number, entry: string): CodedError {
  const data = { ...error.data, kernel, reason: error.code };
  return programError("PROGRAM_KERNEL", `kernel ${kernel} (${entry}), ${error.message}`, data);
}

interface PlacedLaunch {
  readonly launch: LaunchSpec;
  /** How often it runs. */
  readonly times: bigint;
}

function launchesOf(steps: readonly StepSpec[], times: bigint): readonly PlacedLaunch[] {
  return steps.flatMap((step) =>
    step.kind === "launch" ? [{ launch: step, times }] : launchesOf(step.body, times * BigInt(step.count)),
  );
}

function checkLaunch(launch: LaunchSpec, { kernel, pointers }: CheckedKernel, place: number): void {
  const data = { launch: place, kernel: launch.kernel };
  const label = `launch ${place} of ${kernel.name}`;
  if (launch.arguments.length !== kernel.parameters.length) {
    const message = `${label} has ${launch.arguments.length} arguments, the kernel takes ${kernel.parameters.length}`;
    reject("PROGRAM_ARGUMENTS", message, data);
  }
  kernel.parameters.forEach(({ name, size }, parameter) => {
    const argument = launch.arguments[parameter] as ArgumentSpec;
    const isBuffer = buffersOf(argument).length > 0;
    if (pointers.buffers.has(parameter) !== isBuffer) {
      const wanted = isBuffer ? "a number" : "a buffer";
      reject("PROGRAM_ARGUMENTS", `${label}: ${name} takes ${wanted}`, { ...data, parameter });
    }
    const length =
      argument.kind === "scalar" ? argument.bytes.length : argument.kind === "counter" ? argument.width : 8;
    if (length !== size) {
      reject("PROGRAM_ARGUMENTS", `${label}: ${name} has ${size} bytes, not ${length}`, { ...data, parameter });
    }
  });
  checkWrites(launch, { kernel, pointers }, label, data);
  checkShape(launch, { kernel, pointers }, label, data);
}

/** What the kernel writes has tiles, and nothing else. */
function checkWrites(
  launch: LaunchSpec,
  { kernel, pointers }: CheckedKernel,
  label: string,
  data: Readonly<Record<string, unknown>>,
): void {
  const tiles = new Map(launch.tiles.map(({ parameter, tile }) => [parameter, tile]));
  for (const [parameter, { stores, reductions }] of pointers.buffers) {
    const name = kernel.parameters[parameter]?.name ?? "";
    const tile = tiles.get(parameter);
    const written = stores || reductions.length > 0;
    if (written !== (tile !== undefined)) {
      const message = written ? `writes through ${name}, which has no tile` : `never writes through ${name}`;
      reject("PROGRAM_TILES", `${label} ${message}`, { ...data, parameter });
    }
    if (reductions.length > 0 && tile?.kind !== "whole") {
      reject("PROGRAM_TILES", `${label}: atomics on ${name} need the launch to be one tile`, { ...data, parameter });
    }
    if (stores && tile?.kind === "whole" && blockCount(launch.grid) > 1) {
      const message = `${label} stores through ${name} from several blocks into one tile`;
      reject("PROGRAM_TILES", message, { ...data, parameter });
    }
  }
  if (isWhole(launch) && launch.tiles.some(({ tile }) => tile.kind !== "whole")) {
    reject("PROGRAM_TILES", `${label}: either all its buffers are one tile or none`, data);
  }
}

function checkShape(
  launch: LaunchSpec,
  { kernel }: CheckedKernel,
  label: string,
  data: Readonly<Record<string, unknown>>,
): void {
  const required = kernel.requiredThreads;
  if (required !== undefined && launch.block.some((count, axis) => count !== (required[axis] ?? 1))) {
    reject("PROGRAM_ARGUMENTS", `${label}: the kernel was compiled for blocks of ${required.join(" x ")}`, data);
  }
  const shared = kernel.variables.reduce((sum, v) => (v.space === "shared" ? sum + v.size + 16 : sum), 0);
  if (shared + launch.dynamicShared > MAX_SHARED_BYTES) {
    reject("PROGRAM_LIMIT", `${label} needs more than ${MAX_SHARED_BYTES} bytes of shared memory`, data);
  }
}
