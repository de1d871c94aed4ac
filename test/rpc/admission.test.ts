import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { Admission } from "../../rpc/admission.ts";
import { ANSWER_WEIGHT, BODY_WEIGHT, MAX_BODY_BYTES } from "../../rpc/limits.ts";

class Exchange {
  readonly socket: EventEmitter;
  readonly response = new EventEmitter();
  readonly request: IncomingMessage;

  constructor(headers: Readonly<Record<string, string>> = {}, socket = new EventEmitter()) {
    this.socket = socket;
    this.request = { headers, socket } as unknown as IncomingMessage;
  }

  enter(admission: Admission): boolean {
    return admission.admit(this.request, this.response as unknown as ServerResponse);
  }
}

describe("Admission", () => {
  it("has room again when an answer is sent", () => {
    const admission = new Admission(1);
    const first = new Exchange();
    expect([first.enter(admission), new Exchange().enter(admission)]).toEqual([true, false]);
    first.response.emit("close");
    expect(new Exchange().enter(admission)).toBe(true);
  });

  it("has room again for all requests of a connection that closes, each counted once", () => {
    const admission = new Admission(3, 3 * BODY_WEIGHT);
    const socket = new EventEmitter();
    const exchanges = [1, 2, 3].map(() => new Exchange({ "content-length": "1" }, socket));
    expect(exchanges.map((exchange) => exchange.enter(admission))).toEqual([true, true, true]);
    exchanges[0]?.response.emit("close");
    socket.emit("close");
    exchanges[1]?.response.emit("close");
    const next = [1, 2, 3, 4].map(() => new Exchange({ "content-length": "1" }));
    expect(next.map((exchange) => exchange.enter(admission))).toEqual([true, true, true, false]);
  });

  it("counts bodies by their announced length, and as the largest when they announce none", () => {
    const room = (BODY_WEIGHT * MAX_BODY_BYTES * 3) / 2;
    for (const headers of [{ "transfer-encoding": "chunked" }, { "content-length": String(10 * MAX_BODY_BYTES) }]) {
      const admission = new Admission(10, room);
      expect([1, 2].map(() => new Exchange(headers).enter(admission))).toEqual([true, false]);
    }
  });

  it("counts answers with bodies until they are sent", async () => {
    const admission = new Admission(10, 100 * ANSWER_WEIGHT);
    const exchange = new Exchange();
    exchange.enter(admission);
    const held = await admission.serve(exchange.request, async ({ hold }) => [hold(60), hold(60), hold(40)]);
    expect(held).toEqual([true, false, true]);
    const other = new Exchange({ "content-length": "1" });
    expect(other.enter(admission)).toBe(false);
    exchange.response.emit("close");
    expect(other.enter(admission)).toBe(true);
  });

  it("counts a request whose client has hung up as long as somebody works on it", async () => {
    const admission = new Admission(1);
    const exchange = new Exchange();
    exchange.enter(admission);
    await admission.serve(exchange.request, async () => {
      exchange.socket.emit("close");
      expect(new Exchange().enter(admission)).toBe(false);
    });
    expect(new Exchange().enter(admission)).toBe(true);
  });
});
