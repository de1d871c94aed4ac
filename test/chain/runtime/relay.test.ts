import { expect, it } from "vitest";
import type { Clock } from "../../../chain/runtime/clock.ts";
import { SERVED_BLOCKS_PER_PEER } from "../../../chain/runtime/limits.ts";
import type { NodeNetwork } from "../../../chain/runtime/node-network.ts";
import { Relay } from "../../../chain/runtime/relay.ts";
import type { SyncAnswer } from "../../../chain/sync/messages.ts";
import type { SnapshotSource } from "../../../chain/sync/snapshot-source.ts";

it("reads for each peer that catches up no more than its share, and tells it so", async () => {
  let now = 0;
  let reads = 0;
  const answers: SyncAnswer[] = [];
  const source = {
    answer: async (_from: string, { id }: { readonly id: number }): Promise<SyncAnswer> => {
      reads++;
      return { type: "headers", id, headers: [] };
    },
  };
  const clock = { now: () => now } as Clock;
  const bug = (error: unknown): never => {
    throw error;
  };
  const relay = new Relay(source as unknown as SnapshotSource, clock, () => 0, bug);
  relay.network = { send: (_to: string, answer: SyncAnswer) => answers.push(answer) > 0 } as unknown as NodeNetwork;
  const flood = (from: string): void => {
    for (let id = 0; id < 1_000; id++) relay.onMessage(from, { type: "get-headers", id, height: 1_000, count: 64 });
  };
  flood("a");
  const most = SERVED_BLOCKS_PER_PEER.burst / 8;
  expect(reads).toBe(most);
  await new Promise((resolve) => setImmediate(resolve));
  const busy = answers.filter((answer) => answer.type === "refused" && answer.reason === "busy");
  expect([busy.length, answers.length]).toEqual([1_000 - most, 1_000]);
  relay.onMessage("b", { type: "get-offers", id: 0 });
  expect(reads).toBe(most + 1);
  now = 1_000;
  flood("a");
  expect(reads).toBe(most + 1 + SERVED_BLOCKS_PER_PEER.perSecond / 8);
});

it("counts leaves by what they take to read: a peer that asks for much of the state cannot have all of the node's time", async () => {
  let now = 0;
  let reads = 0;
  const leaves = new Uint8Array(1024 * 1024);
  const nothing = new Uint8Array();
  const source = {
    answer: async (_from: string, { id }: { readonly id: number }): Promise<SyncAnswer> => {
      reads++;
      return { type: "chunk", id, end: nothing, leaves, proof: nothing };
    },
  };
  const relay = new Relay(
    source as unknown as SnapshotSource,
    { now: () => now } as Clock,
    () => 0,
    (error) => {
      throw error;
    },
  );
  relay.network = { send: () => true } as unknown as NodeNetwork;
  const chunk = { type: "get-chunk", root: `0x${"00".repeat(32)}`, first: nothing, last: nothing } as const;
  // Four at a time, as a peer may, for a minute.
  for (; now < 60_000; now += 100) {
    for (let id = 0; id < 4; id++) relay.onMessage("a", { ...chunk, id, limit: leaves.length });
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(reads).toBeGreaterThan(60);
  expect(reads).toBeLessThan(100);
});
