import { expect, it } from "vitest";
import { NO_CLAIM } from "../../../chain/senders/claim.ts";
import { ConnectionSenders } from "../../../rpc/thread/connection-senders.ts";
import { NO_CONNECTION } from "../../../rpc/thread/submissions.ts";

const note = (senders: ConnectionSenders, connection: number, ...claims: readonly bigint[]): void => {
  for (const claim of claims) senders.note(connection, claim);
};
const TWO = Array.from({ length: 2 }, () => 5n);

it("guesses who has sent the last two, until somebody else does", () => {
  const senders = new ConnectionSenders();
  expect(senders.guess(1)).toBe(NO_CLAIM);
  note(senders, 1, ...TWO.slice(1));
  expect(senders.guess(1)).toBe(NO_CLAIM);
  note(senders, 1, 5n);
  expect(senders.guess(1)).toBe(5n);
  expect(senders.guess(2)).toBe(NO_CLAIM);
  note(senders, 1, 6n);
  expect(senders.guess(1)).toBe(NO_CLAIM);
  note(senders, 1, ...TWO);
  expect(senders.guess(1)).toBe(5n);
});

it("knows nothing of what came through no connection, nor of more connections than there may be", () => {
  const senders = new ConnectionSenders();
  note(senders, NO_CONNECTION, ...TWO);
  expect(senders.guess(NO_CONNECTION)).toBe(NO_CLAIM);
  for (let connection = 1; connection <= 1_025; connection++) note(senders, connection, ...TWO);
  const known = Array.from({ length: 1_025 }, (_, index) => senders.guess(index + 1) === 5n);
  expect(known).toEqual([false, ...new Array(1_024).fill(true)]);
});
