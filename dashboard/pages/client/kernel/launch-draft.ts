/** What somebody fills in about one launch of a kernel, and the program that it makes. Pure. */
import {
  type ArgumentSpec,
  type BufferSpec,
  ENGINE_VERSION,
  type Extent,
  type LaunchSpec,
  type Program,
  type TileSpec,
} from "../../../../compute/program/types.ts";
import type { CheckedKernel } from "../../../../compute/ptx/check.ts";
import type { ContentFile } from "../content-file.ts";

/** Of one parameter; which fields count depends on what the kernel does with it. */
export interface ArgumentDraft {
  readonly type: string;
  readonly value: string;
  readonly isInput: boolean;
  readonly bytes: string;
  readonly file?: ContentFile | undefined;
  readonly tile: string;
}

export interface LaunchDraft {
  readonly grid: string;
  readonly block: string;
  readonly shared: string;
  readonly fuel: string;
  readonly bytes: string;
  readonly arguments: readonly ArgumentDraft[];
}

export interface Budget {
  readonly fuel: number;
  readonly bytes: number;
}

/** Something that was filled in cannot be read. */
export class DraftProblem extends Error {}

type Write = (view: DataView, text: string) => void;

/** By the bytes that the kernel takes. */
const SCALARS: ReadonlyMap<number, Readonly<Record<string, Write>>> = new Map([
  [
    4,
    {
      i32: (view, text) => view.setInt32(0, integer(text, -(2n ** 31n), 2n ** 31n), true),
      u32: (view, text) => view.setUint32(0, integer(text, 0n, 2n ** 32n), true),
      f32: (view, text) => view.setFloat32(0, decimal(text), true),
    },
  ],
  [
    8,
    {
      i64: (view, text) => view.setBigInt64(0, wide(text, -(2n ** 63n), 2n ** 63n), true),
      u64: (view, text) => view.setBigUint64(0, wide(text, 0n, 2n ** 64n), true),
      f64: (view, text) => view.setFloat64(0, decimal(text), true),
    },
  ],
]);

export function scalarTypes(size: number): readonly string[] {
  return Object.keys(SCALARS.get(size) ?? {});
}

function wide(text: string, least: bigint, end: bigint): bigint {
  if (!/^-?\d{1,20}$/.test(text.trim())) throw new DraftProblem(`“${text}” is no whole number`);
  const value = BigInt(text.trim());
  if (value < least || value >= end) throw new DraftProblem(`${value} does not fit`);
  return value;
}

function integer(text: string, least: bigint, end: bigint): number {
  return Number(wide(text, least, end));
}

function decimal(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new DraftProblem(`“${text}” is no number`);
  return value;
}

export function draftFor({ kernel }: CheckedKernel): LaunchDraft {
  return {
    ...{ grid: "1", block: kernel.requiredThreads?.join("x") ?? "1", shared: "0", fuel: "", bytes: "" },
    arguments: kernel.parameters.map(({ size }) => ({
      ...{ type: scalarTypes(size)[0] ?? "", value: "", isInput: false, bytes: "", tile: "" },
    })),
  };
}

/** With the budget that is given, whatever the draft says of it. Throws DraftProblem. */
export function programOf(ptx: string, checked: CheckedKernel, draft: LaunchDraft, budget: Budget): Program {
  const { kernel, pointers } = checked;
  const grid = within("Grid", () => extent(draft.grid));
  const buffers: BufferSpec[] = [];
  const tiles: { readonly parameter: number; readonly tile: TileSpec }[] = [];
  const outputs: number[] = [];
  const values = kernel.parameters.map(({ size }, parameter): ArgumentSpec => {
    const argument = draft.arguments[parameter] as ArgumentDraft;
    return within(`Argument ${parameter}`, () => {
      const use = pointers.buffers.get(parameter);
      if (use === undefined) return { kind: "scalar", bytes: scalarOf(argument, size) };
      const buffer = buffers.length;
      const bytes = argument.file?.bytes.length ?? integer(argument.bytes, 1n, 2n ** 30n + 1n);
      buffers.push({ name: bufferName(checked, parameter), kind: argument.isInput ? "input" : "zero", bytes });
      if (use.stores || use.reductions.length > 0) {
        const words = argument.tile.trim() === "" ? usualTile(bytes, grid, use.reductions.length > 0) : argument.tile;
        tiles.push({ parameter, tile: tileOf(words) });
        outputs.push(buffer);
      }
      return { kind: "buffer", buffer };
    });
  });
  const step: LaunchSpec = {
    kind: "launch",
    ...{ kernel: 0, grid, block: within("Block", () => extent(draft.block)), arguments: values, tiles },
    ...{ dynamicShared: within("Shared memory", () => integer(draft.shared, 0n, 2n ** 31n)), ...budget },
  };
  return { engine: ENGINE_VERSION, kernels: [{ ptx, entry: kernel.name }], buffers, steps: [step], outputs };
}

/** As the kernel calls it where that is a proper name. */
export function bufferName({ kernel }: CheckedKernel, parameter: number): string {
  const name = kernel.parameters[parameter]?.name ?? "";
  return /^[A-Za-z_][A-Za-z0-9_.]{0,63}$/.test(name) ? name : `buffer${parameter}`;
}

/** What was named; `undefined` is measured. Throws DraftProblem. */
export function namedBudget({ fuel, bytes }: LaunchDraft): Partial<Budget> {
  const read = (what: string, text: string) =>
    text.trim() === "" ? undefined : within(what, () => integer(text, 1n, 2n ** 44n + 1n));
  const [units, touched] = [read("Compute units", fuel), read("Bytes", bytes)];
  return { ...(units !== undefined && { fuel: units }), ...(touched !== undefined && { bytes: touched }) };
}

function within<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof DraftProblem) throw new DraftProblem(`${what}: ${error.message}.`);
    throw error;
  }
}

function extent(text: string): Extent {
  const parts = text.split(/[x×]/).map((part) => integer(part, 1n, 2n ** 31n));
  const [x = 1, y = 1, z = 1] = parts;
  if (parts.length > 3) throw new DraftProblem("up to three numbers, as in 16x16");
  return [x, y, z];
}

function scalarOf({ type, value }: ArgumentDraft, size: number): Uint8Array {
  const write = SCALARS.get(size)?.[type];
  if (write === undefined) throw new DraftProblem(`a value of ${size} bytes cannot be filled in here`);
  const bytes = new Uint8Array(size);
  write(new DataView(bytes.buffer), value);
  return bytes;
}

/** Where nobody says it: blocks own equal parts, one after the other. */
function usualTile(bytes: number, [x, y, z]: Extent, isReduced: boolean): string {
  return isReduced || x * y * z === 1 ? "whole" : `run:${Math.ceil(bytes / (x * y * z))}`;
}

function tileOf(text: string): TileSpec {
  const found = /^(?:(whole)|run:(\d{1,10})|rows:(\d{1,10}),(\d{1,10}),(\d{1,10}),(\d{1,10}))$/.exec(text.trim());
  if (found === null) throw new DraftProblem("a tile is whole, run:bytes, or rows:pitch,width,rows,plane");
  const [, whole, run, ...rows] = found;
  if (whole !== undefined) return { kind: "whole" };
  if (run !== undefined) return { kind: "run", bytes: Number(run) };
  const [pitch = 0, width = 0, height = 0, plane = 0] = rows.map(Number);
  return { kind: "rows", pitch, width, rows: height, plane };
}
