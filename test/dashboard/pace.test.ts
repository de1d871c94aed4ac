import { expect, it } from "vitest";
import { signedShare } from "../../dashboard/pages/validators/signed-share.ts";
import { paceOf } from "../../dashboard/state/pace.ts";
import type { RecentBlock } from "../../rpc/client/answers.ts";

function block(number: number, milliseconds: number, latency: number | null, transactions = 0): RecentBlock {
  const finalMilliseconds = latency === null ? null : milliseconds + latency;
  return { number: BigInt(number), milliseconds, finalMilliseconds, transactions } as RecentBlock;
}

it("tells the pace of the chain from blocks whose finality was seen", () => {
  const blocks = [block(1, 0, null, 9), block(2, 100_000, 300, 1), block(3, 110_000, 100, 2), block(4, 120_000, 200)];
  expect(paceOf(blocks, 121_000)).toEqual({
    medianFinality: 200,
    slowFinality: 300,
    transactionsPerMinute: 3,
    blocksPerMinute: 3,
  });
  expect(paceOf([], 0)).toMatchObject({ medianFinality: undefined, blocksPerMinute: 0 });
});

it("counts signatures of the running epoch alone, where positions mean the same", () => {
  const blocks = [
    { epoch: 0, signers: [0, 1] },
    { epoch: 1, signers: [1] },
    { epoch: 1, signers: [0, 1] },
    { epoch: 1, signers: [] },
  ];
  expect(signedShare(0, blocks)).toBe(0.5);
  expect(signedShare(1, blocks)).toBe(1);
  expect(signedShare(undefined, blocks)).toBeUndefined();
});
