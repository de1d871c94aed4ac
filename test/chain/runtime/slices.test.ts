import { expect, it } from "vitest";
import { slicer } from "../../../chain/runtime/slices.ts";

it("pauses once the slice is over, and begins a new one after others had their turn", async () => {
  let now = 0;
  const pause = slicer(2, () => now)();
  now = 1.9;
  expect(pause()).toBeUndefined();
  now = 2;
  const others = pause();
  expect(others).toBeInstanceOf(Promise);
  now = 10;
  await others;
  // The others took eight.
  now = 13.9;
  expect(pause()).toBeUndefined();
  now = 14;
  const shortly = pause();
  expect(shortly).toBeInstanceOf(Promise);
  now = 14.5;
  await shortly;
  now = 16.4;
  expect(pause()).toBeUndefined();
  now = 16.5;
  expect(pause()).toBeInstanceOf(Promise);
});

it("does not take other works for others, however many there are", async () => {
  let now = 0;
  const slices = slicer(1, () => now);
  let longest = 0;
  const work = async (): Promise<void> => {
    const pause = slices();
    for (let start = now, steps = 0; steps < 600; steps++) {
      now += 0.1;
      const others = pause();
      if (others === undefined) continue;
      longest = Math.max(longest, now - start);
      await others;
      start = now;
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  expect(longest).toBeLessThan(2);
});
