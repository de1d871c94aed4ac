/**
 * Holds a round's outputs to a tile of it that was opened: fetches what the tile is computed from and the outputs that it is
 * part of, computes it, and shows the chain where they differ. Verifiers do so for their seats, a client for all of them.
 */
import { bytesToHex } from "../../../base/bytes.ts";
import { decodeProgram } from "../../program/codec.ts";
import { agentError } from "../errors.ts";
import type { ChainPort, RoundView, SeatView } from "../ports.ts";
import { falseOutput, outputsOfLaunch } from "../tiles/output-tile.ts";
import { bytesOfBuffer } from "../tiles/touched-chunks.ts";
import { MAX_OUTPUT_BYTES } from "./limits.ts";
import { questionOf } from "./recompute-tile.ts";
import type { TileThread } from "./tile-thread.ts";
import type { Place } from "./verifier-state.ts";

export interface OutputCheckPorts {
  readonly chain: Pick<ChainPort, "program" | "endpoint" | "opening" | "send">;
  readonly thread: TileThread;
  /** What the tile is computed from, as the worker sends it. */
  inputs(round: RoundView, place: Place): Promise<Uint8Array>;
  /** The contents with this address, checked, from one of these places; rejects with a coded error. */
  output(address: RoundView["outputs"][number], most: number, places: readonly string[]): Promise<Uint8Array>;
}

/** `false-output` when the chain has taken the proof, `refused` when it has not, `right` when there was nothing to prove. */
export type OutputFinding = "right" | "false-output" | "refused";

/** Rejects with a coded error when something that it needs cannot be had. */
export async function checkOutputs(ports: OutputCheckPorts, round: RoundView, seat: SeatView): Promise<OutputFinding> {
  const { chain, thread } = ports;
  const { launch, tile } = seat;
  const encoded = await chain.program(round.program);
  if (encoded === undefined) throw agentError("JOB_REFUSED", `nobody has published program ${round.program}`);
  const program = decodeProgram(encoded);
  const outputs = outputsOfLaunch(program, launch, round.endLaunch).filter(
    ({ buffer }) => bytesOfBuffer(program, buffer) <= MAX_OUTPUT_BYTES,
  );
  if (outputs.length === 0 || round.outputs.length === 0) return "right";
  const inputs = await ports.inputs(round, { launch, tile });
  const found = await thread.recompute({ program: encoded, question: questionOf(round, seat), inputs });
  // What the tile itself is, is for the vote and the referee.
  if (seat.digest !== bytesToHex(found.digest)) return "right";
  const endpoint = await chain.endpoint(round.worker);
  for (const { output, buffer } of outputs) {
    const address = round.outputs[output];
    const written = found.written.get(buffer);
    if (address === undefined || written === undefined) continue;
    // One byte more, so that an output that is too long is not taken for one that is withheld.
    const most = bytesOfBuffer(program, buffer) + 1;
    const contents = await ports.output(address, most, endpoint === undefined ? [] : [endpoint]);
    const opening = await chain.opening(round.id, seat.seat);
    if (opening === undefined) throw agentError("TILE_ABSENT", `no transaction opens seat ${seat.seat} by itself`);
    const challenge = falseOutput(program, round, { output, buffer, launch, tile, written }, contents, opening);
    if (challenge === undefined) continue;
    return (await chain.send(challenge)).kind === "done" ? "false-output" : "refused";
  }
  return "right";
}
