import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { GWEI, OGPU } from "../../../base/units.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import { type IntakeOptions, TransactionIntake } from "../../../chain/runtime/intake.ts";
import { MAX_INTAKE_TRANSACTIONS, WASTED_RECOVERIES } from "../../../chain/runtime/limits.ts";
import { type ClaimedTransaction, claimOf } from "../../../chain/senders/claim.ts";
import { SenderPool } from "../../../chain/senders/sender-pool.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import { EMPTY_ACCOUNT } from "../../../vm/state/account.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { TransactionError } from "../../../vm/transaction/errors.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { ALICE, BOB, singleSpec } from "./support/single-node.ts";

const spec = singleSpec();
const senders = new SenderPool({ inline: Number.POSITIVE_INFINITY });
const everybodyIsRich = {
  account: () => ({ ...EMPTY_ACCOUNT, balance: 1000n * OGPU }),
  code: () => undefined,
  storage: () => new Uint8Array(0),
} as unknown as StateReader;

function transfer(nonce: number): Uint8Array {
  return signTransaction(
    {
      ...{ type: 2, chainId: spec.chainId, nonce: BigInt(nonce), gasLimit: 21_000n, to: BOB.address, value: 1n },
      ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, data: new Uint8Array(0), accessList: [] },
    },
    ALICE.key,
  );
}

function intake(changes: Partial<IntakeOptions> = {}): { intake: TransactionIntake; mempool: Mempool } {
  const mempool = new Mempool();
  const options: IntakeOptions = {
    ...{ mempool, rules: rulesOfSpec(spec), gasLimit: spec.block.gasLimit },
    ...{ state: () => everybodyIsRich, baseFee: () => 1n, now: () => 0 },
    recover: (transactions) => senders.recover(transactions.map(({ raw }) => raw)),
    isRecovered: () => false,
    onWaste: () => undefined,
    journal: async () => undefined,
    publish: () => undefined,
    onAdded: () => undefined,
    onFailure: (error) => {
      throw error;
    },
    ...changes,
  };
  return { intake: new TransactionIntake(options), mempool };
}

it("takes all back from the journal, also when the first nonce stands last because it was replaced", async () => {
  const { intake: taking, mempool } = intake();
  const nonces = Array.from({ length: 100 }, (_, nonce) => nonce);
  expect(await taking.reload([...nonces.slice(1), 0].map(transfer))).toBe(nonces.length);
  expect(mempool.readySize).toBe(nonces.length);
});

it("has room for clients while peers send more than can be taken in", async () => {
  const { intake: taking } = intake({ recover: () => new Promise(() => undefined) });
  const batch = new Array<ClaimedTransaction>(1_000).fill({ raw: transfer(0) });
  const received: string[] = [];
  for (let sent = 0; sent < 2 * MAX_INTAKE_TRANSACTIONS; sent += batch.length) {
    void taking.receive(batch, `peer ${sent}`).then((judgement) => received.push(judgement));
  }
  let refusal: unknown;
  void taking.submit(transfer(0)).catch((error: unknown) => {
    refusal = error;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(received.length).toBeGreaterThan(0);
  expect(new Set(received)).toEqual(new Set(["ignore"]));
  expect(refusal).toBeUndefined();
});

/** A peer that sends what is signed by nobody with money, and what comes of it. */
function wasteful(changes: Partial<IntakeOptions> = {}) {
  const nobodyIsRich = { account: () => undefined, code: () => undefined, slot: () => 0n } as unknown as StateReader;
  let recoveries = 0;
  const blamed: string[] = [];
  const time = { now: 0 };
  const { intake: taking } = intake({
    state: () => nobodyIsRich,
    recover: async (raws) => {
      recoveries += raws.length;
      return raws.map(() => new TransactionError("TX_INSUFFICIENT_FUNDS", "no money"));
    },
    onWaste: (peer) => blamed.push(peer),
    now: () => time.now,
    ...changes,
  });
  let count = 0;
  const send = (peer: string, size: number) => {
    const batch = Array.from({ length: size }, () => ({ raw: new Uint8Array(new Uint32Array([++count]).buffer) }));
    return taking.receive(batch, peer);
  };
  return { send, blamed, time, recoveries: () => recoveries };
}

it("recovers no more in vain for one peer than its share, however much it sends at once or in a row", async () => {
  const { send, blamed, time, recoveries } = wasteful();
  for (let round = 0; round < 10; round++) await Promise.all([send("greedy", 2_000), send("greedy", 2_000)]);
  expect(recoveries()).toBe(WASTED_RECOVERIES.burst);
  expect(new Set(blamed)).toEqual(new Set(["greedy"]));
  await send("other", 100);
  expect(recoveries()).toBe(WASTED_RECOVERIES.burst + 100);
  time.now += 1_000;
  await send("greedy", WASTED_RECOVERIES.perSecond);
  await send("greedy", 1);
  expect(recoveries()).toBe(WASTED_RECOVERIES.burst + 100 + WASTED_RECOVERIES.perSecond);
});

it("counts nothing that was of use, and nothing that a block has brought already", async () => {
  const { intake: taking, mempool } = intake();
  for (let nonce = 0; nonce < 60; nonce++)
    expect(await taking.receive([{ raw: transfer(nonce) }], "peer")).toBe("accept");
  expect(mempool.size).toBe(60);
  const { send, blamed } = wasteful({ isRecovered: () => true });
  for (let round = 0; round < 10; round++) await send("peer", 2_000);
  expect(blamed).toEqual([]);
});

it("rejects a message with a false claim, whether the transaction is new or not, and takes in what is claimed rightly", async () => {
  const { intake: taking, mempool } = intake();
  const [right, wrong] = [claimOf(ALICE.address), claimOf(BOB.address)];
  const send = (...batch: readonly ClaimedTransaction[]) => taking.receive(batch, "peer");
  expect(await send({ raw: transfer(0), claim: right }, { raw: transfer(1), claim: wrong })).toBe("reject");
  expect(mempool.size).toBe(1);
  expect(await send({ raw: transfer(0), claim: wrong }, { raw: transfer(1), claim: right })).toBe("reject");
  expect(mempool.size).toBe(1);
  expect(await send({ raw: transfer(0), claim: right }, { raw: transfer(1), claim: right })).toBe("accept");
  expect(mempool.size).toBe(2);
});

it("adds what peers send in the order in which it came, however long each sender takes to recover", async () => {
  const releases: (() => void)[] = [];
  const { intake: taking, mempool } = intake({
    recover: async (transactions) => {
      await new Promise<void>((resolve) => releases.push(resolve));
      return senders.recover(transactions.map(({ raw }) => raw));
    },
  });
  const nonces = Array.from({ length: 200 }, (_, nonce) => ({ raw: transfer(nonce) }));
  const judgements = [nonces.slice(0, 100), nonces.slice(100)].map((batch) => taking.receive(batch, "peer"));
  for (const release of releases.toReversed()) release();
  expect(await Promise.all(judgements)).toEqual(["accept", "accept"]);
  expect(mempool.readySize).toBe(200);
});

it("keeps what peers send too early until what it follows has come, and has it in the journal then", async () => {
  const journal: Uint8Array[] = [];
  const { intake: taking, mempool } = intake({
    journal: async (raws) => {
      journal.push(...raws);
    },
  });
  const nonces = Array.from({ length: 300 }, (_, nonce) => ({ raw: transfer(nonce) }));
  expect(await taking.receive(nonces.slice(200), "peer")).toBe("ignore");
  expect(await taking.receive(nonces.slice(100, 200), "peer")).toBe("ignore");
  expect(mempool.size).toBe(0);
  expect(await taking.receive(nonces.slice(0, 100), "other")).toBe("accept");
  expect(mempool.readySize).toBe(300);
  expect(new Set(journal).size).toBe(300);
});

it("adds what came too early when a block has brought what was missing", async () => {
  let nonce = 0n;
  const reader = { ...everybodyIsRich, account: () => ({ ...EMPTY_ACCOUNT, balance: 1000n * OGPU, nonce }) };
  const { intake: taking, mempool } = intake({ state: () => reader as unknown as StateReader });
  expect(await taking.receive([{ raw: transfer(100) }, { raw: transfer(101) }], "peer")).toBe("ignore");
  nonce = 100n;
  taking.onBlock([BOB.address]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(mempool.size).toBe(0);
  taking.onBlock([BOB.address, ALICE.address]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(mempool.readySize).toBe(2);
});

it("asks whose turn it is for those alone who could pay, and whose nonce is not used", async () => {
  const rules = rulesOfSpec(spec);
  const { duties } = rules;
  if (duties === undefined) throw new Error("the chain has duties");
  let asked = 0;
  const find: typeof duties.find = () => {
    asked++;
    return undefined;
  };
  let account = { ...EMPTY_ACCOUNT, nonce: 0n, balance: 0n };
  const { intake: taking } = intake({
    rules: { ...rules, duties: { terms: (state, gasLimit) => duties.terms(state, gasLimit), find } },
    state: () => ({ ...everybodyIsRich, account: () => account }),
  });
  await expect(taking.submit(transfer(0))).rejects.toMatchObject({ code: "TX_INSUFFICIENT_FUNDS" });
  account = { ...account, nonce: 1n, balance: 1000n * OGPU };
  await expect(taking.submit(transfer(0))).rejects.toMatchObject({ code: "TX_NONCE_TOO_LOW" });
  expect(asked).toBe(0);
  await taking.submit(transfer(1));
  expect(asked).toBe(1);
});

describe("transactions whose senders are known", () => {
  const entryOf = (nonce: number) => ({ transaction: decodeTransaction(transfer(nonce)), sender: ALICE.address });

  it("are taken in their order and in the journal before the answer, each with its own outcome", async () => {
    const journal: Uint8Array[] = [];
    const published: string[] = [];
    const { intake: taking, mempool } = intake({
      journal: async (raws) => void journal.push(...raws),
      publish: (added) => void published.push(...added.map(({ transaction }) => bytesToHex(transaction.hash))),
    });
    const entries = [0, 1, 1, 3].map(entryOf);
    const outcomes = await taking.take(entries);
    expect(outcomes.map((outcome) => (outcome instanceof CodedError ? outcome.code : "taken"))).toEqual([
      "taken",
      "taken",
      "MEMPOOL_KNOWN",
      "taken",
    ]);
    expect(journal).toEqual([0, 1, 3].map(transfer));
    expect(published).toEqual([0, 1, 3].map((nonce) => bytesToHex(entryOf(nonce).transaction.hash)));
    expect(mempool.readySize).toBe(2);
  });

  it("are not acknowledged when the journal cannot be written", async () => {
    const { intake: taking } = intake({
      journal: () => Promise.reject(new CodedError("MEMPOOL_JOURNAL_FAILED", "full")),
    });
    await expect(taking.take([entryOf(0)])).rejects.toMatchObject({ code: "MEMPOOL_JOURNAL_FAILED" });
    await taking.close();
  });

  it("are refused beyond the bound, and when the node stops, which waits for those that were taken", async () => {
    let write = (): void => undefined;
    const { intake: taking } = intake({
      journal: () =>
        new Promise((resolve) => {
          write = resolve;
        }),
    });
    const many = new Array<ReturnType<typeof entryOf>>(MAX_INTAKE_TRANSACTIONS + 1).fill(entryOf(0));
    expect(new Set((await taking.take(many)).map((outcome) => (outcome as CodedError).code))).toEqual(
      new Set(["NODE_BUSY"]),
    );
    const taken = taking.take([entryOf(0)]);
    const closed = taking.close();
    expect(await taking.take([entryOf(1)])).toMatchObject([{ code: "NODE_STOPPING" }]);
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    write();
    expect(await taken).toHaveLength(1);
    await closed;
  });
});
