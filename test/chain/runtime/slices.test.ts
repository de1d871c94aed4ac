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
  now = 17.9;
  expect(pause()).toBeUndefined();
  now = 18;
  const shortly = pause();
  expect(shortly).toBeInstanceOf(Promise);
  now = 18.5;
  await shortly;
  now = 20.4;
  expect(pause()).toBeUndefined();
  now = 20.5;
  expect(pause()).toBeInstanceOf(Promise);
});
