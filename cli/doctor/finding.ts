/** What a check found. Its words are for people: what is there, and where it is not well, what to do. */
export interface Finding {
  /** What was looked at: `disk`, `port 30333`. */
  readonly subject: string;
  /** `fault`: it will not work so. `look`: it works, but somebody should know. `skipped`: nothing could be found out. */
  readonly state: "ok" | "look" | "fault" | "skipped";
  readonly found: string;
  readonly advice?: string;
}

export function ok(subject: string, found: string): Finding {
  return { subject, state: "ok", found };
}

export function look(subject: string, found: string, advice: string): Finding {
  return { subject, state: "look", found, advice };
}

export function fault(subject: string, found: string, advice: string): Finding {
  return { subject, state: "fault", found, advice };
}

export function skipped(subject: string, found: string): Finding {
  return { subject, state: "skipped", found };
}
