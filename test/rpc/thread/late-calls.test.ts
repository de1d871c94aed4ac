import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { ReadView } from "../../../chain/store/read-view.ts";
import { callRequest } from "../../../rpc/call-request.ts";
import type { JobRequest } from "../../../rpc/calls/jobs.ts";
import { DEFAULT_LIMITS } from "../../../rpc/limits.ts";
import { withLateCalls } from "../../../rpc/thread/late-calls.ts";
import { ViewReads } from "../../../rpc/view-reads.ts";
import { ALICE, SingleNode } from "../../chain/runtime/support/single-node.ts";
import { callerAt } from "../support/job-caller.ts";

const alone = new SingleNode();
let node: Node;
let view: ReadView;

beforeAll(async () => {
  node = await alone.open();
  view = await ReadView.open(join(alone.directory, "chain"));
  await node.submit(alone.sign(ALICE));
  await alone.nextBlock(node);
  view.refresh();
});

afterAll(async () => {
  await view.close();
  await alone.close();
  alone.remove();
});

const refused = (number: number): Promise<never> =>
  Promise.reject(new CodedError("STORE_NO_ARCHIVE", "not kept here", { number }));

/** PUSH20 alice, BALANCE, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN. */
function balanceAt(number: number): JobRequest<"call"> {
  const request = callRequest.read({ data: `0x73${ALICE.address.slice(2)}3160005260206000f3` }, "it");
  return {
    request,
    block: { number, orLater: false },
    stateOverrides: [],
    blockOverrides: {},
  } as unknown as JobRequest<"call">;
}

it("runs a call here on a state that the workers have missed and this thread has", async () => {
  const run = withLateCalls(() => refused(0), new ViewReads(alone.spec, view), DEFAULT_LIMITS);
  let spent = 0;
  const result = await run(
    "call",
    balanceAt(0),
    callerAt("local", {
      spend: (milliseconds) => {
        spent += milliseconds;
      },
    }),
  );
  expect(BigInt(result)).toBe(node.stateAt(0).account(ALICE.address)?.balance);
  expect(spent).toBeGreaterThan(0);
});

it("leaves a state that nobody has, and any other failure, as they are", async () => {
  const reads = new ViewReads(alone.spec, view);
  const run = withLateCalls(() => refused(7), reads, DEFAULT_LIMITS);
  await expect(run("call", balanceAt(7), callerAt())).rejects.toMatchObject({ code: "STORE_NO_ARCHIVE" });
  const broken = withLateCalls(() => Promise.reject(new CodedError("CALL_TIMEOUT", "late")), reads, DEFAULT_LIMITS);
  await expect(broken("call", balanceAt(0), callerAt())).rejects.toMatchObject({ code: "CALL_TIMEOUT" });
});

/** JUMPDEST, PUSH1 0, JUMP. */
function endless(): JobRequest<"call"> {
  const request = callRequest.read({ data: "0x5b600056" }, "it");
  return { ...balanceAt(0), request };
}

it("says that the state is not there when a call needs more gas than it may have here", async () => {
  const run = withLateCalls(() => refused(0), new ViewReads(alone.spec, view), DEFAULT_LIMITS);
  await expect(run("call", endless(), callerAt())).rejects.toMatchObject({ code: "STORE_NO_ARCHIVE" });
});

it("runs such calls for a part of the time only", async () => {
  let time = 0;
  // Every look at the clock is 25 ms later: a call takes as long.
  const now = (): number => {
    time += 25;
    return time;
  };
  const run = withLateCalls(() => refused(0), new ViewReads(alone.spec, view), DEFAULT_LIMITS, now);
  let spent = 0;
  const begun = time;
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, () =>
      run(
        "call",
        balanceAt(0),
        callerAt("local", {
          spend: (milliseconds) => {
            spent += milliseconds;
          },
        }),
      ),
    ),
  );
  expect(results.filter(({ status }) => status === "fulfilled").length).toBe(spent / 25);
  expect(spent).toBeLessThanOrEqual(200 + 0.1 * (time - begun) + 25);
  expect(results.at(-1)).toMatchObject({ status: "rejected", reason: { code: "STORE_NO_ARCHIVE" } });
  time += 10_000;
  expect(await run("call", balanceAt(0), callerAt())).toMatch(/^0x/);
});
