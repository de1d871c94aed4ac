/** The emission schedule: a reward per finalised block that halves every so many blocks, until it is nothing. */

export interface EmissionSchedule {
  /** Wei minted for each of the first `halvingBlocks` blocks. */
  readonly initialPerBlock: bigint;
  readonly halvingBlocks: bigint;
}

/** What block `number` mints. Block 0 is genesis and mints nothing. */
export function emissionOfBlock(schedule: EmissionSchedule, number: bigint): bigint {
  if (number <= 0n) return 0n;
  return schedule.initialPerBlock >> ((number - 1n) / schedule.halvingBlocks);
}

/** What the blocks up to and including `number` mint together. */
export function emissionUpTo(schedule: EmissionSchedule, number: bigint): bigint {
  let total = 0n;
  let left = number > 0n ? number : 0n;
  for (let reward = schedule.initialPerBlock; reward > 0n && left > 0n; reward >>= 1n) {
    const blocks = left < schedule.halvingBlocks ? left : schedule.halvingBlocks;
    total += blocks * reward;
    left -= blocks;
  }
  return total;
}

/** What the whole schedule mints, ever. */
export function totalEmission(schedule: EmissionSchedule): bigint {
  let total = 0n;
  for (let reward = schedule.initialPerBlock; reward > 0n; reward >>= 1n) total += schedule.halvingBlocks * reward;
  return total;
}
