/**
 * How fast a provider is, learned from the jobs of it that were verified: seconds = overhead + compute units / speed. Least
 * squares on line, with forgetting, weighted so that a job of an hour does not drown one of a second. Pure: the same
 * observations in the same order give the same model. It advises; nothing of it is agreed on by anybody.
 */

export interface Observation {
  /** Compute units that the job declared. */
  readonly units: number;
  /** From assignment to commitment. */
  readonly seconds: number;
}

export interface SpeedModel {
  /** Seconds that any job takes, and seconds for 10^9 units. Never negative. */
  readonly overhead: number;
  readonly perBillion: number;
  /** Sums over observations, newer ones counting more, from which the two follow. */
  readonly sums: Sums;
  /** Mean square of relative errors of predictions, newer ones counting more. */
  readonly error: number;
  readonly observations: number;
}

/** Of the equations x * overhead + y * perBillion = 1, where x = 1 / seconds and y = 10^9 units / seconds. */
interface Sums {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  readonly x: number;
  readonly y: number;
}

const BILLION = 1e9;
/** What an observation counts for when the next one comes: half after 14. */
const FORGETTING = 0.95;
/** What a benchmark counts for beside a job that was done. */
const PRIOR = 0.01;
/** Observations beyond these are mistakes of a clock. */
const MOST_SECONDS = 1e7;

/** `speed`: units in a second, as a benchmark has it. */
export function firstModel(speed: number): SpeedModel {
  const perBillion = BILLION / Math.max(speed, 1);
  // As if a job of each kind had been seen: one with next to nothing to compute, and a long one.
  const jobs = [equation({ units: 0, seconds: 1 }), equation({ units: 100 * speed, seconds: 101 })];
  const none: Sums = { xx: 0, xy: 0, yy: 0, x: 0, y: 0 };
  const sums = jobs.reduce<Sums>((sum, job) => added(sum, 1, job, PRIOR), none);
  return { overhead: 1, perBillion, sums, error: 1, observations: 0 };
}

export function predict({ overhead, perBillion }: SpeedModel, units: number): number {
  return overhead + (perBillion * units) / BILLION;
}

/** Divided by its seconds: each observation says one thing, however long it took. */
function equation({ units, seconds }: Observation): { readonly x: number; readonly y: number } {
  return { x: 1 / seconds, y: units / BILLION / seconds };
}

function added(sums: Sums, keep: number, { x, y }: { readonly x: number; readonly y: number }, weight: number): Sums {
  return {
    xx: keep * sums.xx + weight * x * x,
    xy: keep * sums.xy + weight * x * y,
    yy: keep * sums.yy + weight * y * y,
    x: keep * sums.x + weight * x,
    y: keep * sums.y + weight * y,
  };
}

/** The best of all that are not negative: time does not run backwards, whatever noise says. */
function solve({ xx, xy, yy, x, y }: Sums): { readonly overhead: number; readonly perBillion: number } {
  const determinant = xx * yy - xy * xy;
  const alone = { overhead: xx > 0 ? x / xx : 0, perBillion: yy > 0 ? y / yy : 0 };
  // All jobs were of one size so far: what they took goes with their size.
  if (determinant <= 1e-12 * xx * yy) return yy > 0 ? { overhead: 0, perBillion: alone.perBillion } : { ...alone };
  const overhead = (x * yy - y * xy) / determinant;
  const perBillion = (y * xx - x * xy) / determinant;
  if (overhead < 0) return { overhead: 0, perBillion: alone.perBillion };
  return perBillion < 0 ? { overhead: alone.overhead, perBillion: 0 } : { overhead, perBillion };
}

/** What cannot be is ignored. */
export function learn(model: SpeedModel, observation: Observation): SpeedModel {
  const { units, seconds } = observation;
  const isReal = Number.isFinite(units) && units >= 0 && seconds > 0 && seconds <= MOST_SECONDS;
  if (!isReal) return model;
  const predicted = predict(model, units);
  const relative = (seconds - predicted) / Math.max(seconds, predicted);
  const sums = added(model.sums, FORGETTING, equation(observation), 1);
  const observations = model.observations + 1;
  const share = Math.max(1 / observations, 1 - FORGETTING);
  return { ...solve(sums), sums, error: model.error * (1 - share) + relative * relative * share, observations };
}

/** Seconds that a job takes with a good margin: two standard errors above what is expected. */
export function predictLate(model: SpeedModel, units: number): number {
  return predict(model, units) * (1 + 2 * Math.sqrt(model.error));
}
