import type { Detector, Finding, WatchedBlock } from "../anomaly.ts";
import { MAX_FOLLOWED_JOBS, STUCK_SECONDS } from "../limits.ts";

interface Followed {
  readonly status: number;
  /** Seconds of protocol time; 0 for no one's turn. */
  readonly by: number;
  isTold: boolean;
}

const FIRST_RUNNING = 1;
const LAST_RUNNING = 5;

/** Jobs whose time for the next step is long over: every state should end by itself, so somebody should look. */
export class StuckJobs implements Detector {
  private readonly jobs = new Map<string, Followed>();

  onBlock({ events, milliseconds }: WatchedBlock): readonly Finding[] {
    for (const { module, name, args } of events) {
      if (module === "market" && name === "JobChanged")
        this.change(String(args["job"]), Number(args["status"]), Number(args["by"]));
    }
    return this.overdue(Math.floor(milliseconds / 1000));
  }

  private change(job: string, status: number, by: number): void {
    this.jobs.delete(job);
    if (status < FIRST_RUNNING || status > LAST_RUNNING) return;
    const [oldest] = this.jobs.keys();
    if (this.jobs.size >= MAX_FOLLOWED_JOBS && oldest !== undefined) this.jobs.delete(oldest);
    this.jobs.set(job, { status, by, isTold: false });
  }

  private overdue(now: number): readonly Finding[] {
    const findings: Finding[] = [];
    for (const [job, followed] of this.jobs) {
      const { by, isTold, status } = followed;
      if (isTold || by === 0 || now < by + STUCK_SECONDS) continue;
      followed.isTold = true;
      const message = `Job ${job} should have moved on ${now - by} s ago, and has not.`;
      findings.push({ kind: "stuck-job", severity: "warning", message, data: { job, status, seconds: now - by } });
    }
    return findings;
  }
}
