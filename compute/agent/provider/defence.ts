/**
 * A worker's word against a vote: where its round was lost on a tile that the reference finds as it was committed, it has the
 * chain compute that tile. The votes may have been bought, or could not reach it.
 */
import { bytesToHex } from "../../../base/bytes.ts";
import { isRefereeable } from "../../program/refereeable.ts";
import { launchAt } from "../../program/schedule.ts";
import type { ChainPort, RoundView } from "../ports.ts";
import { callReferee, chunksOf } from "../verifier/call-referee.ts";
import { questionOf, recomputeTile } from "../verifier/recompute-tile.ts";
import type { Place } from "../verifier/verifier-state.ts";
import type { JobPrograms } from "./job-programs.ts";
import type { ProviderEvent } from "./provider-event.ts";
import type { SegmentRecord } from "./provider-memory.ts";
import type { SegmentRunner } from "./segment-runner.ts";

interface DefencePorts {
  readonly chain: ChainPort;
  readonly runner: SegmentRunner;
  readonly programs: JobPrograms;
  tell(event: ProviderEvent): void;
}

/** A challenge that breaks off is begun again: its bond is lost unless it is brought to its end. */
const TRIES = 3;
/** Tiles that are remembered. */
const MAX_KEPT = 1_024;

export class Defence {
  readonly #ports: DefencePorts;
  /** How often a tile was defended, by round and place; those that need nothing more have had all their tries. */
  readonly #tries = new Map<string, number>();

  constructor(ports: DefencePorts) {
    this.#ports = ports;
  }

  /** Rejects when something that it needs cannot be had now. */
  async defend(round: RoundView, record: SegmentRecord, signal: AbortSignal): Promise<void> {
    const { chain } = this.#ports;
    const place = round.dispute ?? (await chain.disputed(round.id));
    const opened = place && round.seats.find(({ launch, tile }) => launch === place.launch && tile === place.tile);
    if (place === undefined || opened?.digest === undefined) return;
    const { launch, tile } = place;
    const key = `${round.id} ${launch}/${tile}`;
    const tries = this.#tries.get(key) ?? 0;
    if (tries >= TRIES) return;
    if (this.#tries.size >= MAX_KEPT) this.#tries.clear();
    this.#tries.set(key, tries + 1);
    await this.#defend(round, record, { launch, tile }, opened.digest, signal);
    this.#tries.set(key, TRIES);
  }

  async #defend(
    round: RoundView,
    record: SegmentRecord,
    place: Place,
    digest: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { chain, runner, programs, tell } = this.#ports;
    const { checked } = await programs.get(round.program);
    const scheduled = launchAt(checked.program, place.launch);
    if (scheduled === undefined || !isRefereeable(scheduled.launch, checked.program.buffers)) return;
    const inputs = await runner.inputs(record.task, place, signal);
    const found = recomputeTile({ checked, ...questionOf(round, place) }, inputs);
    const isRight = bytesToHex(found.digest) === digest;
    tell({ kind: "accused", job: round.job, ...place, isRight });
    const encoded = isRight ? await chain.program(round.program) : undefined;
    // Where another's call was enough, a second one would be refused.
    const isLost = (await chain.round(round.id))?.phase === round.phase;
    if (encoded === undefined || !isLost) return;
    const chunks = chunksOf(encoded, round, place, inputs);
    await callReferee(chain, round.id, place, chunks, ({ action, error }) => {
      if (error === undefined) tell({ kind: "sent", action, job: round.job });
      else tell({ kind: "refused", action, job: round.job, error });
    });
  }
}
