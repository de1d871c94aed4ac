import { expect, it } from "vitest";
import { slicesOf } from "../../../chain/runtime/slices.ts";

it("pauses once the slice is over, and begins a new one after others had their turn", async () => {
  let now = 0;
  const pause = slicesOf(2, () => now);
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
