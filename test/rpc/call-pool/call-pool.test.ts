import { afterEach, describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { CallPool } from "../../../rpc/call-pool/call-pool.ts";
import type { JobRequest } from "../../../rpc/calls/jobs.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "../../../rpc/limits.ts";
import { singleSpec } from "../../chain/runtime/support/single-node.ts";
import { callerAt } from "../support/job-caller.ts";

/** Threads with a program of the test's: a request says what becomes of it. */
function program(onJob: string): URL {
  const source = `
    import { parentPort, workerData } from "node:worker_threads";
    parentPort.postMessage([]);
    parentPort.on("message", (jobs) => { for (const { request } of jobs) { ${onJob} } });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

const OBEYS = program(`
  if (request === "die") process.exit(1);
  if (request === "hang") for (;;);
  if (request === "slow") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  Atomics.add(workerData.done, 0, 1);
  parentPort.postMessage([{ result: request, milliseconds: 3 }]);`);

const opened: CallPool[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.close()));
});

function openPool(limits: Partial<RpcLimits> = {}, workerUrl = OBEYS): CallPool {
  const all = { ...DEFAULT_LIMITS, callWorkers: 1, ...limits };
  const pool = new CallPool({ spec: singleSpec(), directory: "nowhere", limits: all, workerUrl });
  opened.push(pool);
  return pool;
}

let spent = 0;
const spend = (milliseconds: number): void => {
  spent += milliseconds;
};
const run = (pool: CallPool, request: string, caller = callerAt("local", { spend })): Promise<string> =>
  pool.run("call", request as unknown as JobRequest<"call">, caller);

const outcomes = async (calls: readonly Promise<string>[]): Promise<readonly unknown[]> =>
  (await Promise.allSettled(calls)).map((call) => (call.status === "fulfilled" ? call.value : call.reason.code));

describe("the threads that run calls", () => {
  it("answer in any number, and say what each call took", async () => {
    const pool = openPool({ callWorkers: 2 });
    const names = Array.from({ length: 200 }, (_, index) => `call ${index}`);
    spent = 0;
    expect(await outcomes(names.map((name) => run(pool, name)))).toEqual(names);
    expect(spent).toBe(3 * names.length);
    expect([pool.workers, pool.waiting]).toEqual([2, 0]);
  });

  it("are replaced when a call kills one, and the calls behind it are run by the next", async () => {
    const pool = openPool();
    const calls = ["before", "die", "after", "last"].map((name) => run(pool, name));
    expect(await outcomes(calls)).toEqual(["before", "CALL_WORKER_DIED", "after", "last"]);
    expect(pool.workers).toBe(1);
  });

  it("are replaced when a call takes too long, which its caller is told", async () => {
    const pool = openPool({ callMilliseconds: 2_000 });
    const calls = ["before", "hang", "after", "hang", "last"].map((name) => run(pool, name));
    expect(await outcomes(calls)).toEqual(["before", "CALL_TIMEOUT", "after", "CALL_TIMEOUT", "last"]);
  });

  it("take so many calls, and no more", async () => {
    const pool = openPool({ callsWaiting: 5 });
    const calls = Array.from({ length: 200 }, (_, index) => run(pool, `${index}`));
    const refused = (await outcomes(calls)).filter((outcome) => outcome === "RPC_BUSY");
    expect(refused.length).toBeGreaterThan(100);
    expect(await run(pool, "later")).toBe("later");
  });

  it("take batches of reads when they are free for them, and nobody waits behind a call", async () => {
    const pool = openPool();
    const read = (body: string): Promise<unknown> | undefined =>
      pool.read(body as unknown as JobRequest<"reads">, callerAt("local", { spend }));
    // The first finds no thread, but has one started.
    expect([read("first"), pool.workers]).toEqual([undefined, 1]);
    await run(pool, "it is there");
    const two = [read("slow"), read("b")];
    expect(read("one too many")).toBeUndefined();
    expect(await Promise.all(two)).toEqual(["slow", "b"]);
    const call = run(pool, "call");
    expect(read("behind a call")).toBeUndefined();
    expect(await call).toBe("call");
    expect(await read("now")).toBe("now");
    // Whoever asked does them itself when the thread dies, and they cost it nothing.
    spent = 0;
    expect(await outcomes([read("die"), read("behind it")] as Promise<string>[])).toEqual(
      Array(2).fill("CALL_WORKER_DIED"),
    );
    expect(spent).toBe(0);
    await pool.close();
    expect(read("closed")).toBeUndefined();
  });

  it("serve addresses in turns, however many calls one of them has", async () => {
    const pool = openPool({}, program("parentPort.postMessage([{ result: request, milliseconds: 100 }]);"));
    const order: string[] = [];
    const calls = Array.from({ length: 50 }, (_, index) => run(pool, `many ${index}`, callerAt("10.0.0.1")));
    calls.push(run(pool, "one", callerAt("10.0.0.2")));
    for (const call of calls) void call.then((result) => order.push(result));
    await Promise.all(calls);
    // Behind those that the thread has in hand: two at first.
    expect(order.indexOf("one")).toBeLessThanOrEqual(3);
  });

  it("leave room for others when one address asks for all of it", async () => {
    const pool = openPool({ callsWaiting: 40 });
    const many = Array.from({ length: 100 }, () => run(pool, "many", callerAt("10.0.0.1")));
    const other = run(pool, "other", callerAt("10.0.0.2"));
    expect((await outcomes(many)).filter((outcome) => outcome === "RPC_BUSY").length).toBeGreaterThan(80);
    expect(await other).toBe("other");
  });

  it("do nothing for clients that have left, whether their calls wait or are in hand", async () => {
    const seen = program(`
      globalThis.seen ??= [];
      seen.push(request);
      parentPort.postMessage([{ result: request === "seen" ? seen.join() : request, milliseconds: 1 }]);`);
    const pool = openPool({}, seen);
    let isGone = false;
    const leaving = callerAt("10.0.0.1", {
      check: () => {
        if (isGone) throw new CodedError("GONE", "hung up");
      },
    });
    const calls = Array.from({ length: 20 }, (_, index) => run(pool, `${index}`, leaving));
    isGone = true;
    const others = run(pool, "seen", callerAt("10.0.0.2"));
    expect(new Set((await outcomes(calls)).slice(2))).toEqual(new Set(["GONE"]));
    // Only those that had left this thread before the client did.
    expect(await others).toBe("0,1,seen");
    expect(pool.waiting).toBe(0);
  });

  it("that never come to life fail the calls, instead of being started for ever", async () => {
    const pool = openPool({}, new URL("data:text/javascript,throw new Error('broken')"));
    expect(await outcomes([run(pool, "a"), run(pool, "b")])).toEqual(["CALL_WORKER_DIED", "CALL_WORKER_DIED"]);
    expect(pool.workers).toBe(0);
  });

  it("end with the pool, and what is under way is told", async () => {
    const pool = openPool();
    const hanging = run(pool, "hang");
    await Promise.all([expect(hanging).rejects.toMatchObject({ code: "CALLS_CLOSED" }), pool.close()]);
    await expect(run(pool, "more")).rejects.toMatchObject({ code: "CALLS_CLOSED" });
  });
});
