import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallPool } from "../../../rpc/call-pool/call-pool.ts";
import { callRequest } from "../../../rpc/call-request.ts";
import type { JobRequest } from "../../../rpc/calls/jobs.ts";
import { DEFAULT_LIMITS } from "../../../rpc/limits.ts";
import { SingleNode } from "../../chain/runtime/support/single-node.ts";
import { callerAt } from "../support/job-caller.ts";

const alone = new SingleNode();
let pool: CallPool;

beforeAll(async () => {
  await alone.open();
  const limits = { ...DEFAULT_LIMITS, callWorkers: 1, callMilliseconds: 1_000, callGas: 1e12 };
  pool = new CallPool({ spec: alone.spec, directory: join(alone.directory, "chain"), limits });
});

afterAll(async () => {
  await pool.close();
  await alone.close();
  alone.remove();
});

/** Creates a contract of that code, in a block with room for what takes minutes. */
function creating(code: `0x${string}`): JobRequest<"call"> {
  return {
    block: { number: 0, orLater: true },
    stateOverrides: new Map(),
    blockOverrides: { gasLimit: BigInt(1e12) },
    request: callRequest.read({ data: code }, "call"),
  };
}

/** PUSH1 2a, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN. */
const LIGHT = creating("0x602a60005260206000f3");
/** Jumps to its own beginning until its gas is gone. */
const HEAVY = creating("0x5b600056");

describe("a call that is stopped", () => {
  it("is the one that took too long, and none that its thread has done and not yet told of", async () => {
    const run = (request: JobRequest<"call">): Promise<string> => pool.run("call", request, callerAt());
    // A thread that is warm does one of these in less time than it waits before it tells of it.
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 8 }, () => run(LIGHT)));
    const outcomes = await Promise.allSettled([LIGHT, HEAVY, LIGHT].map(run));
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.code))).toEqual([
      expect.stringMatching(/2a$/),
      "CALL_TIMEOUT",
      expect.stringMatching(/2a$/),
    ]);
  });
});
