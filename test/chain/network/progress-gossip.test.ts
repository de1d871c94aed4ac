/** Workers' reports over real libp2p, with the boards that nodes judge them by: what arrives, what does not, who pays. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { bytes32, bytesToHex, concatBytes, type Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { type Progress, progressDigest, type UnsignedProgress } from "../../../base/progress.ts";
import { privateKeyToAddress, signHash } from "../../../base/secp256k1.ts";
import { topicsOf } from "../../../chain/network/gossip-options.ts";
import { ProgressBoard } from "../../../chain/runtime/progress-board.ts";
import { encodeProgress } from "../../../chain/wire/gossip.ts";
import { connected, GENESIS, keyOf, startNode, stopNodes, type TestNode } from "./support/nodes.ts";
import { RawPeer, stopRawPeers } from "./support/raw-peer.ts";

const CHAIN = 7n;
const WORKER = keyOf("worker");
const STRANGER = keyOf("stranger");
const JOB = 5n;
const worker = bytesToHex(privateKeyToAddress(WORKER));

interface Judging {
  readonly node: TestNode;
  readonly board: ProgressBoard;
  readonly heard: Progress[];
}

/** A node whose board knows of one job, which one worker computes: the state itself is tested with the market. */
async function judging(name: string, persistent: readonly string[]): Promise<Judging> {
  const node = await startNode(name, { outboundPeers: 0, persistent });
  const board: ProgressBoard = new ProgressBoard({
    chainId: CHAIN,
    now: () => performance.now(),
    workingOn: (job, segment, account: Hex) =>
      job !== JOB || segment !== 0 ? "idle" : account === worker ? "working" : "other",
    publish: (progress, by) => node.network.publishProgress(progress, by),
    onWaste: (peer) => node.network.penalise(peer, "useless"),
  });
  const heard: Progress[] = [];
  board.onNew((progress) => heard.push(progress));
  node.judgeProgress = (from, batch) => board.receive(from, batch);
  return { node, board, heard };
}

function report(changes: Partial<UnsignedProgress> = {}, key: Uint8Array = WORKER, chainId = CHAIN): Progress {
  const unsigned = { job: JOB, segment: 0, done: 10n, total: 100n, sequence: 1, ...changes };
  const { r, s, yParity } = signHash(progressDigest(chainId, unsigned), key);
  return { ...unsigned, signature: concatBytes(bytes32(r), bytes32(s), Uint8Array.of(yParity)) };
}

let a: Judging;
let b: Judging;
let c: Judging;

/** In a row: what reaches the last one was handed on by the one between. */
beforeEach(async () => {
  a = await judging("a", []);
  b = await judging("b", [a.node.address]);
  c = await judging("c", [b.node.address]);
  await connected(a.node, b.node);
  await connected(b.node, c.node);
});
afterEach(async () => {
  await stopRawPeers();
  await stopNodes();
});

/** Reports with rising numbers until one has come through: gossip begins some time after the connection. */
async function reaches(from: Judging, to: Judging, first: number): Promise<void> {
  for (let sequence = first; to.board.of(JOB).every((seen) => seen.sequence < first); sequence++) {
    try {
      from.board.report(report({ sequence }));
    } catch (error) {
      if (!isCoded(error, "PROGRESS_TOO_SOON")) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Hostile {
  readonly raw: RawPeer;
  /** One message after the other, until the connection ends. How many left. */
  flood(make: (i: number) => Uint8Array): Promise<number>;
}

async function gossiping(): Promise<Hostile> {
  const raw = await RawPeer.connect(b.node.address);
  await raw.greet();
  const peer = raw.host.peerId.toString();
  await b.node.peers.until(() => b.node.network.peers().some((status) => status.peer === peer));
  const flood = async (make: (i: number) => Uint8Array): Promise<number> => {
    let sent = 0;
    for (let i = 0; raw.connection.status === "open"; i++) {
      const { recipients } = await raw.host.services.gossip.publish(topicsOf(GENESIS).progress, make(i));
      sent += recipients.length;
      // Whoever only publishes never lets the process read what comes.
      await new Promise((resolve) => setTimeout(resolve, recipients.length > 0 ? 1 : 10));
    }
    return sent;
  };
  return { raw, flood };
}

async function banned(raw: RawPeer): Promise<void> {
  const peer = raw.host.peerId.toString();
  await b.node.log.until((all) =>
    all.some(({ message, data }) => message === "a peer is banned" && "peer" in data && data.peer === peer),
  );
  await raw.closed();
}

it("a worker's report given to one node is told by every other, and only the newest is kept", async () => {
  await reaches(a, c, 1);
  const [seen] = c.board.of(JOB);
  expect(seen).toMatchObject({ job: JOB, worker, segment: 0, done: 10n, total: 100n });
  expect(c.board.of(JOB)).toHaveLength(1);
  await reaches(a, c, 1_000);
  expect(c.board.of(JOB)).toHaveLength(1);
  const sequences = c.heard.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((x, y) => x - y));
});

it.each<[string, (i: number) => Progress]>([
  ["signed by somebody else", (i) => report({ sequence: 10_000 + i }, STRANGER)],
  ["signed for another chain", (i) => report({ sequence: 10_000 + i }, WORKER, 8n)],
  ["changed after it was signed", (i) => ({ ...report({ sequence: 10_000 + i }), done: 99n })],
  ["of more than there is", (i) => report({ sequence: 10_000 + i, done: 101n })],
])("a report %s reaches nobody, and who brings such is banned", async (_, make) => {
  const { raw, flood } = await gossiping();
  await flood((i) => encodeProgress([make(i)]));
  await banned(raw);
  expect([b.heard, c.heard]).toEqual([[], []]);
  await reaches(a, c, 1);
});

it("only what no state makes right is held against a peer, and nothing is handed on with what was for nothing here", () => {
  const board: ProgressBoard = new ProgressBoard({
    ...{ chainId: CHAIN, now: () => 0, publish: () => undefined, onWaste: () => undefined },
    workingOn: (job, _, account) => (job !== JOB ? "idle" : account === worker ? "working" : "other"),
  });
  const others = report({}, STRANGER);
  const idle = report({ job: 6n });
  expect(board.receive("peer", [others])).toBe("ignore");
  expect(board.receive("peer", [report({ sequence: 1 }), others])).toBe("ignore");
  expect(board.receive("peer", [idle, report({ sequence: 2 })])).toBe("ignore");
  // It is taken all the same.
  expect(board.of(JOB)).toMatchObject([{ sequence: 2 }]);
  expect(board.receive("peer", [report({ sequence: 1 }), report({ sequence: 3 })])).toBe("ignore");
  expect(board.receive("peer", [report({ sequence: 3 }), report({ sequence: 4 })])).toBe("accept");
  expect(board.receive("peer", [report({ sequence: 6, done: 101n })])).toBe("reject");
  expect(board.receive("peer", [{ ...report({ sequence: 6 }), signature: new Uint8Array(65) }])).toBe("reject");
});

it("garbage on the topic gets its sender banned", async () => {
  const { raw, flood } = await gossiping();
  await flood((i) => new Uint8Array(50 + i).fill(i));
  await banned(raw);
  await reaches(a, c, 1);
});

it("old reports that are said again are told to nobody, and who goes on with it is banned", async () => {
  await reaches(a, c, 1_000);
  const { raw, flood } = await gossiping();
  // Each a true report of the worker, and each older than what is known. Batches differ, or gossip itself would stop them.
  await flood((i) => encodeProgress(Array.from({ length: 64 }, (_, at) => report({ sequence: (61 * i + at) % 999 }))));
  await banned(raw);
  // Later ones of the worker's own may still come.
  expect(c.heard.filter(({ sequence }) => sequence < 1_000)).toEqual([]);
  expect(c.board.of(JOB).every(({ sequence }) => sequence >= 1_000)).toBe(true);
});

it("a flood of true reports is cut to the worker's pace, and who brings it is banned", async () => {
  const { raw, flood } = await gossiping();
  const begun = performance.now();
  const sent = await flood((i) => encodeProgress([report({ sequence: 1 + i })]));
  await banned(raw);
  const seconds = (performance.now() - begun) / 1_000;
  expect(b.heard.length).toBeLessThanOrEqual(10 + 4 * seconds);
  expect(b.heard.length).toBeLessThan(sent);
});

it("a client hears why its report is refused", () => {
  const codeOf = (progress: Progress): unknown => {
    try {
      a.board.report(progress);
    } catch (error) {
      return isCoded(error) && error.code;
    }
    return "taken";
  };
  expect(codeOf(report({ sequence: 5 }))).toBe("taken");
  expect(codeOf(report({ sequence: 5 }))).toBe("PROGRESS_OLD");
  expect(codeOf(report({ sequence: 4 }))).toBe("PROGRESS_OLD");
  expect(codeOf(report({ sequence: 6 }, STRANGER))).toBe("PROGRESS_FALSE");
  expect(codeOf(report({ sequence: 6, segment: 1 }))).toBe("PROGRESS_IDLE");
  expect(codeOf(report({ sequence: 6, job: 6n }))).toBe("PROGRESS_IDLE");
  const codes = Array.from({ length: 20 }, (_, at) => codeOf(report({ sequence: 10 + at })));
  expect(codes).toContain("PROGRESS_TOO_SOON");
});

it("reports of more jobs than there is room for push out the ones that were told of longest ago", () => {
  const board: ProgressBoard = new ProgressBoard({
    ...{ chainId: CHAIN, now: () => 0, publish: () => undefined, onWaste: () => undefined },
    workingOn: () => "working",
  });
  const jobs = Array.from({ length: 2_049 }, (_, at) => BigInt(at));
  for (const job of jobs) board.report(report({ job }));
  expect(board.of(0n)).toEqual([]);
  expect(board.of(1n)).toHaveLength(1);
  expect(board.of(2_048n)).toHaveLength(1);
});
