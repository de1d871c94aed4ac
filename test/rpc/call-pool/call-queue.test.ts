import { describe, expect, it } from "vitest";
import { CallQueue, type QueuedCall } from "../../../rpc/call-pool/call-queue.ts";
import { callerAt } from "../support/job-caller.ts";

interface Call extends QueuedCall {
  readonly name: string;
}

const told: string[] = [];

function call(name: string, address: string, isGone: () => boolean = () => false): Call {
  const caller = callerAt(address, {
    check: () => {
      if (isGone()) throw new Error("hung up");
    },
  });
  return { name, caller, reject: () => told.push(name) };
}

function drained(queue: CallQueue<Call>): string {
  const names: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) names.push(next.name);
  return names.join(" ");
}

describe("calls that wait", () => {
  it("are taken from one address after the other, each address's in their order", () => {
    const queue = new CallQueue<Call>(100);
    for (const name of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.push(call(name, `10.0.0.${name[0]}`));
    expect(queue.size).toBe(6);
    expect(drained(queue)).toBe("a1 b1 c1 a2 c2 a3");
    expect(queue.size).toBe(0);
  });

  it("come before their address's others when their thread has died", () => {
    const queue = new CallQueue<Call>(100);
    for (const name of ["a3", "b2"]) queue.push(call(name, `10.0.0.${name[0]}`));
    queue.putBack(["a1", "b1", "a2"].map((name) => call(name, `10.0.0.${name[0]}`)));
    expect(queue.size).toBe(5);
    expect(drained(queue)).toBe("a1 b1 a2 b2 a3");
  });

  it("are a quarter of all from one address, whatever loopback may have", () => {
    const queue = new CallQueue<Call>(8);
    const fill = (address: string): number => {
      let pushed = 0;
      for (; queue.hasRoom(address); pushed++) queue.push(call("", address));
      return pushed;
    };
    expect([fill("10.0.0.1"), fill("10.0.0.2"), fill("127.0.0.1"), fill("10.0.0.3")]).toEqual([2, 2, 4, 0]);
  });

  it("make room when their clients have hung up, who are told", () => {
    const queue = new CallQueue<Call>(4);
    let isGone = false;
    for (const name of ["a1", "a2"]) queue.push(call(name, "10.0.0.1", () => isGone));
    queue.push(call("b1", "10.0.0.2"));
    isGone = true;
    told.length = 0;
    queue.dropUnwanted();
    expect([queue.size, ...told]).toEqual([1, "a1", "a2"]);
    expect(drained(queue)).toBe("b1");
  });
});
