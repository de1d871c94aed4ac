/** Live progress of jobs: a claim of their worker, worth what its word is worth. What counts is what it commits. */
import { fuelOf } from "../../program/draw-place.ts";
import type { Program } from "../../program/types.ts";
import type { ClockPort, ProgressPort } from "../ports.ts";

export interface LaunchesDone {
  readonly job: bigint;
  readonly segment: number;
  readonly program: Program;
  /** All that the program makes. */
  readonly launches: number;
  /** Launches that are done, with the part of the one that is under way. */
  readonly done: number;
}

interface ReporterPorts {
  readonly progress: ProgressPort;
  readonly clock: ClockPort;
}

/** Reports at most now and then, the newest only. */
export class ProgressReporter {
  readonly #ports: ReporterPorts;
  readonly #pause: number;
  readonly #last = new Map<bigint, number>();
  #sequence = 0;

  constructor(ports: ReporterPorts, pauseMilliseconds: number) {
    this.#ports = ports;
    this.#pause = pauseMilliseconds;
  }

  /** `isLast` goes out in any case. */
  report({ job, segment, program, launches, done }: LaunchesDone, isLast = false): void {
    const at = this.#ports.clock.now();
    if (!isLast && at - (this.#last.get(job) ?? 0) < this.#pause) return;
    if (isLast) this.#last.delete(job);
    else this.#last.set(job, at);
    // The time, so that it goes on rising when the agent is started again.
    this.#sequence = Math.max(this.#sequence + 1, at);
    const total = fuelOf(program, { first: 0, end: launches });
    this.#ports.progress.report({ job, segment, done: unitsOf(program, done), total, sequence: this.#sequence });
  }
}

/** Compute units of so many launches. */
function unitsOf(program: Program, done: number): bigint {
  const whole = Math.floor(done);
  const next = Number(fuelOf(program, { first: whole, end: whole + 1 }));
  return fuelOf(program, { first: 0, end: whole }) + BigInt(Math.floor((done - whole) * next));
}
