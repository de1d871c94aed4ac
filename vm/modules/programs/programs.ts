/** The programs module: what jobs compute, published once, checked in full, and kept by the chain. */
import { bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeProgram } from "../../../compute/program/codec.ts";
import { reject } from "../../../compute/program/errors.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { launchesIn } from "../../../compute/program/schedule.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { compileKernel } from "../../../compute/ptx/wasm/compile.ts";
import { programsAbi } from "../../interfaces/abi/programs.ts";
import { PROGRAMS_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { MAX_PIECE_BYTES, MAX_PIECES, MAX_REASON_LENGTH } from "./limits.ts";
import * as store from "./program-store.ts";

export function createProgramsModule(): NativeModule {
  return defineModule({
    name: "programs",
    address: PROGRAMS_ADDRESS,
    abi: programsAbi,
    handlers: {
      publish: (call, encoding) => {
        const bytes = hexToBytes(encoding);
        return publish(call, bytes, () => cut(bytes).map((part) => store.storePiece(call, part)));
      },
      storePiece: (call, data) => store.storePiece(call, hexToBytes(data)),
      publishPieces: (call, pieces) => {
        if (pieces.length > MAX_PIECES) refuse("PROGRAM_LIMIT", `a program has at most ${MAX_PIECES} pieces`);
        const parts = pieces.map((piece) => requirePiece(call, piece));
        return publish(call, concatBytes(...parts), () => pieces);
      },
      ...views,
    },
  });
}

const views = {
  isPublished: store.isPublished,
  isStored: store.isStored,
  summaryOf: (call: ModuleCall, program: Hex) => {
    const summary = store.programSummary(call, program);
    if (summary === undefined) throw unknown(program);
    return { ...summary, length: BigInt(summary.length), launches: BigInt(summary.launches), ...lengths(summary) };
  },
  piecesOf: (call: ModuleCall, program: Hex) => {
    if (!store.isPublished(call, program)) throw unknown(program);
    return store.piecesOf(call, program);
  },
  pieceData: (call: ModuleCall, piece: Hex) => bytesToHex(requirePiece(call, piece)),
  encodingOf: (call: ModuleCall, program: Hex) => {
    const encoding = store.encodingOf(call, program);
    if (encoding === undefined) throw unknown(program);
    return bytesToHex(encoding);
  },
} as const;

function lengths({ inputs, outputs }: store.ProgramSummary): { inputs: bigint[]; outputs: bigint[] } {
  return { inputs: inputs.map(BigInt), outputs: outputs.map(BigInt) };
}

function unknown(program: Hex): Error {
  return revertWith(programsAbi, "UnknownProgram", [program]);
}

function requirePiece(call: ModuleCall, piece: Hex): Uint8Array {
  const data = store.readPiece(call, piece);
  if (data === undefined) throw revertWith(programsAbi, "UnknownPiece", [piece]);
  return data;
}

function refuse(code: string, reason: string): never {
  throw revertWith(programsAbi, "InvalidProgram", [code, reason.slice(0, MAX_REASON_LENGTH)]);
}

/** The check is paid for before it is done, so that whoever sends what costs much to refuse pays for that too. */
function publish(call: ModuleCall, encoding: Uint8Array, storePieces: () => readonly Hex[]): Hex {
  store.chargeCheck(call, encoding.length);
  const address = bytesToHex(contentAddress(encoding));
  if (store.isPublished(call, address)) throw revertWith(programsAbi, "AlreadyPublished", [address]);
  const checked = check(encoding);
  const launches = launchesIn(checked.program.steps);
  store.writeProgram(call, { address, length: encoding.length, pieces: storePieces(), launches, checked });
  const { fuel, refereeable } = checked;
  call.emit(programsAbi, "Published", {
    ...{ program: address, publisher: call.message.caller },
    ...{ length: BigInt(encoding.length), launches: BigInt(launches), fuel, refereeable },
  });
  return address;
}

/** In full: what is published can be run, verified and, within the referee's caps, refereed, without another look. */
function check(encoding: Uint8Array): CheckedProgram {
  try {
    const checked = checkProgram(decodeProgram(encoding));
    if (launchesIn(checked.program.steps) === 0) reject("PROGRAM_LIMIT", "the program launches nothing");
    for (const kernel of checked.kernels) compileKernel(kernel, { paged: true, findRaces: true });
    return checked;
  } catch (error) {
    if (isCoded(error)) return refuse(error.code, error.message);
    throw error;
  }
}

function cut(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / MAX_PIECE_BYTES) }, (_, index) =>
    bytes.subarray(index * MAX_PIECE_BYTES, (index + 1) * MAX_PIECE_BYTES),
  );
}
