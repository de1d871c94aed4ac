import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import type { KnownTransaction } from "../../../chain/runtime/sender-cache.ts";
import { MAX_QUESTIONS, MAX_SUBMITTED_BYTES } from "../../../rpc/limits.ts";
import { LaneReader, LaneWriter, laneMemory } from "../../../rpc/thread/lane.ts";
import { SubmissionDesk } from "../../../rpc/thread/submission-desk.ts";
import { CONNECTION_BYTES, type Refusal, Submissions } from "../../../rpc/thread/submissions.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { ALICE, BOB, SingleNode } from "../../chain/runtime/support/single-node.ts";

const alone = new SingleNode();
alone.remove();
const raws = Array.from({ length: 200 }, (_, nonce) => alone.sign(ALICE, { nonce: BigInt(nonce) }));
const MAX_BYTES = 131_072;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The ends of both threads in this one, with the real threads that recover senders between them. */
class Way {
  readonly taken: KnownTransaction[] = [];
  readonly deaths: unknown[] = [];
  refuses: CodedError | undefined;
  readonly #desk = new SubmissionDesk({
    node: {
      submitKnown: async (known) => {
        this.taken.push(...known);
        return known.map(({ raw, sender }) => this.refuses ?? { transaction: decodeTransaction(raw), sender });
      },
    },
    maxTransactionBytes: MAX_BYTES,
    threads: 3,
    onDeath: (reason) => this.deaths.push(reason),
  });
  readonly submissions: Submissions;

  constructor() {
    const toRpc = (name: string, news: unknown): void => {
      if (name === "answers") this.submissions.onAnswers();
      else this.submissions.onRefusal(news as Refusal);
    };
    this.submissions = new Submissions(
      { tell: (_, threads) => this.#desk.begin({ tell: toRpc }, threads as number) },
      this.#desk.lanes,
    );
  }

  close(): void {
    this.#desk.close();
  }
}

let way: Way | undefined;
afterEach(() => way?.close());

describe("a client's transaction on its way to the node", () => {
  it("comes there with its sender and hash, in the order of submission, and is answered with the hash", async () => {
    way = new Way();
    const hashes = await Promise.all(raws.map((raw) => way?.submissions.submit(raw)));
    expect(hashes).toEqual(raws.map((raw) => decodeTransaction(raw).hash));
    expect(way.taken.map(({ raw }) => bytesToHex(raw))).toEqual(raws.map(bytesToHex));
    expect(new Set(way.taken.map(({ sender }) => sender))).toEqual(new Set([ALICE.address]));
    expect(way.taken.map(({ hash }) => hash)).toEqual(hashes);
    expect(way.deaths).toEqual([]);
  });

  it("that is none is refused with its code, and the node does not hear of it", async () => {
    way = new Way();
    await expect(way.submissions.submit(new Uint8Array([0xc0]))).rejects.toMatchObject({ code: "TX_MALFORMED" });
    const forged = (raws[0] as Uint8Array).slice();
    // s, the last of it, is zero.
    forged.fill(0, -32);
    await expect(way.submissions.submit(forged)).rejects.toMatchObject({ code: expect.stringMatching(/^TX_/) });
    expect(way.taken).toEqual([]);
    expect(await way.submissions.submit(raws[0] as Uint8Array)).toHaveLength(32);
  });

  it("is refused with what the node says", async () => {
    way = new Way();
    way.refuses = new CodedError("MEMPOOL_KNOWN", "it waits already", { hash: "0x1" });
    const refused = way.submissions.submit(raws[0] as Uint8Array);
    await expect(refused).rejects.toMatchObject({ code: "MEMPOOL_KNOWN", data: { hash: "0x1" } });
  });

  it("is refused at once when it is longer than the chain allows", async () => {
    way = new Way();
    const tooLong = way.submissions.submit(new Uint8Array(MAX_BYTES + 1));
    await expect(tooLong).rejects.toMatchObject({ code: "TX_TOO_LARGE" });
    const longest = alone.sign(ALICE, { data: new Uint8Array(MAX_BYTES - 200), gasLimit: 10_000_000n });
    expect(await way.submissions.submit(longest)).toEqual(decodeTransaction(longest).hash);
    expect(way.taken).toHaveLength(1);
  });

  it("does not wait for those behind it that have no sender, however many come", async () => {
    way = new Way();
    const forged = (raws[0] as Uint8Array).slice().fill(0xff, -32);
    let isAnswered = false;
    let sent = 0;
    const good = way.submissions.submit(raws[0] as Uint8Array).then(() => {
      isAnswered = true;
    });
    // Twenty at any time: the threads never rest.
    const bad = Array.from({ length: 20 }, async () => {
      while (!isAnswered && sent++ < 10_000) await way?.submissions.submit(forged).catch(() => undefined);
    });
    await Promise.all([good, ...bad]);
    expect(sent).toBeLessThan(10_000);
  });
});

describe("transactions of several senders", () => {
  it("have their own each, whoever sent what came before through the same connection", async () => {
    way = new Way();
    const people = [ALICE, BOB];
    // Rows that are long enough to be guessed from, and ends of them; through two connections, and through none.
    const all = Array.from({ length: 240 }, (_, index) => {
      const who = people[Math.floor(index / 30) % 2 === 0 || index % 20 < 15 ? 0 : 1] as typeof ALICE;
      return { who, raw: alone.sign(who, { nonce: BigInt(index) }), connection: index % 3 };
    });
    await Promise.all(all.map(({ raw, connection }) => way?.submissions.submit(raw, connection)));
    expect(way.taken.map(({ sender }) => sender)).toEqual(all.map(({ who }) => who.address));
    expect(way.taken.map(({ raw }) => bytesToHex(raw))).toEqual(all.map(({ raw }) => bytesToHex(raw)));
  });
});

describe("many transactions at once", () => {
  it("wait for room in the lane, keep their order, and are refused beyond a bound", async () => {
    const { port1, port2 } = new MessageChannel();
    const memory = { submitted: [laneMemory(1024)], answered: laneMemory(2 ** 22) };
    const submissions = new Submissions(
      { tell: () => undefined },
      { ...memory, maxTransactionBytes: MAX_BYTES, refused: [port1] },
    );
    const [reader, answers] = [
      new LaneReader(memory.submitted[0] as SharedArrayBuffer),
      new LaneWriter(memory.answered),
    ];
    let answered = 0;
    const submit = async (index: number): Promise<Uint8Array> => {
      const hash = await submissions.submit(Uint8Array.of(index, index >> 8));
      answered++;
      return hash;
    };
    const all = Array.from({ length: MAX_QUESTIONS }, (_, index) => submit(index));
    await expect(submissions.submit(Uint8Array.of(1))).rejects.toMatchObject({ code: "RPC_BUSY" });
    const seen: number[] = [];
    while (seen.length < all.length) {
      const read = reader.read((id, bytes) => {
        const [low, high] = bytes.subarray(CONNECTION_BYTES) as unknown as [number, number];
        seen.push(low + 256 * high);
        answers.write(id, new Uint8Array(32).fill(id));
      });
      expect(read).toBeGreaterThan(0);
      submissions.onAnswers();
      while (answered < seen.length) await turn();
    }
    expect(seen).toEqual(all.map((_, index) => index));
    expect((await Promise.all(all)).map(([first]) => first)).toEqual(all.map((_, index) => index & 0xff));
    // And by what they take.
    const large = new Uint8Array(MAX_BYTES);
    const many = Array.from({ length: MAX_SUBMITTED_BYTES / MAX_BYTES + 1 }, () => submissions.submit(large));
    await expect(many.at(-1)).rejects.toMatchObject({ code: "RPC_BUSY" });
    port1.close();
    port2.close();
  });

  it("have another thread begin, and go there once it is there", () => {
    const submitted = [laneMemory(2 ** 16), laneMemory(2 ** 16), laneMemory(2 ** 16)];
    const asked: unknown[] = [];
    const submissions = new Submissions(
      { tell: (_, threads) => void asked.push(threads) },
      { submitted, answered: laneMemory(2 ** 22), maxTransactionBytes: MAX_BYTES, refused: [] },
    );
    const submitSome = (): void => {
      for (let index = 0; index < 12; index++) void submissions.submit(new Uint8Array(1_000));
    };
    const unread = (): number[] =>
      submitted.map((memory) => {
        const ids: number[] = [];
        new LaneReader(memory).read((id) => ids.push(id));
        return ids.length;
      });
    submitSome();
    expect(asked).toEqual([1, 2]);
    // Those behind one in the second lane would wait until its thread has begun.
    expect(unread()).toEqual([12, 0, 0]);
    new LaneReader(submitted[1] as SharedArrayBuffer).attend();
    submitSome();
    const [first, second, third] = unread();
    expect(first).toBeLessThan(12);
    expect([(first ?? 0) + (second ?? 0), third]).toEqual([12, 0]);
    expect(asked).toEqual([1, 2, 3]);
  });
});
