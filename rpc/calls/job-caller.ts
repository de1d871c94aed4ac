/** Whoever a job is for. */
export interface JobCaller {
  /** Where it comes from: those who come from different places take turns. */
  readonly address: string;
  /** Told what its job took. */
  spend(milliseconds: number): void;
  /** Throws when nobody wants the result any more: the client is gone, or has used up what it may take. */
  check(): void;
}
