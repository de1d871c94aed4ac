/** Small pool tasks on a devnet of processes, as `npm start` runs it: when each has come how far. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { MarketSession } from "../../cli/job/market-session.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { PROGRAM, startDevnet } from "../network/our-network.ts";

/** The client's account; the last ones are the providers' and verifiers'. */
const CLIENT = 0;
/** A plate of 32 by 32 points, four steps: a fraction of a second for anybody. */
const WORK = ["--example", "heat-equation", "--example-size", "32", "--example-steps", "4"];
const POLL_MILLISECONDS = 20;

/** In their order. */
export const STAGES = ["included", "drawn", "committed", "seated", "sealed", "opened", "accepted", "paid"] as const;
export type Stage = (typeof STAGES)[number];

/** Seconds from the submission. */
export type TaskTimes = Readonly<Record<Stage, number>>;

/** One after the other, after one that brings the program, the source and the blobs. */
export async function timeTasks(folder: string, validators: number, count: number): Promise<readonly TaskTimes[]> {
  const chain = await startDevnet(folder, validators);
  try {
    const before = await submitFirst(chain.url);
    const session = new MarketSession(chain.url.href, testAccount(CLIENT).privateKey);
    try {
      const { source, inputs } = await session.job(before);
      const times: TaskTimes[] = [];
      while (times.length < count) times.push(await timeTask(session, source, inputs));
      return times;
    } finally {
      session.close();
    }
  } finally {
    await chain.stop();
  }
}

async function submitFirst(url: URL): Promise<bigint> {
  const args = [PROGRAM, "job", "submit", "--rpc", url.href, "--from", String(CLIENT), ...WORK, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the first task ended with ${code}`);
  const { job } = JSON.parse(out.trim().split("\n").at(-1) ?? "") as { readonly job: string };
  return BigInt(job);
}

async function timeTask(session: MarketSession, source: bigint, inputs: readonly `0x${string}`[]): Promise<TaskTimes> {
  const start = performance.now();
  const job = await session.submitTask(source, inputs);
  const times = new Map<Stage, number>();
  for (;;) {
    const stage = await stageOf(session, job);
    // What happened between two looks is taken to have happened now.
    for (const each of STAGES.slice(0, STAGES.indexOf(stage) + 1)) {
      if (!times.has(each)) times.set(each, (performance.now() - start) / 1000);
    }
    if (stage === "paid") return Object.fromEntries(times) as TaskTimes;
    await delay(POLL_MILLISECONDS);
  }
}

async function stageOf(session: MarketSession, id: bigint): Promise<Stage> {
  const { status, round } = await session.job(id);
  if (status > 6) throw new Error(`task ${id} is not paid: status ${status}`);
  if (status === 6) return "paid";
  if (status === 5) return "accepted";
  if (status < 4) return status === 3 ? "drawn" : "included";
  const { phase, by } = await session.link.readModule({
    ...{ module: "verification", functionName: "roundOf", args: [round] },
  });
  if (phase >= 3) return "opened";
  if (phase === 2) return "sealed";
  return by === 0n ? "committed" : "seated";
}
