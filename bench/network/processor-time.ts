/** What processes have used of the processors, where Linux tells. */
import { readFile } from "node:fs/promises";

/** Linux counts processor time in hundredths of a second for programs, on every architecture. */
const TICKS_PER_SECOND = 100;

/** Seconds of all threads, in user and system mode: fields 14 and 15 of proc(5), after the name in brackets. */
export async function processorSecondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Of all of them together; not a number where the system does not tell. */
export async function processorSeconds(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map((pid) => processorSecondsOf(pid).catch(() => Number.NaN)));
  return seconds.reduce((sum, each) => sum + each, 0);
}
