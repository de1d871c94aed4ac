import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { defineMethod, type NodeContext } from "../../rpc/method.ts";
import type { RpcClient } from "../../rpc/request-budget.ts";
import { PATIENT, type RpcAnswer, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;

beforeAll(async () => {
  fixture = await RpcFixture.open();
});

afterAll(() => fixture.close());

function batchOf(length: number, method: string, ...params: readonly unknown[]): string {
  return JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: "2.0", id, method, params })));
}

/** One method, which does `run`, on a clock that the test moves. */
function rpcWith(run: () => unknown, now?: () => number): JsonRpc {
  return new JsonRpc({
    methods: [defineMethod({ name: "work", summary: "", result: {}, parameters: [], run })],
    node: { limits: DEFAULT_LIMITS } as NodeContext,
    onBug: () => undefined,
    ...(now !== undefined && { now }),
  });
}

async function ask(rpc: JsonRpc, body: string, client: RpcClient = PATIENT): Promise<readonly RpcAnswer[]> {
  return JSON.parse((await rpc.answer(body, client)) ?? "null");
}

function codes(answers: readonly RpcAnswer[]): unknown[] {
  return answers.map(({ error }) => (error?.data as { readonly code?: string } | undefined)?.code ?? "done");
}

describe("the budget of a request", () => {
  it("ends the work on a batch after its time, and says so to the rest", async () => {
    let time = 0;
    const rpc = rpcWith(
      () => {
        time += DEFAULT_LIMITS.workMilliseconds / 10;
        return time;
      },
      () => time,
    );
    const expected = [...Array(10).fill("done"), ...Array(20).fill("RPC_BUDGET")];
    expect(codes(await ask(rpc, batchOf(30, "work")))).toEqual(expected);
    expect(codes(await ask(rpc, batchOf(5, "work")))).toEqual(Array(5).fill("done"));
  });

  it("does not count the time that a request waits for others", async () => {
    let time = 0;
    const rpc = rpcWith(
      () => {
        time += DEFAULT_LIMITS.workMilliseconds / 10;
        return time;
      },
      () => time,
    );
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(rpc, batchOf(10, "work"))));
    expect(answers.flatMap(codes)).toEqual(Array(40).fill("done"));
  });

  it("works on requests in turns, so that a small one does not wait for a large one", async () => {
    let time = 0;
    const rpc = rpcWith(
      () => {
        time += 100;
        return time;
      },
      () => time,
    );
    const order: string[] = [];
    const large = ask(rpc, batchOf(40, "work")).then(() => order.push("large"));
    const small = ask(rpc, batchOf(1, "work")).then(() => order.push("small"));
    await Promise.all([large, small]);
    expect(order).toEqual(["small", "large"]);
  });

  it.each([
    ["has done all else", ["long", "quick"]],
    ["has gone on after waiting", ["again", "long"]],
  ])("keeps nobody else from working while a batch waits that %s", async (_, names) => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const shape = { summary: "", result: {}, parameters: [] } as const;
    const rpc = new JsonRpc({
      methods: [
        defineMethod({ ...shape, name: "quick", run: () => 1 }),
        defineMethod({ ...shape, name: "long", run: ({ wait }) => wait(ended.then(() => 2)) }),
        defineMethod({
          ...shape,
          name: "again",
          run: async ({ wait, turn }) => {
            await wait(new Promise((resolve) => setTimeout(resolve, 10)));
            await turn();
            return 3;
          },
        }),
      ],
      node: { limits: DEFAULT_LIMITS } as NodeContext,
      onBug: () => undefined,
    });
    const batch = ask(rpc, JSON.stringify(names.map((method, id) => ({ jsonrpc: "2.0", id, method }))));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(codes(await ask(rpc, batchOf(1, "quick")))).toEqual(["done"]);
    end();
    expect(codes(await batch)).toEqual(["done", "done"]);
  });

  it("stops when the client has gone, and goes on with the next", async () => {
    let runs = 0;
    const rpc = rpcWith(() => ++runs);
    const client = { ...PATIENT, isGone: () => runs >= 3 };
    expect(await rpc.answer(batchOf(100, "work"), client)).toBeUndefined();
    expect(runs).toBe(3);
    expect(codes(await ask(rpc, batchOf(2, "work")))).toEqual(["done", "done"]);
  });

  it("ends a batch whose answers are too large together, without working on the rest", async () => {
    let runs = 0;
    const rpc = rpcWith(() => {
      runs++;
      return "é".repeat(1_000_000);
    });
    const text = (await rpc.answer(batchOf(100, "work"), PATIENT)) ?? "";
    expect(Buffer.byteLength(text)).toBeLessThan(DEFAULT_LIMITS.answerBytes + 100_000);
    const fitting = Math.floor(DEFAULT_LIMITS.answerBytes / 2_000_050);
    const expected = [...Array(fitting).fill("done"), ...Array(100 - fitting).fill("RESPONSE_TOO_LARGE")];
    expect(codes(JSON.parse(text))).toEqual(expected);
    expect(runs).toBe(fitting + 1);
  });

  it("refuses one answer that is too large", async () => {
    const rpc = rpcWith(() => "x".repeat(DEFAULT_LIMITS.answerBytes));
    const text = await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "work" }), PATIENT);
    expect(JSON.parse(text ?? "")).toMatchObject({
      id: 1,
      error: { code: -32_000, data: { code: "RESPONSE_TOO_LARGE" } },
    });
  });

  it("refuses an answer for which the node has no room left", async () => {
    const rpc = rpcWith(() => "x");
    expect(codes(await ask(rpc, batchOf(2, "work"), { ...PATIENT, hold: () => false }))).toEqual([
      "RESPONSE_TOO_LARGE",
      "RESPONSE_TOO_LARGE",
    ]);
  });
});

describe("calls that answer with much", () => {
  it("refuses what a call reverts with beyond the limit", async () => {
    // PUSH3 2b0000, PUSH1 0, REVERT: 2.8 million bytes of zeros.
    const answers = await ask(fixture.rpc, batchOf(5, "eth_call", { data: "0x622b00006000fd" }));
    expect(codes(answers)).toEqual(Array(5).fill("CALL_OUTPUT_TOO_LARGE"));
  });

  it("bounds a batch of reverts that each are within the limit", async () => {
    const text = (await fixture.rpc.answer(batchOf(30, "eth_call", { data: "0x621000006000fd" }), PATIENT)) ?? "";
    expect(text.length).toBeLessThan(DEFAULT_LIMITS.answerBytes + 10_000);
    const answers: readonly RpcAnswer[] = JSON.parse(text);
    expect(answers).toHaveLength(30);
    expect(answers[0]?.error).toMatchObject({ code: 3, data: `0x${"00".repeat(0x100000)}` });
    expect(codes(answers.slice(-1))).toEqual(["RESPONSE_TOO_LARGE"]);
  });
});
