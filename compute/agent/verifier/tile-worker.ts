/** The thread in which a verifier recomputes: a tile may take seconds, and other rounds must not wait for it. */
import { parentPort } from "node:worker_threads";
import { bytesToHex } from "../../../base/bytes.ts";
import { assert, isCoded } from "../../../base/errors.ts";
import { decodeProgram } from "../../program/codec.ts";
import { contentAddress } from "../../program/merkle.ts";
import { type CheckedProgram, checkProgram } from "../../ptx/check-program.ts";
import { KEPT_PROGRAMS } from "./limits.ts";
import { recomputeTile } from "./recompute-tile.ts";
import type { TileAnswer, TileOrder } from "./tile-messages.ts";

assert(parentPort !== null, "this file runs as a worker");
const port = parentPort;

/** Checking a program takes longer than most tiles. */
const programs = new Map<string, CheckedProgram>();

function checkedOf(bytes: Uint8Array): CheckedProgram {
  const address = bytesToHex(contentAddress(bytes));
  const known = programs.get(address);
  if (known !== undefined) return known;
  const checked = checkProgram(decodeProgram(bytes));
  const [oldest] = programs.keys();
  if (oldest !== undefined && programs.size >= KEPT_PROGRAMS) programs.delete(oldest);
  programs.set(address, checked);
  return checked;
}

port.on("message", ({ id, program, question, inputs }: TileOrder) => {
  try {
    const found = recomputeTile({ checked: checkedOf(program), ...question }, inputs);
    port.postMessage({ id, kind: "found", found } satisfies TileAnswer);
  } catch (error) {
    if (!isCoded(error)) throw error;
    port.postMessage({ id, kind: "failed", code: error.code, message: error.message } satisfies TileAnswer);
  }
});
