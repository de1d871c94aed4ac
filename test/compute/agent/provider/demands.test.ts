/** Demands on chain: what a provider asks for, what it answers, and for how long it can. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Abi, decodeFunctionData } from "viem";
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { callOf, useOf } from "../../../../cli/agent/chain-calls.ts";
import type { ChainAction } from "../../../../compute/agent/ports.ts";
import { factsOf, USUAL_POLICY } from "../../../../compute/agent/provider/policy.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { segmentRange } from "../../../../compute/program/segments.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { ogpuModules } from "../../../../rpc/client/modules.ts";
import { type CheckpointProof, isCheckpointChunk } from "../../../../vm/modules/market/checkpoint-proof.ts";
import { type Home, home, race, start, until, upload, type Work, work } from "../support/running-provider.ts";
import { jobView, ScriptedChain } from "../support/scripted-chain.ts";

function hasForgotten({ journal }: Home): boolean {
  return journal.records.some((record) => Buffer.from(record).includes('"forget"'));
}

/** The arguments as the market gets them. */
function sentAs(action: ChainAction, account: Hex): readonly unknown[] {
  const { data } = callOf(useOf(action, account), 0n);
  return decodeFunctionData({ abi: ogpuModules.market.abi as Abi, data: bytesToHex(data) }).args ?? [];
}

/** Whether the chain would take it for a chunk of the state with this root. */
function isTaken({ program }: Work, end: number, root: Hex, args: readonly unknown[]): boolean {
  const [, buffer, chunk, contents, siblings, proof] = args as [
    bigint,
    number,
    bigint,
    Hex,
    readonly Hex[],
    CheckpointProof,
  ];
  const claim = { root, buffer, chunk, contents: hexToBytes(contents), siblings, proof };
  return isCheckpointChunk({ plan: program, end, ...claim });
}

describe("a provider", () => {
  it("demands an input that nobody has, and answers demands for outputs for as long as it is liable", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "demands");
    const place = home(7);
    const provider = await start(chain, place);
    race(chain, task, 5n, provider.account);
    chain.tick({ jobs: [5n] });
    await until(() => chain.actions("demandInput").length === 1, chain);
    expect(chain.actions("demandInput")[0]).toMatchObject({ job: 5n, input: 0, chunk: 0 });
    await upload(provider.endpoint, task.contents);
    await until(() => chain.rounds.has(9n), chain);
    const job = chain.jobs.get(5n);
    if (job === undefined) throw new Error("there is a job");
    const demands = [{ kind: "output", item: 0, chunk: 0, tile: 0, accused: provider.account, by: 50n } as const];
    // While it is verified, and after it was paid.
    for (const state of [{ status: 4 }, { status: 6, reserved: 1n }]) {
      Object.assign(job, { ...state, demands: [] });
      chain.tick({ jobs: [5n] });
      await sleep(100);
      const before = chain.actions("answerOutput").length;
      job.demands = demands;
      chain.tick({ jobs: [5n] });
      await until(() => chain.actions("answerOutput").length > before, chain);
      const answer = chain.actions("answerOutput").at(-1);
      expect(bytesToHex(contentAddress(answer?.chunk ?? new Uint8Array()))).toBe(task.outputs[0]);
      expect(hasForgotten(place)).toBe(false);
    }
    Object.assign(job, { demands: [], reserved: 0n });
    chain.tick({ jobs: [5n] });
    await until(() => hasForgotten(place), chain);
    const settled = chain.sent.length;
    chain.tick({ jobs: [5n], rounds: [9n] });
    await sleep(50);
    expect(chain.sent.length).toBe(settled);
  });

  it("answers demands for the state after the segment that was accepted, with what the chain takes for its proof", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "states");
    const provider = await start(chain, home(8));
    await upload(provider.endpoint, task.contents);
    const { account } = provider;
    const job = jobView({ id: 8n, program: task.address, inputs: task.inputs, segments: 3, worker: account });
    chain.jobs.set(8n, job);
    chain.onSend = (_from, action) => {
      if (action.kind === "commitSegment") job.status = 5;
      if (action.kind === "answerCheckpoint") job.demands = [];
      return undefined;
    };
    const { launches } = factsOf(checkProgram(task.program));
    for (const segment of [0, 1]) {
      chain.tick({ jobs: [8n] });
      await until(() => chain.actions("commitSegment").length === segment + 1, chain);
      const root = chain.actions("commitSegment")[segment]?.commitment.checkpointRoot ?? "0x";
      const { end } = segmentRange(launches, 3, segment);
      for (const buffer of task.program.buffers.keys()) {
        const before = chain.actions("answerCheckpoint").length;
        job.demands = [{ kind: "checkpoint", item: buffer, chunk: 0, tile: 0, accused: account, by: 50n }];
        chain.tick({ jobs: [8n] });
        await until(() => chain.actions("answerCheckpoint").length > before, chain);
        const answer = chain.actions("answerCheckpoint").at(-1);
        if (answer === undefined) throw new Error("it has answered");
        const args = sentAs(answer, account);
        expect(args.slice(0, 3)).toEqual([8n, buffer, 0n]);
        expect(isTaken(task, end, root, args)).toBe(true);
        expect(isTaken(task, end, bytesToHex(contentAddress(hexToBytes(root))), args)).toBe(false);
      }
      Object.assign(job, { status: 3, segment: segment + 1, checkpoint: root });
    }
    expect(provider.events.filter(({ kind }) => kind === "problem")).toEqual([]);
  });

  it("publishes its seed though somebody demands what it does not have", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "impossible");
    const provider = await start(chain, home(9));
    await upload(provider.endpoint, task.contents);
    race(chain, task, 5n, provider.account);
    const job = chain.jobs.get(5n);
    if (job === undefined) throw new Error("there is a job");
    job.demands = [{ kind: "output", item: 9, chunk: 0, tile: 0, accused: provider.account, by: 50n }];
    chain.tick({ jobs: [5n] });
    await until(() => chain.rounds.has(9n), chain);
    Object.assign(chain.rounds.get(9n) ?? {}, { phase: "opening" });
    await until(() => chain.rounds.get(9n)?.seedPublished === true, chain);
    expect(provider.events).toContainEqual(expect.objectContaining({ kind: "problem", code: "BLOB_ABSENT" }));
  });
});

describe("the places for bids", () => {
  it("are as many as the policy has, though several jobs are looked at at once; paid jobs take none", async () => {
    const chain = new ScriptedChain();
    const task = work(chain, "places");
    const provider = await start(chain, home(10), { ...USUAL_POLICY, jobs: 2 });
    await upload(provider.endpoint, task.contents);
    const ids = [11n, 12n, 13n, 14n];
    for (const id of ids) {
      chain.jobs.set(id, jobView({ id, program: task.address, inputs: task.inputs, status: 1 }));
    }
    chain.tick({ jobs: ids });
    await until(() => chain.actions("bid").length === 2);
    await sleep(200);
    const bidFor = chain.actions("bid").map(({ job }) => job);
    expect(new Set(bidFor).size).toBe(2);
    // One of them is done and paid, and its outputs may still be demanded.
    const [paid = 0n] = bidFor;
    Object.assign(chain.jobs.get(paid) ?? {}, { status: 6, worker: provider.account, reserved: 1n });
    chain.tick({ jobs: ids });
    await until(() => new Set(chain.actions("bid").map(({ job }) => job)).size === 3, chain);
  });
});
