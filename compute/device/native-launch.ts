/** Whether a launch is one of a standard kernel that native code computes: certain to stay within its buffers and budget. */
import { standardName } from "../kernels/standard-kernels.ts";
import { parameterKinds, standardLaunch } from "../kernels/standard-launch.ts";
import type { BoundArgument, ScheduledLaunch } from "../program/schedule.ts";
import type { ArgumentSpec, LaunchSpec, Program, TileAssignment } from "../program/types.ts";
import { bufferOf } from "./run-program.ts";

/** Which launches of a program are native. */
export class NativeLaunches {
  readonly #program: Program;
  /** Kernel of the program -> the standard kernel that it is. */
  readonly #names: readonly (string | undefined)[];
  /** What is known of launches whose arguments are the same each time. */
  readonly #known = new Map<LaunchSpec, boolean>();

  constructor(program: Program, hasAddon: boolean) {
    this.#program = program;
    this.#names = hasAddon ? program.kernels.map(standardName) : [];
  }

  /** The kernel's name, if native code computes it. */
  nameOf(scheduled: ScheduledLaunch): string | undefined {
    const { launch } = scheduled;
    const name = this.#names[launch.kernel];
    if (name === undefined) return undefined;
    let native = this.#known.get(launch);
    if (native === undefined) {
      native = isNative(this.#program, name, scheduled);
      if (launch.arguments.every((argument) => this.#isFixed(argument))) this.#known.set(launch, native);
    }
    return native ? name : undefined;
  }

  /** The same number, or a buffer of the same length, each time. */
  #isFixed(argument: ArgumentSpec): boolean {
    if (argument.kind === "counter") return false;
    if (argument.kind !== "alternate") return true;
    const { buffers } = this.#program;
    return new Set(argument.buffers.map((index) => buffers[index]?.bytes)).size === 1;
  }
}

export function isNative(program: Program, name: string, scheduled: ScheduledLaunch): boolean {
  const { launch, arguments: bound } = scheduled;
  const kinds = parameterKinds(name) ?? "";
  const numbers = [...kinds].flatMap((kind, i) => (kind === "i" || kind === "f" ? [numberOf(bound[i], kind)] : []));
  const expected = standardLaunch(name, numbers, launch.grid[2]);
  if (expected === undefined || !sameShape(launch, expected)) return false;
  if (launch.fuel < expected.fuel || launch.bytes < expected.bytes) return false;
  for (const [parameter, needed] of expected.buffers) {
    const bytes = program.buffers[bufferOf(scheduled, parameter)]?.bytes ?? 0;
    const fits = kinds[parameter] === "w" ? bytes === needed : bytes >= needed;
    if (!fits) return false;
  }
  return true;
}

function numberOf(argument: BoundArgument | undefined, kind: "i" | "f"): number {
  if (argument?.kind !== "bytes" || argument.bytes.length !== 4) return Number.NaN;
  const view = new DataView(argument.bytes.buffer, argument.bytes.byteOffset, 4);
  return kind === "i" ? view.getInt32(0, true) : view.getFloat32(0, true);
}

type Shape = Pick<LaunchSpec, "grid" | "block" | "tiles">;

function sameShape(launch: Shape, expected: Shape): boolean {
  const same = (a: readonly number[], b: readonly number[]): boolean => a.every((value, i) => value === b[i]);
  if (!same(launch.grid, expected.grid) || !same(launch.block, expected.block)) return false;
  if (launch.tiles.length !== expected.tiles.length) return false;
  return launch.tiles.every((tile, i) => tileText(tile) === tileText(expected.tiles[i] as TileAssignment));
}

function tileText({ parameter, tile }: TileAssignment): string {
  if (tile.kind === "whole") return `${parameter} whole`;
  if (tile.kind === "run") return `${parameter} run ${tile.bytes}`;
  return `${parameter} rows ${tile.pitch} ${tile.width} ${tile.rows} ${tile.plane}`;
}
