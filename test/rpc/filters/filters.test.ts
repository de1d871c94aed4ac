import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { Filters } from "../../../rpc/filters/filters.ts";
import { JsonRpc } from "../../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS, MAX_PENDING_HASHES } from "../../../rpc/limits.ts";
import { logFilter } from "../../../rpc/log-filter.ts";
import { METHODS } from "../../../rpc/methods.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { ALICE } from "../../chain/runtime/support/single-node.ts";
import { HostedNode } from "../support/hosted-node.ts";
import { nodeContext, PATIENT, RpcFixture } from "../support/rpc-fixture.ts";

describe("filters", () => {
  const limits = { ...DEFAULT_LIMITS, filters: 3, filtersPerAddress: 2, filterSeconds: 10 };
  const blocks = (): { readonly kind: "blocks"; next: number } => ({ kind: "blocks", next: 1 });

  it("are so many of an address, and so many in all", () => {
    const filters = new Filters({ limits, watchPending: () => undefined });
    const first = filters.add(blocks(), "a");
    filters.add(blocks(), "a");
    const tooMany = expect.objectContaining({
      body: expect.objectContaining({ data: { code: "RPC_TOO_MANY_FILTERS" } }),
    });
    expect(() => filters.add(blocks(), "a")).toThrow(tooMany);
    filters.add(blocks(), "b");
    expect(() => filters.add(blocks(), "c")).toThrow(tooMany);
    expect([filters.remove(first), filters.remove(first)]).toEqual([true, false]);
    filters.add(blocks(), "a");
  });

  it("are gone when nobody has asked for long", () => {
    let now = 0;
    const filters = new Filters({ limits, watchPending: () => undefined, now: () => now });
    const [used, forgotten] = [filters.add(blocks(), "a"), filters.add(blocks(), "a")];
    now = 9_000;
    filters.use(used);
    now = 12_000;
    expect(filters.use(used).kind).toBe("blocks");
    expect(() => filters.use(forgotten)).toThrow(expect.objectContaining({ message: "filter not found" }));
    expect(filters.size).toBe(1);
  });

  it("of waiting transactions are fed only while there are any", () => {
    const watched: boolean[] = [];
    const filters = new Filters({ limits, watchPending: (wanted) => watched.push(wanted) });
    const first = filters.addPending("a");
    const second = filters.addPending("a");
    filters.remove(first);
    filters.remove(second);
    expect(watched).toEqual([true, false]);
  });
});

describe("filters of waiting transactions", () => {
  const limits = { ...DEFAULT_LIMITS, filters: 10_000, filtersPerAddress: 10_000 };
  const waiting = (from: number, count: number): RecoveredTransaction[] =>
    Array.from({ length: count }, (_, index) => {
      const hash = new Uint8Array(32);
      new DataView(hash.buffer).setUint32(0, from + index);
      return { transaction: { hash }, sender: ALICE.address } as unknown as RecoveredTransaction;
    });
  const taken = (filters: Filters, id: Hex): number[] => {
    const filter = filters.use(id);
    if (filter.kind !== "pending") return [];
    return filters.takePending(filter).map((hash) => Number(hash.slice(0, 10)));
  };

  it("are told each what began to wait since they asked, and at most the last so many", () => {
    const filters = new Filters({ limits, watchPending: () => undefined });
    const early = filters.addPending("a");
    filters.onPending(waiting(0, 2));
    const late = filters.addPending("a");
    filters.onPending(waiting(2, 1));
    expect([taken(filters, early), taken(filters, early), taken(filters, late)]).toEqual([[0, 1, 2], [], [2]]);
    for (let from = 3; from < 3 + 5 * MAX_PENDING_HASHES; from += 1_000) filters.onPending(waiting(from, 1_000));
    const last = taken(filters, early);
    expect(last.length).toBe(MAX_PENDING_HASHES);
    expect(last).toEqual(taken(filters, late));
    expect((last[0] ?? 0) + MAX_PENDING_HASHES - 1).toBe(last.at(-1));
  });

  it("share what they hold: ten thousand take no more work than one", () => {
    const filters = new Filters({ limits, watchPending: () => undefined });
    const ids = Array.from({ length: 10_000 }, () => filters.addPending("a"));
    for (let from = 0; from < MAX_PENDING_HASHES; from += 16) filters.onPending(waiting(from, 16));
    expect(taken(filters, ids[0] as Hex).length).toBe(MAX_PENDING_HASHES);
    expect(taken(filters, ids.at(-1) as Hex).length).toBe(MAX_PENDING_HASHES);
  });
});

describe("filters of logs", () => {
  it("count by what they hold", () => {
    const limits = { ...DEFAULT_LIMITS, filters: 30, filtersPerAddress: 25 };
    const filters = new Filters({ limits, watchPending: () => undefined });
    const addresses = Array.from({ length: 1_000 }, () => ALICE.address);
    const large = { kind: "logs" as const, filter: logFilter.read({ address: addresses }, "filter"), next: 1 };
    const id = filters.add(large, "a");
    expect(() => filters.add(large, "a")).toThrow("an address has at most 25");
    expect(() => filters.add(large, "b")).toThrow("the node has at most 30");
    filters.remove(id);
    filters.add(large, "a");
    expect(filters.size).toBe(1);
  });
});

describe("filters over RPC", () => {
  let hosted: HostedNode;

  beforeAll(async () => {
    hosted = await HostedNode.open();
  });

  afterAll(() => hosted.close());

  it("tell what is new since they were asked last", async () => {
    const [blocks, pending, logs] = [
      await hosted.call<string>("eth_newBlockFilter"),
      await hosted.call<string>("eth_newPendingTransactionFilter"),
      await hosted.call<string>("eth_newFilter", {}),
    ];
    const hash = await hosted.include(hosted.alone.sign(ALICE, { nonce: 0n }));
    const head = bytesToHex(hosted.node.head.hash);
    expect(await hosted.call("eth_getFilterChanges", blocks)).toEqual([head]);
    expect(await hosted.call("eth_getFilterChanges", blocks)).toEqual([]);
    expect(await hosted.call("eth_getFilterChanges", pending)).toEqual([hash]);
    expect(await hosted.call("eth_getFilterChanges", logs)).toEqual(
      await hosted.call("eth_getLogs", { fromBlock: "0x1", toBlock: "latest" }),
    );
    expect(await hosted.call("eth_getFilterChanges", logs)).toEqual([]);
  });

  it("find logs of contracts, once as changes and always as logs", async () => {
    // PUSH1 0, PUSH1 0, LOG0, STOP: a log for every creation.
    const data = new Uint8Array([0x60, 0, 0x60, 0, 0xa0, 0]);
    const filter = await hosted.call<string>("eth_newFilter", { fromBlock: "latest" });
    const nonce = hosted.node.nextNonce(ALICE.address);
    await hosted.include(hosted.alone.sign(ALICE, { nonce, to: undefined, value: 0n, data, gasLimit: 100_000n }));
    const found = await hosted.call<object[]>("eth_getFilterChanges", filter);
    const created = found.filter((log) => "data" in log && log.data === "0x" && "topics" in log);
    expect(created.length).toBeGreaterThanOrEqual(1);
    expect(await hosted.call("eth_getFilterChanges", filter)).toEqual([]);
    expect(await hosted.call<object[]>("eth_getFilterLogs", filter)).toEqual(expect.arrayContaining(created));
  });

  it("begin after the last block, and not before the one that they name", async () => {
    const data = new Uint8Array([0x60, 0, 0x60, 0, 0xa0, 0]);
    const log = async (): Promise<number> => {
      const nonce = hosted.node.nextNonce(ALICE.address);
      await hosted.include(hosted.alone.sign(ALICE, { nonce, to: undefined, value: 0n, data, gasLimit: 100_000n }));
      return Number(await hosted.call<string>("eth_blockNumber"));
    };
    const head = await log();
    const told = async (filter: string): Promise<readonly number[]> =>
      (await hosted.call<{ readonly blockNumber: string }[]>("eth_getFilterChanges", filter)).map((found) =>
        Number(found.blockNumber),
      );
    const make = (fromBlock: string): Promise<string> => hosted.call("eth_newFilter", { fromBlock });
    const [latest, past, ahead] = [
      await make("latest"),
      await make(`0x${head.toString(16)}`),
      await make(`0x${(head + 2).toString(16)}`),
    ];
    expect(await told(latest)).toEqual([]);
    expect(await told(past)).toContain(head);
    const next = await log();
    expect([await told(latest), await told(ahead)]).toEqual([expect.arrayContaining([next]), []]);
    const last = await log();
    expect(await told(ahead)).toContain(last);
  });

  it("answer with the error that libraries know when there is no such one", async () => {
    const blocks = await hosted.call<string>("eth_newBlockFilter");
    expect((await hosted.ask("eth_getFilterLogs", blocks)).error?.message).toMatch(/^filter not found/);
    expect(await hosted.call("eth_uninstallFilter", blocks)).toBe(true);
    expect(await hosted.call("eth_uninstallFilter", blocks)).toBe(false);
    expect((await hosted.ask("eth_getFilterChanges", blocks)).error?.message).toBe("filter not found");
    // As another node gives them, with leading zeros left out.
    expect((await hosted.ask("eth_getFilterChanges", "0x1f3")).error?.message).toBe("filter not found");
    expect(await hosted.call("eth_uninstallFilter", "0x1f3")).toBe(false);
  });
});

it.each([
  ["too many", { logs: 2 }],
  ["too long", { answerBytes: 2_000 }],
])("tells logs of many blocks in parts when they are %s for one answer", async (_what, limits) => {
  const fixture = await RpcFixture.open();
  try {
    const rpc = new JsonRpc({
      methods: METHODS,
      node: nodeContext(fixture.chain, limits),
      onBug: () => undefined,
    });
    const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const text = await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), PATIENT);
      return (JSON.parse(text ?? "null") as { result?: unknown }).result;
    };
    const filter = await call("eth_newFilter", {});
    const data = new Uint8Array([0x60, 0, 0x60, 0, 0xa0, 0]);
    for (let nonce = 0n; nonce < 5n; nonce++) {
      await fixture.include(fixture.alone.sign(ALICE, { nonce, to: undefined, value: 0n, data, gasLimit: 100_000n }));
    }
    const parts: number[] = [];
    for (let poll = 0; poll < 5; poll++) parts.push(((await call("eth_getFilterChanges", filter)) as unknown[]).length);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(5);
    expect(Math.max(...parts)).toBe(2);
  } finally {
    await fixture.close();
  }
});
