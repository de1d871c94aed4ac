/** The words of `ogpu compute run` that describe one launch, as a program. */
import { CodedError } from "../../base/errors.ts";
import {
  type ArgumentSpec,
  type BufferSpec,
  ENGINE_VERSION,
  type Extent,
  type Program,
  type TileSpec,
} from "../../compute/program/types.ts";
import { usageError } from "../failure.ts";

const HINT = "See ogpu compute run --help.";

/** A file that becomes an input, by the name of its buffer. */
export interface InputFile {
  readonly name: string;
  readonly file: string;
}

export interface LaunchWords {
  readonly ptx: string;
  readonly entry: string;
  readonly grid: string;
  readonly block: string;
  readonly shared: number;
  readonly fuel: number;
  readonly bytes: number;
  readonly args: readonly string[];
  readonly tiles: readonly string[];
  /** Bytes of each input file. */
  readonly sizes: ReadonlyMap<string, number>;
}

export function inputFiles(args: readonly string[]): readonly InputFile[] {
  return args.flatMap((word) => {
    const found = /^([A-Za-z_][A-Za-z0-9_.]*)=in:(.+)$/.exec(word);
    return found === null ? [] : [{ name: found[1] as string, file: found[2] as string }];
  });
}

export function launchProgram(words: LaunchWords): Program {
  const buffers: BufferSpec[] = [];
  const values = words.args.map((word) => argumentOf(word, buffers, words.sizes));
  const tiles = words.tiles.map((word) => tileOf(word, buffers, values));
  tiles.sort((a, b) => a.parameter - b.parameter);
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx: words.ptx, entry: words.entry }],
    buffers,
    steps: [
      {
        ...{ kind: "launch", kernel: 0, dynamicShared: words.shared, fuel: words.fuel, bytes: words.bytes },
        grid: extentOf(words.grid, "grid"),
        block: extentOf(words.block, "block"),
        arguments: values,
        tiles,
      },
    ],
    outputs: outputsOf(tiles, values),
  };
}

function outputsOf(
  tiles: readonly { readonly parameter: number }[],
  values: readonly ArgumentSpec[],
): readonly number[] {
  return tiles
    .flatMap(({ parameter }) => {
      const value = values[parameter];
      return value?.kind === "buffer" ? [value.buffer] : [];
    })
    .sort((a, b) => a - b);
}

function extentOf(text: string, what: string): Extent {
  const parts = text.split("x").map(Number);
  const [x = 1, y = 1, z = 1] = parts;
  if (parts.length > 3 || parts.some((part) => !Number.isInteger(part) || part < 1)) {
    throw usageError(`--${what} ${text}: expected up to three numbers, as in 16x16`, HINT);
  }
  return [x, y, z];
}

const SCALARS: Readonly<Record<string, (view: DataView, text: string) => number>> = {
  i32: (view, text) => set(4, () => view.setInt32(0, Number(text), true)),
  u32: (view, text) => set(4, () => view.setUint32(0, Number(text), true)),
  f32: (view, text) => set(4, () => view.setFloat32(0, Number(text), true)),
  i64: (view, text) => set(8, () => view.setBigInt64(0, BigInt(text), true)),
  u64: (view, text) => set(8, () => view.setBigUint64(0, BigInt(text), true)),
  f64: (view, text) => set(8, () => view.setFloat64(0, Number(text), true)),
};

function set(bytes: number, write: () => void): number {
  write();
  return bytes;
}

function argumentOf(word: string, buffers: BufferSpec[], sizes: ReadonlyMap<string, number>): ArgumentSpec {
  const scalar = /^([a-z]\d\d):(-?[0-9][0-9a-zA-Z.+-]*|-?Infinity|NaN)$/.exec(word);
  const write = SCALARS[scalar?.[1] ?? ""];
  if (scalar !== null && write !== undefined) {
    const bytes = new Uint8Array(8);
    try {
      return { kind: "scalar", bytes: bytes.subarray(0, write(new DataView(bytes.buffer), scalar[2] as string)) };
    } catch (error) {
      if (error instanceof SyntaxError) throw usageError(`--arg ${word}: not a number`, HINT);
      throw error;
    }
  }
  const buffer = /^([A-Za-z_][A-Za-z0-9_.]*)=(in|zero):(.+)$/.exec(word);
  if (buffer === null) throw usageError(`--arg ${word}: expected i32:5, f32:1.5, x=in:file or y=zero:bytes`, HINT);
  const [, name = "", kind, rest] = buffer;
  const bytes = kind === "in" ? sizes.get(name) : Number(rest);
  if (bytes === undefined || !Number.isInteger(bytes)) throw usageError(`--arg ${word}: how many bytes?`, HINT);
  buffers.push({ name, kind: kind === "in" ? "input" : "zero", bytes });
  return { kind: "buffer", buffer: buffers.length - 1 };
}

function tileOf(
  word: string,
  buffers: readonly BufferSpec[],
  values: readonly ArgumentSpec[],
): { readonly parameter: number; readonly tile: TileSpec } {
  const found = /^([A-Za-z_][A-Za-z0-9_.]*)=(whole|run:\d+|rows:\d+,\d+,\d+,\d+)$/.exec(word);
  if (found === null)
    throw usageError(`--tile ${word}: expected y=run:1024, y=rows:pitch,width,rows,plane or y=whole`, HINT);
  const buffer = buffers.findIndex(({ name }) => name === found[1]);
  const parameter = values.findIndex((value) => value.kind === "buffer" && value.buffer === buffer);
  if (parameter < 0) {
    throw new CodedError("PROGRAM_REFERENCE", `--tile ${word}: no argument is called ${found[1]}`);
  }
  const [kind, numbers = ""] = (found[2] as string).split(":");
  const [first = 0, width = 0, rows = 0, plane = 0] = numbers.split(",").map(Number);
  if (kind === "whole") return { parameter, tile: { kind } };
  if (kind === "run") return { parameter, tile: { kind, bytes: first } };
  return { parameter, tile: { kind: "rows", pitch: first, width, rows, plane } };
}
