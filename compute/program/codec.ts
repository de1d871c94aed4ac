/** Programs as canonical RLP: decoding accepts exactly what encoding gives. */
import { equalBytes, utf8 } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { reject } from "./errors.ts";
import { MAX_LOOP_DEPTH, MAX_PROGRAM_BYTES } from "./limits.ts";
import type {
  ArgumentSpec,
  BufferKind,
  BufferSpec,
  Extent,
  KernelSource,
  LaunchSpec,
  Program,
  StepSpec,
  TileAssignment,
  TileSpec,
} from "./types.ts";

const BUFFER_KINDS: readonly BufferKind[] = ["input", "constant", "zero", "scratch"];

function integer(value: number | bigint): Uint8Array {
  return rlpOfInteger(BigInt(value));
}

function encodeBuffer({ name, kind, bytes, address }: BufferSpec): RlpItem {
  const fields = [utf8(name), integer(BUFFER_KINDS.indexOf(kind)), integer(bytes)];
  return address === undefined ? fields : [...fields, address];
}

/** Two's complement in 64 bits: counters may run backwards. */
function encodeArgument(argument: ArgumentSpec): RlpItem {
  switch (argument.kind) {
    case "scalar":
      return [integer(0), argument.bytes];
    case "buffer":
      return [integer(1), integer(argument.buffer)];
    case "counter": {
      const { depth, width, start, step } = argument;
      const signed = (value: bigint): Uint8Array => integer(BigInt.asUintN(64, value));
      return [integer(2), integer(depth), integer(width), signed(start), signed(step)];
    }
    default:
      return [integer(3), integer(argument.depth), argument.buffers.map(integer)];
  }
}

function encodeTile({ parameter, tile }: TileAssignment): RlpItem {
  if (tile.kind === "whole") return [integer(parameter), integer(0)];
  if (tile.kind === "run") return [integer(parameter), integer(1), integer(tile.bytes)];
  return [parameter, 2, tile.pitch, tile.width, tile.rows, tile.plane].map(integer);
}

function encodeStep(step: StepSpec): RlpItem {
  if (step.kind === "loop") return [integer(1), integer(step.count), step.body.map(encodeStep)];
  const { kernel, grid, block, dynamicShared, tiles, fuel, bytes } = step;
  return [
    ...[integer(0), integer(kernel), grid.map(integer), block.map(integer), integer(dynamicShared)],
    ...[step.arguments.map(encodeArgument), tiles.map(encodeTile), integer(fuel), integer(bytes)],
  ];
}

export function encodeProgram({ engine, kernels, buffers, steps, outputs }: Program): Uint8Array {
  return encodeRlp([
    integer(engine),
    kernels.map(({ ptx, entry }) => [utf8(ptx), utf8(entry)]),
    buffers.map(encodeBuffer),
    steps.map(encodeStep),
    outputs.map(integer),
  ]);
}

/** Throws PROGRAM_ENCODING. What the numbers mean is checked by `validateProgram`. */
export function decodeProgram(bytes: Uint8Array): Program {
  if (bytes.length > MAX_PROGRAM_BYTES) {
    reject("PROGRAM_LIMIT", `the program has ${bytes.length} bytes, more than ${MAX_PROGRAM_BYTES}`);
  }
  try {
    const program = readProgram(decodeRlp(bytes));
    // Each field has one form, so this can only fail through a mistake of ours; a program with two forms would be worse.
    if (!equalBytes(encodeProgram(program), bytes)) reject("PROGRAM_ENCODING", "the program is not in its only form");
    return program;
  } catch (error) {
    if (isCoded(error, "RLP_INVALID")) return reject("PROGRAM_ENCODING", error.message, error.data);
    throw error;
  }
}

function readProgram(item: RlpItem): Program {
  const [engine, kernels, buffers, steps, outputs] = fields(item, 5);
  return {
    engine: number(engine),
    kernels: rlpList(kernels).map(readKernel),
    buffers: rlpList(buffers).map(readBuffer),
    steps: rlpList(steps).map((step) => readStep(step, 0)),
    outputs: rlpList(outputs).map(number),
  };
}

type Fields = readonly [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem, RlpItem];

/** A list of `length` items; those beyond are never looked at. */
function fields(item: RlpItem, length: number): Fields {
  return rlpList(item, length) as unknown as Fields;
}

function number(item: RlpItem): number {
  return Number(rlpInteger(item, 6));
}

function text(item: RlpItem): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rlpBytes(item));
  } catch {
    return reject("PROGRAM_ENCODING", "a text is not UTF-8");
  }
}

function readKernel(item: RlpItem): KernelSource {
  const [ptx, entry] = fields(item, 2);
  return { ptx: text(ptx), entry: text(entry) };
}

function readBuffer(item: RlpItem): BufferSpec {
  const list = rlpList(item);
  const [name, kind, bytes, address] = fields(item, list.length === 4 ? 4 : 3);
  const found = BUFFER_KINDS[number(kind)];
  if (found === undefined) return reject("PROGRAM_ENCODING", "a buffer has an unknown kind");
  const spec = { name: text(name), kind: found, bytes: number(bytes) };
  return list.length === 4 ? { ...spec, address: rlpBytes(address, 32).slice() } : spec;
}

function readExtent(item: RlpItem): Extent {
  const [x, y, z] = fields(item, 3);
  return [number(x), number(y), number(z)];
}

function readStep(item: RlpItem, depth: number): StepSpec {
  const [tag] = rlpList(item);
  if (tag === undefined) return reject("PROGRAM_ENCODING", "a step is empty");
  if (number(tag) === 0) return readLaunch(item);
  if (number(tag) !== 1) return reject("PROGRAM_ENCODING", "a step is neither a launch nor a loop");
  if (depth === MAX_LOOP_DEPTH) reject("PROGRAM_LIMIT", `loops are nested deeper than ${MAX_LOOP_DEPTH}`);
  const [, count, body] = fields(item, 3);
  return { kind: "loop", count: number(count), body: rlpList(body).map((step) => readStep(step, depth + 1)) };
}

function readLaunch(item: RlpItem): LaunchSpec {
  const [, kernel, grid, block, dynamicShared, values, tiles, fuel, bytes] = fields(item, 9);
  return {
    kind: "launch",
    kernel: number(kernel),
    grid: readExtent(grid),
    block: readExtent(block),
    dynamicShared: number(dynamicShared),
    arguments: rlpList(values).map(readArgument),
    tiles: rlpList(tiles).map(readTile),
    fuel: number(fuel),
    bytes: number(bytes),
  };
}

function readArgument(item: RlpItem): ArgumentSpec {
  const [tag] = rlpList(item);
  switch (tag === undefined ? -1 : number(tag)) {
    case 0:
      return { kind: "scalar", bytes: rlpBytes(fields(item, 2)[1]).slice() };
    case 1:
      return { kind: "buffer", buffer: number(fields(item, 2)[1]) };
    case 2: {
      const [, depth, width, start, step] = fields(item, 5);
      const wide = number(width);
      if (wide !== 4 && wide !== 8) return reject("PROGRAM_ENCODING", "a counter has 4 or 8 bytes");
      const signed = (value: RlpItem): bigint => BigInt.asIntN(64, rlpInteger(value, 8));
      return { kind: "counter", depth: number(depth), width: wide, start: signed(start), step: signed(step) };
    }
    case 3: {
      const [, depth, buffers] = fields(item, 3);
      return { kind: "alternate", depth: number(depth), buffers: rlpList(buffers).map(number) };
    }
    default:
      return reject("PROGRAM_ENCODING", "an argument has an unknown kind");
  }
}

function readTile(item: RlpItem): TileAssignment {
  const list = rlpList(item);
  const kind = list[1] === undefined ? -1 : number(list[1]);
  const shapes: Readonly<Record<number, number>> = { 0: 2, 1: 3, 2: 6 };
  const length = shapes[kind];
  if (length === undefined) return reject("PROGRAM_ENCODING", "a tile has an unknown kind");
  const values = rlpList(item, length).map(number);
  const [parameter = 0, , first = 0, width = 0, rows = 0, plane = 0] = values;
  const tile: TileSpec =
    kind === 0
      ? { kind: "whole" }
      : kind === 1
        ? { kind: "run", bytes: first }
        : { kind: "rows", pitch: first, width, rows, plane };
  return { parameter, tile };
}
