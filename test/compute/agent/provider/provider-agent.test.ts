import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { decodeRlp, type RlpItem } from "../../../../base/rlp.ts";
import { USUAL_POLICY } from "../../../../compute/agent/provider/policy.ts";
import { askTile } from "../../../../compute/agent/tiles/ask-tile.ts";
import { checkTileInputs } from "../../../../compute/agent/tiles/check-tile-inputs.ts";
import { decodeTileInputs } from "../../../../compute/agent/tiles/tile-inputs-codec.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { saltOf } from "../../../../compute/program/commitment.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { home, race, SEAT_KEY, start, until, upload, work } from "../support/running-provider.ts";
import { jobView, keyOf, NO_REGION, ScriptedChain } from "../support/scripted-chain.ts";

const never = new AbortController().signal;

/** Everything of 32 bytes: addresses of contents are among them. */
function wordsIn(item: RlpItem): readonly Uint8Array[] {
  if (item instanceof Uint8Array) return item.length === 32 ? [item] : [];
  return item.flatMap(wordsIn);
}

describe("a provider", () => {
  it("takes part in a pool task: joins, computes, seals, reveals, serves its seats, opens, publishes the seed", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "pool");
    chain.sourcesById.set(1n, {
      id: 1n,
      program: task.address,
      tier: 0,
      price: 1n,
      racers: 2,
      collateral: 0n,
      open: true,
    });
    chain.sourcesById.set(2n, {
      id: 2n,
      program: task.address,
      tier: 3,
      price: 1n,
      racers: 2,
      collateral: 0n,
      open: true,
    });
    const provider = await start(chain, home(1));
    await until(() => chain.actions("joinSource").length > 0 || chain.sent.length > 0);
    await upload(provider.endpoint, task.contents);
    race(chain, task, 5n, provider.account);
    chain.tick({ jobs: [5n] });
    await until(() => chain.rounds.has(9n), chain);
    const [sealed] = chain.actions("commitSealed");
    const [revealed] = chain.actions("reveal");
    expect(revealed?.commitment.outputs).toEqual(task.outputs);
    expect([sealed?.commitment, sealed?.nonce]).toEqual([revealed?.commitment, revealed?.nonce]);
    // The seat's holder gets what the tile reads; nobody else does until it is opened.
    const place = { launch: 5, tile: 2 };
    const ask = (key: Uint8Array): Promise<Uint8Array> =>
      askTile(provider.endpoint, 9n, place, (digest) => chain.port(key).sign(digest), openWeb, never);
    await expect(ask(keyOf(0x78))).rejects.toMatchObject({ code: "TILE_REFUSED" });
    const answer = await ask(SEAT_KEY);
    const round = chain.rounds.get(9n);
    if (round === undefined || revealed === undefined) throw new Error("there is a round");
    checkTileInputs(
      {
        ...{ checked: checkProgram(task.program), first: 0, checkpointRoot: undefined, ...place },
        ...{ segmentRoot: hexToBytes(revealed.commitment.segmentRoot), inputs: task.inputs.map(hexToBytes) },
      },
      decodeTileInputs(answer),
    );
    round.phase = "opening";
    chain.tick({ rounds: [9n], jobs: [5n] });
    await until(() => round.seedPublished, chain);
    await ask(keyOf(0x78));
    const [opened] = chain.actions("open");
    const [{ seed } = { seed: "0x" as Hex }] = chain.actions("publishSeed");
    const opening = opened?.seats[0]?.tiles[0];
    expect(opening?.opening.salt).toEqual(
      saltOf(hexToBytes(seed), { launch: 5, buffer: opening?.buffer ?? -1, tile: 2 }),
    );
    expect([
      chain.actions("commitSealed").length,
      chain.actions("reveal").length,
      chain.actions("open").length,
    ]).toEqual([1, 1, 1]);
    expect(chain.actions("joinSource").map(({ source }) => source)).toEqual([1n]);
    expect(provider.progress.length).toBeGreaterThan(0);
    const { total } = provider.progress[0] ?? { total: 0n };
    expect(total).toBeGreaterThan(0n);
    expect(provider.progress.at(-1)).toMatchObject({ job: 5n, segment: 0, done: total, total });
    const sequences = provider.progress.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    const output = await fetch(`${provider.endpoint}/blobs/${task.outputs[0]}`);
    expect(bytesToHex(contentAddress(new Uint8Array(await output.arrayBuffer())))).toBe(task.outputs[0]);
  });

  it("goes on after a restart at any point, with the same commitment and nonce, and commits once", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "restart");
    const place = home(2);
    let provider = await start(chain, place);
    await upload(provider.endpoint, task.contents);
    race(chain, task, 5n, provider.account);
    const market = chain.onSend;
    /** The chain is not there for this until the restart. */
    let held: string | undefined = "commitSealed";
    chain.onSend = (from, action) => (action.kind === held ? "NotNow" : market(from, action));
    for (const next of ["reveal", "open", "publishSeed", undefined]) {
      chain.tick({ jobs: [5n] });
      await until(() => provider.events.some((event) => event.kind === "refused" && event.action === held), chain);
      await provider.stop();
      held = next;
      provider = await start(chain, place);
      if (next === "open") {
        await until(() => chain.rounds.has(9n), chain);
        const round = chain.rounds.get(9n);
        if (round !== undefined) round.phase = "opening";
      }
    }
    await until(() => chain.rounds.get(9n)?.seedPublished === true, chain);
    const kinds = chain.sent.map(({ action }) => action.kind);
    expect(kinds).toEqual(["commitSealed", "reveal", "open", "publishSeed"]);
    expect(chain.actions("reveal")[0]?.commitment).toEqual(chain.actions("commitSealed")[0]?.commitment);
    expect(chain.actions("reveal")[0]?.nonce).toEqual(chain.actions("commitSealed")[0]?.nonce);
    expect(chain.actions("reveal")[0]?.commitment.outputs).toEqual(task.outputs);
  });

  it("bids in the auction that runs once it knows the program, and reveals though nobody tells it that bidding is over", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "slow program, lost notice");
    const provider = await start(chain, home(8));
    await upload(provider.endpoint, task.contents);
    const job = jobView({ id: 7n, program: task.address, inputs: task.inputs, status: 1, attempt: 1n });
    chain.jobs.set(7n, job);
    chain.onProgram = () => {
      job.attempt = 2n;
    };
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("bid").length === 1);
    expect(chain.actions("bid")[0]).toMatchObject({ job: 7n, attempt: 2n });
    job.status = 2;
    await until(() => chain.actions("revealBid").length === 1);
  });

  it("bids for no job whose inputs it cannot have, says which, and bids when they come in time", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "absent inputs");
    const provider = await start(chain, home(9));
    chain.jobs.set(7n, jobView({ id: 7n, program: task.address, inputs: task.inputs, status: 1 }));
    // Its inputs are somebody else's, and of another length.
    const other = work(chain, "other inputs", 64);
    await upload(provider.endpoint, other.contents);
    chain.jobs.set(8n, jobView({ id: 8n, program: task.address, inputs: other.inputs, status: 1 }));
    chain.tick({ jobs: [7n, 8n] });
    const told = (job: string): readonly string[] =>
      provider.events.flatMap((event) => (event.kind === "declined" && event.what === job ? [event.reason] : []));
    await until(() => told("job 7").length > 0 && told("job 8").length > 0);
    expect(told("job 7")).toEqual([expect.stringContaining(`(${task.inputs[0]}) is not to be had`)]);
    expect(told("job 8")).toEqual([expect.stringMatching(/has \d+ bytes, the program wants \d+/)]);
    expect(chain.actions("bid")).toEqual([]);
    await upload(provider.endpoint, task.contents);
    await until(() => chain.actions("bid").length > 0);
    expect(chain.actions("bid").map(({ job }) => job)).toEqual([7n]);
    expect(told("job 7").length).toBe(1);
  });

  it("bids for a job whose inputs somebody else has, without fetching them", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "inputs elsewhere");
    const keeper = await start(chain, home(10), { ...USUAL_POLICY, auctions: false });
    const provider = await start(chain, home(11));
    await upload(keeper.endpoint, task.contents);
    const job = jobView({ id: 7n, program: task.address, inputs: task.inputs, status: 1, client: keeper.account });
    chain.jobs.set(7n, job);
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("bid").length === 1);
    expect(task.inputs.map((address) => provider.store.has(address))).toEqual(task.inputs.map(() => false));
  });

  it("bids, works segment by segment, and another one goes on from its checkpoint to the right bits", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "auction");
    const [first, second] = [await start(chain, home(3)), await start(chain, home(4))];
    await upload(first.endpoint, task.contents);
    await upload(second.endpoint, task.contents);
    const job = jobView({ id: 7n, program: task.address, inputs: task.inputs, status: 1, segments: 3 });
    chain.jobs.set(7n, job);
    chain.onSend = (_from, action) => {
      if (action.kind === "commitSegment") Object.assign(job, { status: 4 });
      return undefined;
    };
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("bid").length === 2, chain);
    job.status = 2;
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("revealBid").length === 2, chain);
    const [bid] = chain.actions("bid");
    const shown = chain.actions("revealBid").find(({ nonce }) => nonce === bid?.nonce);
    expect([shown?.price, shown?.seconds, shown?.region]).toEqual([bid?.price, bid?.seconds, bid?.region]);
    expect(bid?.region).not.toBe(NO_REGION);
    Object.assign(job, { status: 3, worker: first.account });
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("commitSegment").length === 1, chain);
    const done = chain.actions("commitSegment")[0];
    // Not shown while it is not accepted: the keys of its salts are in it.
    expect((await fetch(`${first.endpoint}/jobs/7/checkpoints/0`)).status).toBe(404);
    const { checkpointRoot } = done?.commitment ?? { checkpointRoot: "0x" as Hex };
    Object.assign(job, {
      status: 3,
      segment: 1,
      checkpoint: checkpointRoot,
      worker: second.account,
      earlierWorkers: [first.account],
      attempt: 2n,
    });
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("commitSegment").length === 2, chain);
    const next = chain.actions("commitSegment")[1];
    expect(next?.segment).toBe(1);
    // The last one is the second's own to go on from; the first is away.
    await first.stop();
    Object.assign(job, { status: 3, segment: 2, checkpoint: next?.commitment.checkpointRoot });
    chain.tick({ jobs: [7n] });
    await until(() => chain.actions("commitSegment").length === 3, chain);
    expect(chain.actions("commitSegment")[2]?.commitment.outputs).toEqual(task.outputs);
    // When it is over, nothing of it is kept for good but the program.
    job.status = 6;
    chain.tick({ jobs: [7n] });
    const pinned = (): readonly string[] =>
      [...second.store.entries()].flatMap(({ address, pins }) => (pins.length > 0 ? [address] : []));
    await until(() => pinned().length === 1, chain);
    expect(pinned()).toEqual([task.address]);
  });

  it("takes a checkpoint that the client brings when whoever made it is gone, and none that is not the one on chain", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "brought");
    const first = await start(chain, home(5));
    await upload(first.endpoint, task.contents);
    const job = jobView({ id: 8n, program: task.address, inputs: task.inputs, segments: 2, worker: first.account });
    chain.jobs.set(8n, job);
    chain.onSend = (_from, action) => {
      if (action.kind === "commitSegment") job.status = 4;
      return undefined;
    };
    chain.tick({ jobs: [8n] });
    await until(() => chain.actions("commitSegment").length === 1, chain);
    const root = chain.actions("commitSegment")[0]?.commitment.checkpointRoot;
    Object.assign(job, { segment: 1, checkpoint: root });
    const manifest = new Uint8Array(await (await fetch(`${first.endpoint}/jobs/8/checkpoints/0`)).arrayBuffer());
    const blobs: Uint8Array[] = [];
    for (const address of wordsIn(decodeRlp(manifest))) {
      const answer = await fetch(`${first.endpoint}/blobs/${bytesToHex(address)}`);
      if (answer.status === 200) blobs.push(new Uint8Array(await answer.arrayBuffer()));
    }
    expect(blobs.length).toBeGreaterThan(0);
    await first.stop();
    const second = await start(chain, home(6));
    await upload(second.endpoint, task.contents);
    Object.assign(job, { status: 3, worker: second.account, attempt: 2n, earlierWorkers: [first.account] });
    const path = `${second.endpoint}/jobs/8/checkpoints/0`;
    const changed = manifest.slice();
    changed[40] = (changed[40] ?? 0) ^ 1;
    expect((await fetch(path, { method: "PUT", body: changed })).status).toBe(202);
    await until(() => second.events.some((event) => event.kind === "problem"), chain);
    expect(chain.actions("commitSegment").length).toBe(1);
    await upload(second.endpoint, new Map(blobs.map((bytes, i) => [String(i), bytes])));
    expect((await fetch(path, { method: "PUT", body: manifest })).status).toBe(202);
    await until(() => chain.actions("commitSegment").length === 2, chain);
    expect(chain.actions("commitSegment")[1]?.commitment.outputs).toEqual(task.outputs);
  });
});
