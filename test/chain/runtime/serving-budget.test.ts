import { expect, it } from "vitest";
import type { Block, Certificate, Message } from "../../../chain/consensus/types.ts";
import { SentBlocks, ServingBudget } from "../../../chain/runtime/serving-budget.ts";

const PER_PEER = { perSecond: 10, burst: 20 };
const ALL = { perSecond: 15, burst: 30 };

it("gives each peer its share, and all together no more than theirs", () => {
  const budget = new ServingBudget(0, PER_PEER, ALL);
  expect(budget.allows("a", 20, 0)).toBe(true);
  expect(budget.allows("a", 1, 0)).toBe(false);
  expect(budget.allows("b", 10, 0)).toBe(true);
  expect(budget.allows("b", 1, 0)).toBe(false);
});

it("fills again with time", () => {
  const budget = new ServingBudget(0, PER_PEER, ALL);
  expect(budget.allows("a", 20, 0)).toBe(true);
  expect(budget.allows("a", 10, 999)).toBe(false);
  expect(budget.allows("a", 10, 1_000)).toBe(true);
});

it("counts the bytes of blocks that go out, wherever they come from, and nothing else", () => {
  const sent = new SentBlocks(0, PER_PEER, ALL);
  const block = { body: new Uint8Array(10) } as Block;
  const certificate = { type: "certificate", certificate: {} } as Message;
  expect(sent.allows("a", { type: "block", block }, 0)).toBe(true);
  const segments = [{ blocks: [block, block], certificate: {} as Certificate }];
  expect(sent.allows("a", { type: "finals", segments }, 0)).toBe(false);
  expect(sent.allows("a", { type: "block", block }, 0)).toBe(true);
  expect(sent.allows("a", { type: "block", block }, 0)).toBe(false);
  for (let times = 0; times < 100; times++) expect(sent.allows("a", certificate, 0)).toBe(true);
  expect(sent.allows("a", { type: "block", block }, 1_000)).toBe(true);
});
