import { useEffect, useState } from "preact/hooks";
import { connection } from "../../state/node.ts";
import { computedShare } from "./job-words.ts";

/** How far the first of a job's workers says that it is, from 0 to 1; `undefined` while nobody says so. */
export function useProgress(job: bigint, segment: number): number | undefined {
  const [share, setShare] = useState<number>();
  useEffect(() => {
    setShare(undefined);
    return connection.subscribe("ogpu_subscribe", ["progress", { job: `0x${job.toString(16)}` }], (report) => {
      const told = computedShare(report);
      if (told !== undefined) setShare((before = 0) => Math.max(before, told));
    });
  }, [job, segment]);
  return share;
}
