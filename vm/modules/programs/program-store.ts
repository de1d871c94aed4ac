/**
 * Programs in the state. The encoding is kept in pieces that are known by their hash; beside it is the plan: the same
 * program without the text of its kernels, which is all that the market and the verification ask about, and small.
 * What is made of either in memory is remembered by the program's address; gas is the same whether it is or not.
 */
import { bytesToHex, concatBytes, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { decodeProgram, encodeProgram } from "../../../compute/program/codec.ts";
import type { Program } from "../../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { programsAbi } from "../../interfaces/abi/programs.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { PROGRAMS_ADDRESS } from "../addresses.ts";
import { CODE_BYTE_GAS, hasBlob, readBlob, writeBlob } from "../blob.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { recordSpace, slotOf } from "../storage.ts";
import { ContentCache } from "./content-cache.ts";
import * as limits from "./limits.ts";

/** `sizes`: bytes of the encoding, bytes of the plan, launches, in 64 bits each, and whether it is refereeable. */
const records = recordSpace("program", ["publisher", "sizes", "fuel"]);
const FIELD = 64n;
const FIELD_MASK: bigint = (1n << FIELD) - 1n;

const plans = new ContentCache<Program>(limits.MAX_CACHED_PROGRAMS, limits.MAX_CACHED_BYTES);
const checkedPrograms = new ContentCache<CheckedProgram>(limits.MAX_CACHED_PROGRAMS, limits.MAX_CACHED_BYTES);

export interface ProgramSummary {
  readonly publisher: Address;
  /** Bytes of the encoding. */
  readonly length: number;
  /** When all loops have run. */
  readonly launches: number;
  /** What all launches may use, in compute units. */
  readonly fuel: bigint;
  /** Whether the chain can check every tile. */
  readonly refereeable: boolean;
  /** Bytes of the buffers that come with a job, and of those that make up its result, in the order of buffers. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

interface Sizes {
  readonly length: number;
  readonly planLength: number;
  readonly launches: number;
  readonly refereeable: boolean;
}

function readSizes(call: ModuleCall, program: Hex): Sizes | undefined {
  const word = records.get(call, "sizes", program);
  if (word === 0n) return undefined;
  const field = (index: bigint): number => Number((word >> (index * FIELD)) & FIELD_MASK);
  return { length: field(0n), planLength: field(1n), launches: field(2n), refereeable: field(3n) === 1 };
}

export function isPublished(from: ModuleCall, program: Hex): boolean {
  return readSizes(from.in(PROGRAMS_ADDRESS), program) !== undefined;
}

/** `undefined` when nobody has published it. */
export function programSummary(from: ModuleCall, program: Hex): ProgramSummary | undefined {
  const call = from.in(PROGRAMS_ADDRESS);
  const sizes = readSizes(call, program);
  if (sizes === undefined) return undefined;
  const { buffers, outputs } = readPlan(call, program, sizes);
  return {
    publisher: wordToAddress(records.get(call, "publisher", program)),
    ...{ length: sizes.length, launches: sizes.launches, refereeable: sizes.refereeable },
    fuel: records.get(call, "fuel", program),
    inputs: buffers.filter(({ kind }) => kind === "input").map(({ bytes }) => bytes),
    outputs: outputs.map((buffer) => buffers[buffer]?.bytes ?? 0),
  };
}

/** The program with kernels that have names but no text; `undefined` when nobody has published it. */
export function programPlan(from: ModuleCall, program: Hex): Program | undefined {
  const call = from.in(PROGRAMS_ADDRESS);
  const sizes = readSizes(call, program);
  return sizes === undefined ? undefined : readPlan(call, program, sizes);
}

/** What reading the plan costs; 0 when nobody has published it. */
export function planGas(from: ModuleCall, program: Hex): bigint {
  const sizes = readSizes(from.in(PROGRAMS_ADDRESS), program);
  return sizes === undefined ? 0n : gasOfPlan(sizes);
}

function gasOfPlan({ planLength }: Sizes): bigint {
  return limits.PLAN_GAS + limits.PLAN_BYTE_GAS * BigInt(planLength);
}

function readPlan(call: ModuleCall, program: Hex, sizes: Sizes): Program {
  const { planLength } = sizes;
  call.charge(gasOfPlan(sizes));
  return plans.get(program, planLength, () => {
    const count = Math.ceil(planLength / limits.MAX_PIECE_BYTES);
    const parts = Array.from({ length: count }, (_, index) => readBlob(call.prepaid(), "plan", program, index));
    return decodeProgram(joined(parts));
  });
}

/** The program with its kernels, ready to run; `undefined` when nobody has published it. Costs what checking it does. */
export function loadProgram(from: ModuleCall, program: Hex): CheckedProgram | undefined {
  const call = from.in(PROGRAMS_ADDRESS);
  const sizes = readSizes(call, program);
  if (sizes === undefined) return undefined;
  chargeCheck(call, sizes.length);
  return checkedPrograms.get(program, sizes.length, () =>
    checkProgram(decodeProgram(readEncoding(call.prepaid(), program, sizes.length))),
  );
}

export function chargeCheck(call: ModuleCall, length: number): void {
  call.charge(gasOfCheck(length));
}

function gasOfCheck(length: number): bigint {
  return limits.CHECK_GAS + limits.CHECK_BYTE_GAS * BigInt(length);
}

/** What loading it will cost; `undefined` when nobody has published it. */
export function checkGas(from: ModuleCall, program: Hex): bigint | undefined {
  const sizes = readSizes(from.in(PROGRAMS_ADDRESS), program);
  return sizes && gasOfCheck(sizes.length);
}

/** The encoding; `undefined` when nobody has published it. */
export function encodingOf(from: ModuleCall, program: Hex): Uint8Array | undefined {
  const call = from.in(PROGRAMS_ADDRESS);
  const sizes = readSizes(call, program);
  return sizes === undefined ? undefined : readEncoding(call, program, sizes.length);
}

function readEncoding(call: ModuleCall, program: Hex, length: number): Uint8Array {
  const encoding = joined(piecesOf(call, program).map((piece) => readPiece(call, piece)));
  assert(encoding.length === length, "the pieces are those of the program");
  return encoding;
}

function joined(parts: readonly (Uint8Array | undefined)[]): Uint8Array {
  return concatBytes(
    ...parts.map((part) => {
      assert(part !== undefined, "what was stored is there");
      return part;
    }),
  );
}

function pieceSlot(program: Hex, index: number): Hex {
  return slotOf("piece", program, index);
}

/** Hashes of the pieces of a published program. */
export function piecesOf(call: ModuleCall, program: Hex): readonly Hex[] {
  const count = Number(call.read(slotOf("pieces", program)));
  return Array.from({ length: count }, (_, index) => wordToHash(call.read(pieceSlot(program, index))));
}

function wordToHash(word: bigint): Hex {
  return `0x${word.toString(16).padStart(64, "0")}`;
}

/** `undefined` when nobody has stored it. */
export function readPiece(call: ModuleCall, piece: Hex): Uint8Array | undefined {
  return readBlob(call, "piece", piece);
}

export function isStored(call: ModuleCall, piece: Hex): boolean {
  return hasBlob(call, "piece", piece);
}

export function storePiece(call: ModuleCall, data: Uint8Array): Hex {
  if (data.length < 1 || data.length > limits.MAX_PIECE_BYTES) {
    const bounds = [BigInt(data.length), BigInt(limits.MAX_PIECE_BYTES)] as const;
    throw revertWith(programsAbi, "InvalidPiece", bounds);
  }
  const piece = bytesToHex(keccak256(data));
  if (isStored(call, piece)) return piece;
  writeBlob(call, data, CODE_BYTE_GAS, "piece", piece);
  call.emit(programsAbi, "PieceStored", { piece, length: BigInt(data.length) });
  return piece;
}

export interface NewProgram {
  readonly address: Hex;
  readonly length: number;
  readonly pieces: readonly Hex[];
  readonly launches: number;
  readonly checked: CheckedProgram;
}

/** The caller has checked it, and stored its pieces. */
export function writeProgram(call: ModuleCall, { address, length, pieces, launches, checked }: NewProgram): void {
  const { program, fuel, refereeable } = checked;
  const plan = encodeProgram({ ...program, kernels: program.kernels.map(({ entry }) => ({ ptx: "", entry })) });
  const words = [length, plan.length, launches, refereeable ? 1 : 0].map(BigInt);
  records.set(call, "publisher", addressToWord(call.message.caller), address);
  records.set(
    call,
    "sizes",
    words.reduce((sum, word, index) => sum | (word << (BigInt(index) * FIELD)), 0n),
    address,
  );
  records.set(call, "fuel", fuel, address);
  call.write(slotOf("pieces", address), BigInt(pieces.length));
  pieces.forEach((piece, index) => {
    call.write(pieceSlot(address, index), BigInt(piece));
  });
  for (let index = 0; index * limits.MAX_PIECE_BYTES < plan.length; index++) {
    const part = plan.subarray(index * limits.MAX_PIECE_BYTES, (index + 1) * limits.MAX_PIECE_BYTES);
    writeBlob(call, part, CODE_BYTE_GAS, "plan", address, index);
  }
}
