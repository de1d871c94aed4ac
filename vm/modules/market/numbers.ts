/** What the numbers in jobs and their events mean. docs/spec/market.md has the same tables. */

export const JOB_STATUS = {
  none: 0,
  open: 1,
  revealing: 2,
  assigned: 3,
  committed: 4,
  accepted: 5,
  settled: 6,
  rejected: 7,
  cancelled: 8,
  expired: 9,
} as const;

export type JobStatus = (typeof JOB_STATUS)[keyof typeof JOB_STATUS];

/** Statuses from which a job goes on by itself. */
export function isLive(status: number): boolean {
  return status >= JOB_STATUS.open && status <= JOB_STATUS.accepted;
}

/** Why a job came into its status. Never reused. */
export const REASON = {
  none: 0,
  /** A task or a job is new. */
  posted: 1,
  /** The beacon has drawn racers. */
  drawn: 2,
  /** Bidding is over. */
  biddingOver: 3,
  /** The best bid won. */
  awarded: 4,
  /** Nobody bid, or no bid could win. */
  noBids: 5,
  /** A worker showed what it commits to. */
  committed: 6,
  /** Verifiers found it true. */
  verified: 7,
  /** Nothing can be challenged any more, and the worker was paid. */
  paid: 8,
  /** A segment was paid; the next one begins. */
  segmentPaid: 9,
  /** Verifiers or the referee found it false. */
  wrong: 10,
  /** Nobody delivered in time. */
  late: 11,
  /** A seal was not revealed in time. */
  unrevealed: 12,
  /** There were no racers in time. */
  noRacers: 13,
  /** The job's own time is over. */
  deadline: 14,
  /** The client wants it no more. */
  cancelled: 15,
  /** The program traps. */
  programTraps: 16,
  /** The client did not show an input. */
  inputWithheld: 17,
  /** The worker did not show an output. */
  outputWithheld: 18,
  /** The worker did not show the state after a segment. */
  checkpointWithheld: 19,
  /** It was tried as often as it may be. */
  attempts: 20,
  /** Verification came to no verdict. */
  undecided: 21,
  /** Nothing is left to pay verifiers with. */
  verificationSpent: 22,
  /** The state after a segment waits for the client to hold it. */
  unattested: 23,
} as const;

export type Reason = (typeof REASON)[keyof typeof REASON];

/** Whose turn it is. */
export const ACTOR = { nobody: 0, client: 1, worker: 2, bidders: 3, verifiers: 4, protocol: 5 } as const;

export type Actor = (typeof ACTOR)[keyof typeof ACTOR];

/** Why a device is no member any more. */
export const MEMBER_LEFT = {
  byItself: 0,
  misses: 1,
  notAvailable: 2,
  collateral: 3,
  lock: 4,
  noDevice: 5,
  sourceClosed: 6,
} as const;

export const DEMAND_KIND = { input: 1, output: 2, checkpoint: 3 } as const;
export const DEMAND_STATUS = { none: 0, waits: 1, answered: 2, withheld: 3 } as const;

/** Kinds of work on the agenda. */
export const AGENDA_KIND = {
  /** The job's state ends. By job. */
  job: 1,
  /** Racers are drawn. By source. */
  draw: 2,
  /** The worker has answered for its outputs long enough. By job. */
  liability: 3,
  /** A demand was not answered. By the demand's number. */
  demand: 4,
  /** A verdict that met a bug is tried again. By job. */
  verdict: 5,
} as const;
