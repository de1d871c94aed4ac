import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { RpcError } from "../../../rpc/rpc-error.ts";
import { Channel, type Frame, type Handlers } from "../../../rpc/thread/channel.ts";

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

interface Ends {
  readonly near: Channel;
  readonly far: Channel;
  /** How many frames each message to the far end had. */
  readonly messages: number[];
}

function open(answers: Handlers, hears: Handlers = {}, maxQuestions = 1_000, now = () => 0): Ends {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const messages: number[] = [];
  const counted = {
    postMessage: (frames: Frame[]) => {
      messages.push(frames.length);
      port1.postMessage(frames);
    },
    on: (event: "message", listener: (value: Frame[]) => void) => port1.on(event, listener),
  };
  const near = new Channel(counted, { answers: {}, hears: {}, maxQuestions, now });
  const far = new Channel(port2, { answers, hears, maxQuestions });
  return { near, far, messages };
}

describe("a channel between threads", () => {
  it("says everything of one turn in one message, and answers each question with its own answer", async () => {
    const { near, messages } = open({ double: (value: number) => 2 * value });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => near.ask<number>("double", index)));
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => 2 * index));
    expect(messages).toEqual([100]);
  });

  it("does not keep what it has said until the end of a long turn", async () => {
    let now = 0;
    const { near, messages } = open({ same: (value: number) => value }, {}, 1_000, () => now);
    const asked: Promise<number>[] = [];
    for (let index = 0; index < 6; index++) {
      asked.push(near.ask<number>("same", index));
      now += 0.15;
    }
    expect(messages).toEqual([3, 3]);
    expect(await Promise.all(asked)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(messages).toEqual([3, 3]);
  });

  it("carries coded errors and those of JSON-RPC as they are, and bugs as bugs", async () => {
    const { near } = open({
      coded: () => {
        throw new CodedError("MEMPOOL_KNOWN", "it waits", { hash: "0x1", nonce: 5n, callback: () => undefined });
      },
      rpc: () => Promise.reject(new RpcError(3, "execution reverted", "0x08")),
      bug: () => {
        throw new TypeError("oops");
      },
    });
    await expect(near.ask("coded", 1)).rejects.toEqual(
      new CodedError("MEMPOOL_KNOWN", "it waits", { hash: "0x1", nonce: 5n }),
    );
    await expect(near.ask("rpc", 1)).rejects.toMatchObject({ body: { code: 3, data: "0x08" } });
    const bug = await near.ask("bug", 1).catch((error: unknown) => error);
    expect([bug instanceof CodedError, bug instanceof RpcError, String(bug)]).toEqual([
      false,
      false,
      expect.stringContaining("oops"),
    ]);
    await expect(near.ask("nothing", 1)).rejects.toThrow("nobody answers nothing");
  });

  it("keeps what cannot cross from holding up the rest", async () => {
    const { near } = open({ echo: (value: unknown) => value, broken: () => () => undefined });
    const [good, request, answer] = await Promise.allSettled([
      near.ask("echo", 1),
      near.ask("echo", () => undefined),
      near.ask("broken", 1),
    ]);
    expect([good, request.status, answer.status]).toEqual([{ status: "fulfilled", value: 1 }, "rejected", "rejected"]);
  });

  it("refuses more questions than may wait, and ends those that wait when the other end is gone", async () => {
    const { near } = open({ never: () => new Promise(() => undefined) }, {}, 2);
    const waiting = [near.ask("never", 1), near.ask("never", 2)];
    await expect(near.ask("never", 3)).rejects.toMatchObject({ code: "RPC_BUSY" });
    near.close(new CodedError("RPC_STOPPED", "gone"));
    for (const question of [...waiting, near.ask("never", 4)]) {
      await expect(question).rejects.toMatchObject({ code: "RPC_STOPPED" });
    }
  });

  it("tells news in order", async () => {
    const heard: number[] = [];
    const { near } = open({ sync: () => true }, { news: (value: number) => heard.push(value) });
    for (let i = 0; i < 5; i++) near.tell("news", i);
    await near.ask("sync", undefined);
    expect(heard).toEqual([0, 1, 2, 3, 4]);
  });
});
