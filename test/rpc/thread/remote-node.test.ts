import { describe, expect, it } from "vitest";
import type { NodePort } from "../../../rpc/chain-view.ts";
import { paced } from "../../../rpc/thread/paced.ts";
import { remoteNode } from "../../../rpc/thread/remote-node.ts";

/** The end of a channel whose questions are answered by hand, the first first. */
class Asked {
  readonly questions: {
    readonly name: string;
    readonly request: unknown;
    readonly answer: (result: unknown) => void;
  }[] = [];
  readonly node: NodePort = remoteNode(
    {
      ask: <Result>(name: string, request: unknown): Promise<Result> =>
        new Promise((resolve) => this.questions.push({ name, request, answer: resolve as (result: unknown) => void })),
    },
    { submit: () => Promise.reject(new Error("nobody submits")) },
  );

  async next(result: unknown): Promise<void> {
    await turn();
    this.questions.shift()?.answer(result);
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const content = (total: number): object => ({ total, ready: 0, transactions: [] });

describe("the node as other threads ask it", () => {
  it("is asked once by all who want to know the same at the same time", async () => {
    const asked = new Asked();
    const all = Array.from({ length: 1_000 }, () => asked.node.waitingContent({ limit: 10 }));
    const statuses = Array.from({ length: 1_000 }, () => asked.node.status());
    await turn();
    expect(asked.questions.map(({ name }) => name)).toEqual(["waitingContent", "status"]);
    await asked.next(content(3));
    await asked.next("status");
    expect(new Set((await Promise.all(all)).map(({ total }) => total))).toEqual(new Set([3]));
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(["status"]));
  });

  it("never answers with what it knew before the question", async () => {
    const asked = new Asked();
    const before = asked.node.waitingContent({ limit: 10 });
    await turn();
    // The first has left: what happens from now on may be missing in its answer.
    const after = asked.node.waitingContent({ limit: 10 });
    await asked.next(content(1));
    await asked.next(content(2));
    expect([(await before).total, (await after).total]).toEqual([1, 2]);
  });

  it("is asked one thing after the other, and refuses when too many wait", async () => {
    const asked = new Asked();
    const senders = Array.from({ length: 300 }, (_, index) =>
      Promise.resolve(asked.node.waitingContent({ limit: 10, sender: `0x${index.toString(16).padStart(40, "0")}` })),
    );
    const outcomes = Promise.allSettled(senders);
    await turn();
    expect(asked.questions.length).toBe(1);
    for (let answered = 0; answered < 256; answered++) await asked.next(content(answered));
    const refused = (await outcomes).filter(({ status }) => status === "rejected");
    expect(refused.length).toBe(300 - 256);
    expect(refused[0]).toMatchObject({ reason: { code: "RPC_BUSY" } });
  });
});

describe("paced work", () => {
  it("rests for thirty times as long as it took, and goes on after a failure", async () => {
    let time = 0;
    const rests: number[] = [];
    const work = paced(
      (milliseconds: number) => {
        time += milliseconds;
        if (milliseconds === 2) throw new Error("failed");
        return milliseconds;
      },
      {
        now: () => time,
        rest: async (milliseconds) => {
          rests.push(milliseconds);
          time += milliseconds;
        },
      },
    );
    const outcomes = await Promise.allSettled([work(1), work(2), work(0), work(0)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(rests).toEqual([30, 60]);
  });
});
