import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { storeError } from "../../chain/store/errors.ts";
import { answerReads } from "../../rpc/answer-reads.ts";
import type { ChainReads } from "../../rpc/chain-view.ts";
import { JsonRpc, type ReadBatch } from "../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobs } from "../../rpc/local-jobs.ts";
import { METHODS } from "../../rpc/methods.ts";
import { ALICE, BOB } from "../chain/runtime/support/single-node.ts";
import { nodeContext, PATIENT, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
let samples: readonly object[];
beforeAll(async () => {
  fixture = await RpcFixture.open(true);
  const transaction = await fixture.include(fixture.alone.sign(ALICE, { value: 5n }));
  samples = requestsOf(bytesToHex(fixture.chain.head.hash), transaction);
});
afterAll(() => fixture.close());

/** Each read as it should be, and as it should not. */
function requestsOf(blockHash: Hex, transaction: Hex): readonly object[] {
  const params: Readonly<Record<string, readonly unknown[][]>> = {
    eth_getBalance: [[ALICE.address], [BOB.address, "latest"], [ALICE.address, "0x0"], [ALICE.address, "0x99"], ["0x"]],
    eth_getCode: [[ALICE.address, "latest"]],
    eth_getStorageAt: [[ALICE.address, "0x0", "latest"]],
    eth_getBlockByNumber: [
      ["latest", true],
      ["0x1", false],
      ["0x77", false],
    ],
    eth_getBlockByHash: [
      [blockHash, true],
      [`0x${"00".repeat(32)}`, true],
    ],
    eth_getBlockReceipts: [["latest"]],
    eth_getTransactionReceipt: [[transaction], [blockHash]],
    eth_getTransactionByBlockNumberAndIndex: [["latest", "0x0"]],
    eth_getTransactionByBlockHashAndIndex: [[blockHash, "0x0"]],
    ogpu_getFinality: [["latest"]],
  };
  const names = METHODS.filter(({ isRead }) => isRead).map(({ name }) => name);
  const all = names.flatMap((method) =>
    (params[method] ?? [["latest"], []]).map((given) => ({ method, params: given })),
  );
  const odd = [{ method: "eth_chainId", params: {} }, { method: "eth_blockNumber" }];
  const ids = ["seven", null, 1.5, 'ä"', 2 ** 60];
  return [...all, ...odd].map((one, index) => ({ jsonrpc: "2.0", id: ids[index] ?? index, ...one }));
}

interface Tried {
  readonly rpc: JsonRpc;
  readonly counted: (readonly [string | undefined, number | undefined])[];
}

function rpcWith(readBatch?: ReadBatch, methods = METHODS): Tried {
  const counted: (readonly [string | undefined, number | undefined])[] = [];
  const rpc = new JsonRpc({
    methods,
    node: nodeContext(fixture.chain),
    onBug: (_method, error) => {
      throw error;
    },
    onAnswer: (method, code, _milliseconds, requests) => {
      for (let count = 0; count < requests; count++) counted.push([method, code]);
    },
    readBatch,
  });
  return { rpc, counted };
}

/** As another thread answers. */
function elsewhere(): { readonly readBatch: ReadBatch; readonly asked: string[] } {
  const job = localJobs(fixture.chain, DEFAULT_LIMITS);
  const asked: string[] = [];
  const readBatch: ReadBatch = (body) => {
    asked.push(body);
    return job("reads", { body, head: fixture.chain.head.header.number });
  };
  return { readBatch, asked };
}

describe("a batch of reads", () => {
  it("is answered on another thread, to the letter as it would be here, and counted as much", async () => {
    const body = JSON.stringify([...samples, { jsonrpc: "2.0", method: "eth_chainId", params: [] }]);
    const here = rpcWith();
    const { readBatch, asked } = elsewhere();
    const there = rpcWith(readBatch);
    expect(await there.rpc.answer(body, PATIENT)).toBe(await here.rpc.answer(body, PATIENT));
    expect(asked).toEqual([body]);
    expect(there.counted).toEqual(here.counted);
    expect(there.counted.some(([, code]) => code !== undefined)).toBe(true);
  });

  it("stays here when it is short, or not of reads alone, or nobody is free", async () => {
    const { readBatch, asked } = elsewhere();
    const { rpc } = rpcWith(readBatch);
    const whole = (answer: string | undefined): number => JSON.parse(answer ?? "[]").length;
    expect(whole(await rpc.answer(JSON.stringify(samples.slice(0, 3)), PATIENT))).toBe(3);
    const other = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params: [ALICE.address, "pending"] };
    expect(whole(await rpc.answer(JSON.stringify([...samples, other]), PATIENT))).toBe(samples.length + 1);
    expect(asked).toEqual([]);
    const busy = rpcWith(() => undefined);
    expect(whole(await busy.rpc.answer(JSON.stringify(samples), PATIENT))).toBe(samples.length);
  });

  it("is answered here when the other thread cannot", async () => {
    const body = JSON.stringify(samples);
    const wanted = await rpcWith().rpc.answer(body, PATIENT);
    const died = rpcWith(() => Promise.reject(new CodedError("CALL_WORKER_DIED", "it died")));
    expect(await died.rpc.answer(body, PATIENT)).toBe(wanted);
    // And when there is no room for all at once of what it has answered.
    const requests = samples.length;
    const large = rpcWith(() => Promise.resolve({ requests, count: 1, text: "x".repeat(50_000), failures: [] }));
    expect(await large.rpc.answer(body, { ...PATIENT, hold: (bytes) => bytes < 50_000 })).toBe(wanted);
  });

  it("is answered and charged as any other when it is not what it looks like", async () => {
    const named = (count: number) =>
      samples.slice(0, count).map((one) => ({ ...one, params: [{ method: "eth_chainId" }] }));
    const many = JSON.stringify(samples);
    const bodies: readonly (readonly [body: string, requests: number])[] = [
      [many.replaceAll('"method":', '"method": '), samples.length],
      [many.replaceAll('"method":', '"method"  :'), samples.length],
      [many.replaceAll('"method":', '"\\u006dethod":'), samples.length],
      // As many names as requests, but not one of each.
      [JSON.stringify([...named(10), ...samples.slice(10, 20)]).replace('"method":"eth', '"metho":"eth'), 20],
      [JSON.stringify(named(15)), 15],
      [JSON.stringify([...samples, 7]), samples.length + 1],
      [many.slice(0, -1), 0],
      [`${many}]`, 0],
      [`[${"[".repeat(100)}${'{"method":"eth_chainId"},'.repeat(30)}0${"]".repeat(100)}]`, 1],
      [`[${'{"method":"eth_chainId"},'.repeat(30)}null]`, 31],
    ];
    for (const [body, requests] of bodies) {
      const wanted = await rpcWith().rpc.answer(body, PATIENT);
      let charged = 0;
      const charge = (count: number): boolean => {
        charged += count;
        return true;
      };
      const client = { ...PATIENT, charge };
      const { rpc, counted } = rpcWith(elsewhere().readBatch);
      expect(await rpc.answer(body, client)).toBe(wanted);
      expect(charged).toBeGreaterThanOrEqual(requests);
      expect(counted.length).toBeLessThanOrEqual(requests);
    }
  });

  it("gets no method that is not offered, however its text names it", async () => {
    const offered = METHODS.filter(({ name }) => name === "eth_chainId");
    const request = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","\\u006dethod":"eth_blockNumber","params":[]}';
    const hidden = '{"jsonrpc":"2.0","id":1,"\\u006dethod":"eth_chainId","params":[]}';
    const body = `[${Array(20).fill(request).join()}]`;
    const wanted = await rpcWith(undefined, offered).rpc.answer(body, PATIENT);
    expect(wanted).toContain("-32601");
    expect(await rpcWith(elsewhere().readBatch, offered).rpc.answer(body, PATIENT)).toBe(wanted);
    // Nothing is answered that was not charged for.
    const plain = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    const long = `[${[...Array(20).fill(plain), ...Array(500).fill(hidden)].join()}]`;
    expect(answerReads(long, fixture.chain)).toEqual({ requests: 0, count: 0, text: "", failures: [] });
  });

  it("whose work is over its limit has an error for each request that is left", async () => {
    const body = JSON.stringify(samples);
    const { text } = answerReads(JSON.stringify(samples.slice(0, 1)), fixture.chain);
    const requests = samples.length;
    for (const first of [{ requests, count: 1, text, failures: [] }, undefined]) {
      const { rpc } = rpcWith((_body, caller) => {
        caller.spend(DEFAULT_LIMITS.workMilliseconds);
        return first === undefined
          ? Promise.reject(new CodedError("CALL_WORKER_DIED", "it died"))
          : Promise.resolve(first);
      });
      const answers = JSON.parse((await rpc.answer(body, PATIENT)) ?? "[]") as readonly {
        error?: { data?: unknown };
      }[];
      const refused = answers.filter(({ error }) => JSON.stringify(error?.data) === '{"code":"RPC_BUDGET"}');
      expect([answers.length, refused.length]).toEqual([requests, first === undefined ? requests : requests - 1]);
    }
  });

  it("of a client that asks too often is refused before anybody works on it", async () => {
    const { readBatch, asked } = elsewhere();
    const { rpc } = rpcWith(readBatch);
    const answer = await rpc.answer(JSON.stringify(samples), { ...PATIENT, charge: () => false });
    expect(JSON.parse(answer ?? "")).toMatchObject({ id: null, error: { data: { code: "RPC_TOO_OFTEN" } } });
    expect(asked).toEqual([]);
  });

  it("is ended here where the other thread stops: after a while, or for want of a state that this one may have", async () => {
    const { chain } = fixture;
    const body = JSON.stringify(samples);
    const wanted = await rpcWith().rpc.answer(body, PATIENT);
    let time = 0;
    const slow = answerReads(body, chain, () => time++);
    const { spec, head } = chain;
    const stateAt = (number: number): never => {
      throw storeError("STORE_NO_ARCHIVE", "not kept", { number });
    };
    const poor = answerReads(body, { spec, head, stateAt } as unknown as ChainReads);
    for (const first of [slow, poor, { requests: samples.length, count: 0, text: "", failures: [] }]) {
      expect(first.count).toBeLessThan(samples.length);
      const { rpc, counted } = rpcWith(() => Promise.resolve(first));
      expect(await rpc.answer(body, PATIENT)).toBe(wanted);
      expect(counted.length).toBe(samples.length);
    }
    expect(slow.count).toBeGreaterThan(0);
  });
});
