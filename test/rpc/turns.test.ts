import { describe, expect, it } from "vitest";
import { SLICE_MILLISECONDS } from "../../rpc/limits.ts";
import { Turns } from "../../rpc/turns.ts";

describe("Turns", () => {
  it("lets the one that has worked least go first, and equals in their order", async () => {
    const turns = new Turns(() => 0);
    const order: string[] = [];
    const work = async (name: string, spent: number): Promise<void> => {
      await turns.take(spent, 0);
      order.push(name);
      turns.give();
    };
    await Promise.all([work("a", 5), work("b", 0), work("c", 9), work("d", 0), work("e", 5)]);
    expect(order).toEqual(["b", "d", "a", "e", "c"]);
  });

  it("has one at work at a time", async () => {
    const turns = new Turns(() => 0);
    let atWork = 0;
    const work = async (): Promise<void> => {
      await turns.take(0, 0);
      expect(++atWork).toBe(1);
      await Promise.resolve();
      atWork--;
      turns.give();
    };
    await Promise.all(Array.from({ length: 20 }, work));
  });

  it("lets the event loop go round after every slice", async () => {
    let time = 0;
    let rounds = 0;
    let isDone = false;
    const turns = new Turns(() => time);
    const count = (): void => {
      rounds++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const work = async (): Promise<void> => {
      await turns.take(0, time);
      time += SLICE_MILLISECONDS;
      turns.give();
    };
    await Promise.all(Array.from({ length: 50 }, work));
    isDone = true;
    expect(rounds).toBeGreaterThanOrEqual(49);
  });
});
