import { describe, expect, it } from "vitest";
import { MAX_WAITING_REQUESTS } from "../../dashboard/connection/limits.ts";
import { type ConnectionState, RpcConnection, type Socket } from "../../dashboard/connection/rpc-connection.ts";

class FakeSocket implements Socket {
  readonly sent: { readonly id: number; readonly method: string; readonly params: unknown }[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.onclose?.();
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  answer(result: unknown): void {
    this.say({ id: this.sent.at(-1)?.id, result });
  }
}

/** Sockets and timers that the test moves. */
class World {
  readonly sockets: FakeSocket[] = [];
  readonly timers = new Map<number, { readonly run: () => void; readonly milliseconds: number }>();
  readonly states: ConnectionState[] = [];
  readonly connection: RpcConnection;
  private nextTimer = 1;

  constructor() {
    this.connection = new RpcConnection({
      open: () => {
        const socket = new FakeSocket();
        this.sockets.push(socket);
        return socket;
      },
      setTimer: (run, milliseconds) => {
        this.timers.set(this.nextTimer, { run, milliseconds });
        return this.nextTimer++;
      },
      clearTimer: (timer) => this.timers.delete(timer as number),
    });
    this.connection.onState((state) => this.states.push(state));
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1) as FakeSocket;
  }

  /** The earliest. */
  fire(): void {
    const [first] = [...this.timers].sort(([, a], [, b]) => a.milliseconds - b.milliseconds);
    if (first === undefined) throw new Error("no timer runs");
    this.timers.delete(first[0]);
    first[1].run();
  }
}

describe("the connection to the node", () => {
  it("sends what waited once it is open, and gives the answer or the error", async () => {
    const world = new World();
    const asked = world.connection.request({ method: "eth_blockNumber" });
    expect(world.socket.sent).toEqual([]);
    world.socket.onopen?.();
    world.socket.answer("0x1");
    expect(await asked).toBe("0x1");
    const refused = world.connection.request({ method: "nothing" });
    world.socket.say({ id: world.socket.sent.at(-1)?.id, error: { code: -32601, message: "no such method" } });
    await expect(refused).rejects.toMatchObject({ code: -32601, message: "no such method" });
    expect(world.timers.size).toBe(0);
  });

  it("comes back by itself, asks again what was not answered, and subscribes anew", async () => {
    const world = new World();
    const heard: unknown[] = [];
    world.connection.subscribe("ogpu_subscribe", ["blocks"], (block) => heard.push(block));
    world.socket.onopen?.();
    world.socket.answer("0xaa");
    await Promise.resolve();
    world.socket.say({ params: { subscription: "0xaa", result: 1 } });
    const asked = world.connection.request({ method: "eth_call" });
    world.socket.close();
    expect(world.states).toEqual(["open", "lost"]);
    world.fire();
    world.socket.onopen?.();
    expect(world.states).toEqual(["open", "lost", "open"]);
    expect(world.socket.sent.map(({ method }) => method)).toEqual(["eth_call", "ogpu_subscribe"]);
    world.socket.say({ id: world.socket.sent[0]?.id, result: "0x" });
    expect(await asked).toBe("0x");
    world.socket.say({ id: world.socket.sent[1]?.id, result: "0xbb" });
    await Promise.resolve();
    world.socket.say({ params: { subscription: "0xaa", result: 2 } });
    world.socket.say({ params: { subscription: "0xbb", result: 3 } });
    expect(heard).toEqual([1, 3]);
  });

  it("never sends a transaction twice: what was lost on the way is told", async () => {
    const world = new World();
    world.socket.onopen?.();
    const sent = world.connection.request({ method: "eth_sendTransaction", params: [{}] });
    world.socket.close();
    await expect(sent).rejects.toMatchObject({ code: 4900 });
    world.fire();
    world.socket.onopen?.();
    expect(world.socket.sent).toEqual([]);
  });

  it("tries again after longer and longer times, and at once when asked to", () => {
    const world = new World();
    const delays: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      world.socket.close();
      delays.push([...world.timers.values()].at(-1)?.milliseconds ?? 0);
      world.fire();
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000]);
    world.socket.close();
    const before = world.sockets.length;
    world.connection.retry();
    expect(world.sockets).toHaveLength(before + 1);
  });

  it("gives up on a question in time, and bounds how many wait", async () => {
    const world = new World();
    const first = world.connection.request({ method: "a" });
    world.fire();
    await expect(first).rejects.toMatchObject({ code: 4900 });
    for (let index = 0; index < MAX_WAITING_REQUESTS; index++) {
      world.connection.request({ method: "b" }).catch(() => undefined);
    }
    await expect(world.connection.request({ method: "c" })).rejects.toThrow("too many");
  });
});
