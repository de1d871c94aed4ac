/** Why a job came into its status, in words; docs/spec/market.md has the numbers. */
export const JOB_REASONS: readonly string[] = [
  "",
  "it is new",
  "racers are drawn",
  "bidding is over",
  "the best bid won",
  "nobody made a bid that could win",
  "a worker has committed to a result, which is checked now",
  "verifiers found the result true",
  "the worker is paid",
  "a segment is paid, the next one begins",
  "verifiers or the referee found the result false",
  "nobody delivered in time",
  "a seal was not revealed in time",
  "there were no racers in time",
  "the job's time is over",
  "the client cancelled it",
  "the program traps",
  "the client did not show an input",
  "the worker did not show an output",
  "the worker did not show the state after a segment",
  "it was tried as often as it may be",
  "verification came to no verdict",
  "nothing is left to pay verifiers with",
  "the state after a segment waits for the client to hold it",
];

export function reasonText(reason: number): string {
  return JOB_REASONS[reason] ?? `reason ${reason}`;
}
