import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { DEFAULT_LIMITS, SLICE_MILLISECONDS } from "../../../rpc/limits.ts";
import type { Subscriber } from "../../../rpc/request-budget.ts";
import { Subscriptions } from "../../../rpc/subscriptions/subscriptions.ts";
import { ethTopic } from "../../../rpc/subscriptions/topic.ts";
import { systemReceiptHash } from "../../../vm/receipt/system-receipt.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { ALICE, singleSpec } from "../../chain/runtime/support/single-node.ts";
import { RpcFixture } from "../support/rpc-fixture.ts";

const EPOCH_BLOCKS = 4;

let fixture: RpcFixture;

beforeAll(async () => {
  const { consensus } = singleSpec();
  fixture = await RpcFixture.open(false, { consensus: { ...consensus, epochBlocks: EPOCH_BLOCKS } });
});

afterAll(() => fixture.close());

/** Subscribes without a connection. */
function subscriber(send: (frame: Uint8Array) => void = () => undefined): Subscriber {
  return { send, onGone: () => undefined };
}

describe("a subscription to logs", () => {
  it("has ids that take no longer to find, however often it is wanted and however long its filter is", () => {
    const limits = { ...DEFAULT_LIMITS, subscriptionsPerConnection: 10_000 };
    const subscriptions = new Subscriptions({ chain: fixture.chain, limits, watchPending: () => undefined });
    const own = subscriber();
    const topics = Array.from({ length: 4 }, () => Array.from({ length: 1_000 }, () => `0x${"ab".repeat(32)}`));
    // Hashing so long a filter once for each pair of these would take half a minute.
    const ids = Array.from({ length: 40 }, () => subscriptions.add(own, "local", "eth", ethTopic("logs", { topics })));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("counts as several when its filter is large", () => {
    const limits = { ...DEFAULT_LIMITS, subscriptions: 30, subscriptionsPerConnection: 25 };
    const subscriptions = new Subscriptions({ chain: fixture.chain, limits, watchPending: () => undefined });
    const address = Array.from({ length: 1_000 }, () => ALICE.address);
    const [first, second] = [subscriber(), subscriber()];
    const id = subscriptions.add(first, "local", "eth", ethTopic("logs", { address }));
    expect(() => subscriptions.add(first, "local", "eth", ethTopic("logs", { address }))).toThrow(
      "a connection has at most 25",
    );
    expect(() => subscriptions.add(second, "local", "eth", ethTopic("logs", { address }))).toThrow(
      "the node has at most 30",
    );
    subscriptions.add(first, "local", "eth", ethTopic("newHeads", undefined));
    expect(subscriptions.remove(first, id)).toBe(true);
    subscriptions.add(second, "local", "eth", ethTopic("logs", { address }));
  });

  it("tells also of the protocol's own work, as eth_getLogs does", async () => {
    const { chain, alone } = fixture;
    const subscriptions = new Subscriptions({ chain, limits: DEFAULT_LIMITS, watchPending: () => undefined });
    const frames: Uint8Array[] = [];
    const own = subscriber((frame) => void frames.push(frame));
    subscriptions.add(own, "local", "eth", ethTopic("logs", {}));
    chain.onBlock((block) => subscriptions.onBlock(block));
    for (let nonce = 0n; nonce < EPOCH_BLOCKS; nonce++) await fixture.include(alone.sign(ALICE, { nonce }));
    const told = frames.map((frame) => {
      const text = Buffer.from(frame).toString();
      return JSON.parse(text.slice(text.indexOf("{"))).params.result as { readonly transactionHash: string };
    });
    const asked = await fixture.call<object[]>("eth_getLogs", { fromBlock: "0x1" });
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual(asked);
    const seal = chain.header(EPOCH_BLOCKS);
    expect(told.map(({ transactionHash }) => transactionHash)).toContain(
      seal && bytesToHex(systemReceiptHash(seal.hash)),
    );
  });

  it("from one address leave room for those of others", () => {
    const limits = { ...DEFAULT_LIMITS, subscriptions: 40 };
    const subscriptions = new Subscriptions({ chain: fixture.chain, limits, watchPending: () => undefined });
    const gone: (() => void)[] = [];
    const add = (address: string): unknown => {
      const own = { send: () => undefined, onGone: (listener: () => void) => void gone.push(listener) };
      return subscriptions.add(own, address, "eth", ethTopic("newHeads", undefined));
    };
    for (let i = 0; i < 10; i++) add("10.0.0.1");
    expect(() => add("10.0.0.1")).toThrow("an address has at most 10");
    add("10.0.0.2");
    for (let i = 0; i < 29; i++) add("127.0.0.1");
    expect(() => add("127.0.0.1")).toThrow("the node has at most 40");
    gone[0]?.();
    add("10.0.0.1");
  });

  it("are told in slices when there are many of them, each of every log and in the order of blocks", async () => {
    const { chain } = fixture;
    let time = 0;
    const subscriptions = new Subscriptions({
      ...{ chain, limits: { ...DEFAULT_LIMITS, subscriptionsPerConnection: 10_000 }, watchPending: () => undefined },
      now: () => time,
    });
    const told: string[] = [];
    const own = subscriber((frame) => {
      time += 1;
      const text = Buffer.from(frame).toString();
      const { subscription, result } = JSON.parse(text.slice(text.indexOf("{"))).params;
      told.push(`${subscription} ${result.blockNumber} ${result.logIndex}`);
    });
    for (let i = 0; i < 100; i++) subscriptions.add(own, "local", "eth", ethTopic("logs", {}));
    const seal = chain.header(EPOCH_BLOCKS);
    expect(seal).toBeDefined();
    if (seal === undefined) return;
    const logs = (await fixture.call<object[]>("eth_getLogs", { fromBlock: "0x4", toBlock: "0x4" })).length;
    subscriptions.onBlock(seal);
    expect(told.length).toBeLessThan(100 * logs);
    subscriptions.onBlock(seal);
    while (told.length < 2 * 100 * logs) await new Promise((resolve) => setImmediate(resolve));
    expect(told.slice(0, 100 * logs)).toEqual(told.slice(100 * logs));
    expect(new Set(told).size).toBe(100 * logs);
  });
});

it("tells a subscriber of the many logs of one block in slices: what a socket has not sent yet stays small", async () => {
  const { chain } = fixture;
  let time = 0;
  const options = { chain, limits: DEFAULT_LIMITS, watchPending: () => undefined, now: () => time };
  const subscriptions = new Subscriptions(options);
  let told = 0;
  const own = subscriber(() => {
    told++;
    time += SLICE_MILLISECONDS;
  });
  subscriptions.add(own, "local", "eth", ethTopic("logs", {}));
  const seal = chain.header(EPOCH_BLOCKS);
  const logs = (chain.receipts(EPOCH_BLOCKS) ?? []).flatMap((receipt) => receipt.logs).length;
  expect(logs).toBeGreaterThan(1);
  if (seal !== undefined) subscriptions.onBlock(seal);
  expect(told).toBe(1);
  while (told < logs) await new Promise((resolve) => setImmediate(resolve));
  expect(told).toBe(logs);
});

describe("a subscription to waiting transactions", () => {
  it("has each transaction made into JSON once, however many subscribe to it", () => {
    const { chain, alone } = fixture;
    const subscriptions = new Subscriptions({ chain, limits: DEFAULT_LIMITS, watchPending: () => undefined });
    const frames: Uint8Array[] = [];
    const own = subscriber((frame) => void frames.push(frame));
    for (let count = 0; count < 100; count++) {
      subscriptions.add(own, "local", "eth", ethTopic("newPendingTransactions", count % 2 === 0));
    }
    let reads = 0;
    const decoded = decodeTransaction(alone.sign(ALICE, { value: 7n }));
    const transaction = new Proxy(decoded, {
      get: (target, name) => {
        if (name === "value") reads++;
        return Reflect.get(target, name);
      },
    });
    subscriptions.onPending([{ transaction, sender: ALICE.address }]);
    expect([frames.length, reads]).toEqual([100, 1]);
  });
});
