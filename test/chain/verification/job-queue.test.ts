import { describe, expect, it } from "vitest";
import { JobQueue, type Queued } from "../../../chain/verification/job-queue.ts";
import { MAX_IN_A_ROW } from "../../../chain/verification/limits.ts";
import type { SignedJob } from "../../../chain/verification/packed-job.ts";

interface Entry extends Queued {
  readonly name: string;
}

/** The queue looks at the type alone. */
function entry(type: SignedJob["type"], name: string = type, bytes = 0): Entry {
  return { job: { type } as SignedJob, name, bytes };
}

function drain(queue: JobQueue<Entry>): string[] {
  const names: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) names.push(next.name);
  return names;
}

function queueOf(...entries: readonly Entry[]): JobQueue<Entry> {
  const queue = new JobQueue<Entry>({ queuedJobs: 1000, queuedBytes: 1000 });
  for (const one of entries) queue.push(one);
  return queue;
}

describe("the queue of checks", () => {
  it("takes certificates and proposals first, votes last, and each kind in order", () => {
    const queue = queueOf(
      ...[entry("votes", "v1"), entry("finals"), entry("votes", "v2"), entry("proposal"), entry("block")],
      ...[entry("certificate")],
    );
    expect(drain(queue)).toEqual(["proposal", "certificate", "finals", "block", "v1", "v2"]);
  });

  it("lets votes have a turn under a flood of certificates", () => {
    const flood = Array.from({ length: 3 * MAX_IN_A_ROW }, () => entry("certificate"));
    const names = drain(queueOf(entry("votes"), ...flood));
    expect(names.indexOf("votes")).toBe(MAX_IN_A_ROW);
  });

  it("is bounded by jobs and by bytes, and drops the last of the least urgent", () => {
    const byJobs = new JobQueue<Entry>({ queuedJobs: 2, queuedBytes: 10 });
    expect(byJobs.push(entry("votes", "v1"))).toEqual([]);
    expect(byJobs.push(entry("votes", "v2"))).toEqual([]);
    expect(byJobs.push(entry("votes", "v3")).map(({ name }) => name)).toEqual(["v3"]);
    expect(byJobs.push(entry("certificate")).map(({ name }) => name)).toEqual(["v2"]);
    expect(drain(byJobs)).toEqual(["certificate", "v1"]);

    const byBytes = new JobQueue<Entry>({ queuedJobs: 100, queuedBytes: 10 });
    expect(byBytes.push(entry("block", "large", 50))).toEqual([]);
    expect(byBytes.push(entry("proposal", "p", 6)).map(({ name }) => name)).toEqual(["large"]);
    expect(byBytes.push(entry("proposal", "q", 6)).map(({ name }) => name)).toEqual(["q"]);
    expect(drain(byBytes)).toEqual(["p"]);
  });

  it("drops no votes and certificates for want of room in bytes, since they take none", () => {
    const queue = new JobQueue<Entry>({ queuedJobs: 100, queuedBytes: 10 });
    for (const one of [entry("votes"), entry("proposal", "p", 6), entry("certificate")]) queue.push(one);
    expect(queue.push(entry("proposal", "q", 6)).map(({ name }) => name)).toEqual(["q"]);
    expect(queue.push(entry("finals", "f", 6)).map(({ name }) => name)).toEqual(["f"]);
    expect(drain(queue)).toEqual(["p", "certificate", "votes"]);
  });

  it("puts back what was taken in front, and forgets all of it when asked", () => {
    const queue = queueOf(entry("votes", "v1"), entry("votes", "v2"));
    const first = queue.take() as Entry;
    queue.putBack(first);
    expect(queue.size).toBe(2);
    expect(queue.takeAll().map(({ name }) => name)).toEqual(["v1", "v2"]);
    expect(queue.size).toBe(0);
    expect(queue.isHalfFull).toBe(false);
  });
});
