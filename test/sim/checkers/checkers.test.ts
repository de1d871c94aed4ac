import { describe, expect, it } from "vitest";
import { bytesToHex, concatBytes, type Hex } from "../../../base/bytes.ts";
import { NO_HASH, type VoteContent, voteMessage } from "../../../base/votes.ts";
import type { Block, Certificate, LogRecord, Vote } from "../../../chain/consensus/types.ts";
import { MEMPOOL_LIMITS } from "../../../chain/mempool/limits.ts";
import { BUCKETS } from "../../../chain/store/buckets.ts";
import { decodeBody, encodeBody } from "../counter-app.ts";
import { LedgerNode } from "../ledger-node.ts";
import { Lifetime } from "../lifetime.ts";
import { APPS, type AppName, makeScenario } from "../scenario.ts";
import { simulatedKeys } from "../sim-crypto.ts";
import type { SimNode } from "../sim-node.ts";
import { Simulation } from "../simulation.ts";
import { checkersOf } from "./all-checkers.ts";
import type { Checker } from "./checker.ts";

/** A network of four that ran well and rests: histories are told about its nodes. The last one counts as a liar. */
interface Past {
  readonly simulation: Simulation;
  readonly node: SimNode;
  readonly liar: SimNode;
  /** Those that the checker takes for honest. */
  readonly honest: SimNode[];
  /** The last final block, and what made it final. */
  readonly block: Block;
  readonly certificate: Certificate;
  sign(node: SimNode, content: VoteContent): Vote;
}

/** It may change what the nodes hold: each has a past of its own. */
type History = (checker: Checker, past: Past) => void | Promise<void>;

interface Histories {
  readonly app: AppName;
  readonly harmless: Readonly<Record<string, History>>;
  readonly violating: Readonly<Record<string, History>>;
}

const OTHER: Hex = bytesToHex(new Uint8Array(32).fill(7));

async function makePast(app: AppName): Promise<Past> {
  const keys = simulatedKeys();
  const simulation = new Simulation(makeScenario({ app, seed: "1", validators: 4, minutes: 0.2, faults: [] }), {
    keys,
  });
  expect((await simulation.run()).violations).toEqual([]);
  const [node, , , liar] = simulation.nodes;
  const { final, certificate } = node?.finals.base() ?? {};
  if (!node || !liar || !final || !certificate) throw new Error("there are four nodes, and blocks");
  return {
    simulation,
    node,
    liar,
    honest: simulation.nodes.filter((one) => one !== liar),
    block: final,
    certificate,
    sign: (signer, content) => ({
      ...content,
      validator: node.state?.epoch.set.indexOf.get(signer.id) ?? -1,
      signature: keys.signer(`validator ${signer.index}`).sign(voteMessage(simulation.world.chainId, content)),
    }),
  };
}

/** The same with other properties; none of its methods may be called. */
function altered<Thing extends object>(thing: Thing, changes: object): Thing {
  return Object.create(thing, Object.getOwnPropertyDescriptors(changes));
}

/** In a view that is not final. */
function later(past: Past, kind: VoteContent["kind"], hash: Hex): VoteContent {
  return { kind, epoch: past.block.epoch, view: past.certificate.view + 50, hash };
}

function says(checker: Checker, past: Past, ...contents: readonly VoteContent[]): void {
  for (const content of contents) {
    checker.onSend?.(past.node, { type: "vote", vote: past.sign(past.node, content) });
  }
}

async function write({ simulation, node }: Past, ...records: readonly LogRecord[]): Promise<void> {
  node.log.open(new Lifetime(simulation.queue)).append(records, 1);
  await simulation.queue.runUntil(simulation.queue.now + 20);
}

function mapOf<Value>(size: number, value: Value): Map<number, Value> {
  return new Map(Array.from({ length: size }, (_, key) => [key, value]));
}

function keeps(changes: object): History {
  return (checker, { node }) =>
    checker.onStep?.(altered(node, { state: altered(node.state ?? {}, changes), waitingVotes: 0 }));
}

/** Writes the records of some accounts into the places of others. */
async function moveAccounts({ node, simulation }: Past, moves: readonly (readonly [number, number])[]): Promise<void> {
  if (!(node instanceof LedgerNode)) throw new Error("only whole nodes have accounts");
  const accounts = node.level.bucket(BUCKETS.accounts);
  const batch = node.level.open(new Lifetime(simulation.queue)).batch();
  for (const [from, to] of moves) {
    const [source, target] = [accounts[from], accounts[to]];
    if (!source || !target) throw new Error("there are accounts");
    batch.put(
      concatBytes(new Uint8Array([BUCKETS.accounts]), target.key),
      concatBytes(source.value, new Uint8Array(4)),
    );
  }
  void batch.write({ sync: true });
  await simulation.queue.runUntil(simulation.queue.now + 20);
}

function mempoolOf(node: SimNode, size: number, bytes: number): SimNode {
  return altered(node, { node: { mempool: { size, bytes } } });
}

const HISTORIES: Readonly<Record<string, Histories>> = {
  "no-conflicting-finals": {
    app: "counter",
    harmless: {
      "two nodes have one block": (checker, { node, liar, block, certificate }) => {
        for (const one of [node, liar, node]) checker.onBlock?.(one, block, certificate);
      },
    },
    violating: {
      "two nodes have two blocks at one height": (checker, { node, liar, block, certificate }) => {
        checker.onBlock?.(node, block, certificate);
        checker.onBlock?.(liar, { ...block, hash: OTHER }, certificate);
      },
    },
  },
  "prefix-order": {
    app: "counter",
    harmless: {
      "a block is upon its parent": (checker, { node, block, certificate }) =>
        checker.onBlock?.(node, block, certificate),
    },
    violating: {
      "a block is upon another": (checker, { node, block, certificate }) =>
        checker.onBlock?.(node, { ...block, parent: OTHER }, certificate),
      "the disk has another block there": (checker, { node, block, certificate }) =>
        checker.onBlock?.(node, { ...block, hash: OTHER }, certificate),
    },
  },
  "no-honest-evidence": {
    app: "counter",
    harmless: {
      "notarizes, says so again, and finalizes the same": (checker, past) =>
        says(checker, past, ...(["NOTARIZE", "NOTARIZE", "FINALIZE"] as const).map((kind) => later(past, kind, OTHER))),
      "notarizes and then nullifies": (checker, past) =>
        says(checker, past, later(past, "NOTARIZE", OTHER), later(past, "NULLIFY", NO_HASH)),
      "a liar is accused by its own votes": (checker, past) => {
        const [first, second] = [OTHER, past.block.hash].map((hash) =>
          past.sign(past.liar, later(past, "NOTARIZE", hash)),
        );
        if (first && second) checker.onEvidence?.(past.node, { first, second });
      },
    },
    violating: {
      "notarizes two blocks": (checker, past) =>
        says(checker, past, later(past, "NOTARIZE", OTHER), later(past, "NOTARIZE", past.block.hash)),
      "nullifies and finalizes": (checker, past) =>
        says(checker, past, later(past, "NULLIFY", NO_HASH), later(past, "FINALIZE", OTHER)),
      "notarizes one and finalizes another": (checker, past) =>
        says(checker, past, later(past, "NOTARIZE", past.block.hash), later(past, "FINALIZE", OTHER)),
      "an honest one is accused": (checker, past) => {
        const [first, second] = [OTHER, past.block.hash].map((hash) =>
          past.sign(past.node, later(past, "NOTARIZE", hash)),
        );
        if (first && second) checker.onEvidence?.(past.node, { first, second });
      },
      "a liar is accused of what is no offence": (checker, past) => {
        const vote = past.sign(past.liar, later(past, "NOTARIZE", OTHER));
        checker.onEvidence?.(past.node, { first: vote, second: vote });
      },
    },
  },
  "no-honest-blame": {
    app: "counter",
    harmless: { "a liar is blamed": (checker, { node, liar }) => checker.onBlame?.(node, liar.id) },
    violating: {
      "an honest peer is blamed": (checker, { node, honest }) => checker.onBlame?.(node, honest[1]?.id ?? ""),
    },
  },
  "persist-before-send": {
    app: "counter",
    harmless: {
      "a vote of a view that is final": (checker, past) =>
        says(checker, past, { ...later(past, "FINALIZE", past.block.hash), view: past.certificate.view }),
      "a vote that is durable": async (checker, past) => {
        const vote = later(past, "NULLIFY", NO_HASH);
        await write(past, { type: "vote", vote });
        says(checker, past, vote);
      },
    },
    violating: {
      "a vote that was not written": (checker, past) => says(checker, past, later(past, "NULLIFY", NO_HASH)),
      "a vote that is being written": (checker, past) => {
        const vote = later(past, "NULLIFY", NO_HASH);
        past.node.log.open(new Lifetime(past.simulation.queue)).append([{ type: "vote", vote }], 1);
        says(checker, past, vote);
      },
      "a durable vote for a block that is not": async (checker, past) => {
        const vote = later(past, "NOTARIZE", OTHER);
        await write(past, { type: "vote", vote });
        says(checker, past, vote);
      },
      "a certificate that was not written": (checker, past) => {
        const content = { ...later(past, "NULLIFY", NO_HASH), kind: "NULLIFY" } as const;
        const certificate: Certificate = { ...past.certificate, ...content };
        checker.onSend?.(past.node, { type: "certificate", certificate });
      },
    },
  },
  "vote-after-execution": {
    app: "counter",
    harmless: {
      "signs for a block that it executed": (checker, past) =>
        says(checker, past, later(past, "NOTARIZE", past.block.hash)),
      "nullifies without any": (checker, past) => says(checker, past, later(past, "NULLIFY", NO_HASH)),
    },
    violating: {
      "signs for a block that it did not": (checker, past) => says(checker, past, later(past, "NOTARIZE", OTHER)),
    },
  },
  "bounded-memory": {
    app: "counter",
    harmless: {
      "a node at rest": (checker, { node }) => checker.onStep?.(node),
      "many rounds, of as many views": keeps({ view: 1_000, finalView: 0, rounds: mapOf(1_000, {}) }),
    },
    violating: {
      rounds: keeps({ rounds: mapOf(1_000, {}) }),
      blocks: keeps({ blocks: mapOf(1_000, {}) }),
      wanted: keeps({ wanted: mapOf(1_000, {}) }),
      "log records": keeps({ logged: 10_000 }),
      "unchecked votes": (checker, { node }) =>
        checker.onStep?.(altered(node, { state: node.state, waitingVotes: 100_000 })),
    },
  },
  "light-client": {
    app: "counter",
    harmless: {
      "a certified block": (checker, { node, block, certificate }) => checker.onBlock?.(node, block, certificate),
    },
    violating: {
      "a false signature": (checker, { node, block, certificate }) =>
        checker.onBlock?.(node, block, { ...certificate, signature: certificate.signature.map((byte) => byte ^ 1) }),
      "too few signers": (checker, { node, block, certificate }) =>
        checker.onBlock?.(node, block, { ...certificate, signers: certificate.signers.map(() => 0) }),
    },
  },
  "equal-roots": {
    app: "counter",
    harmless: { "the whole chain": (checker, past) => tellChain(checker, past, (body) => body) },
    violating: {
      "a root that its transactions do not give": (checker, past) =>
        tellChain(checker, past, (body) =>
          encodeBody({ transactions: decodeBody(body).transactions, root: new Uint8Array(32) }),
        ),
    },
  },
  "equal-states": {
    app: "ledger",
    harmless: {
      "the disk is as it was left": async (checker, past) => {
        await moveAccounts(past, [[1, 1]]);
        checker.onBlock?.(past.node, past.block, past.certificate);
      },
    },
    violating: {
      "somebody's money is another's too": async (checker, past) => {
        await moveAccounts(past, richAndPoor(past).slice(0, 1));
        checker.onBlock?.(past.node, past.block, past.certificate);
      },
      "two have each other's": async (checker, past) => {
        await moveAccounts(past, richAndPoor(past));
        checker.onBlock?.(past.node, past.block, past.certificate);
      },
    },
  },
  "mempool-bounds": {
    app: "ledger",
    harmless: {
      "full, and later empty": (checker, { node }) => {
        checker.onStep?.(mempoolOf(node, MEMPOOL_LIMITS.transactions, MEMPOOL_LIMITS.bytes));
        checker.onEnd?.();
      },
    },
    violating: {
      "too many": (checker, { node }) => checker.onStep?.(mempoolOf(node, MEMPOOL_LIMITS.transactions + 1, 1)),
      "too large": (checker, { node }) => checker.onStep?.(mempoolOf(node, 1, MEMPOOL_LIMITS.bytes + 1)),
      "not empty at the end": (checker, { node, honest }) => {
        honest.push(mempoolOf(node, 1, 100));
        checker.onEnd?.();
      },
    },
  },
};

function tellChain(checker: Checker, { node, certificate }: Past, change: (body: Uint8Array) => Uint8Array): void {
  for (let height = 1; height <= node.finals.height; height++) {
    const block = node.finals.block(height);
    const isLast = height === node.finals.height;
    if (block) checker.onBlock?.(node, isLast ? { ...block, body: change(block.body) } : block, certificate);
  }
}

/** Two accounts whose records are as long, and not the same; there and back. */
function richAndPoor({ node }: Past): readonly (readonly [number, number])[] {
  const accounts = node instanceof LedgerNode ? node.level.bucket(BUCKETS.accounts) : [];
  const text = accounts.map(({ value }) => bytesToHex(value));
  const other = text.findIndex((value) => value !== text[0]);
  return [
    [0, other],
    [other, 0],
  ];
}

const STORIES = Object.entries(HISTORIES).flatMap(([name, { app, harmless, violating }]) => [
  ...Object.entries(harmless).map(([story, tell]) => ({ name, app, story, tell, isReported: false })),
  ...Object.entries(violating).map(([story, tell]) => ({ name, app, story, tell, isReported: true })),
]);

describe("an invariant", () => {
  it("is shown to be watched, whichever it is", () => {
    const names = new Set(APPS.flatMap((app) => checkersOf(app).map(({ name }) => name)));
    expect(Object.keys(HISTORIES).sort()).toEqual([...names].sort());
  });

  it.each(STORIES)("$name: $story (reported: $isReported)", async ({ name, app, tell, isReported }) => {
    const past = await makePast(app);
    const reports: string[] = [];
    const made = checkersOf(app).find((one) => one.name === name);
    const world = { ...past.simulation.world, honest: past.honest };
    const checker = made?.make((reason) => reports.push(reason), world);
    if (checker !== undefined) await tell(checker, past);
    expect(reports.length > 0, reports.join("; ")).toBe(isReported);
  });
});
