import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { revealMessage, type VoteContent } from "../../../base/votes.ts";
import { certify } from "../../../chain/consensus/certificate.ts";
import { type CheckJob, checkJob, type ReceivedVote } from "../../../chain/consensus/check-job.ts";
import type { Block, Certificate } from "../../../chain/consensus/types.ts";
import { idAt } from "../../../chain/consensus/validator-set.ts";
import { inlineVerifier, type Verifier } from "../../../chain/verification/verifier.ts";
import { WorkerVerifier, type WorkerVerifierOptions } from "../../../chain/verification/worker-verifier.ts";
import { blsKeys } from "../../sim/bls-keys.ts";
import { CHAIN_ID, testValidators } from "../consensus/support/validators.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const keys = blsKeys();
const { set, vote, signers } = testValidators(keys, 4);
const notarize: VoteContent = { kind: "NOTARIZE", epoch: 0, view: 1, hash: HASH };
const PEER = idAt(set, 3);

function received(validator: number, isTrue = true): ReceivedVote {
  const made = vote(validator, notarize);
  const signature = isTrue ? made.signature : vote(validator, { ...notarize, view: 2 }).signature;
  return { vote: { ...made, signature }, from: idAt(set, validator) };
}

function certificateBy(...validators: readonly number[]): Certificate {
  const made = certify(
    validators.map((validator) => vote(validator, notarize)),
    set,
    keys.crypto,
  );
  if (made === undefined) throw new Error("no certificate");
  return made;
}

function blockBy(proposer: number, revealView = 2): Block {
  return {
    ...{ hash: HASH, parent: HASH, height: 2, epoch: 0, view: 2, proposer, time: 5, empty: false, beacon: HASH },
    ...{
      parentCertificate: certificateBy(0, 1, 2),
      next: [{ id: PEER, stake: 1n }],
      body: new Uint8Array(1000).fill(7),
    },
    reveal: signers[proposer]?.sign(revealMessage(CHAIN_ID, 0, revealView)) as Uint8Array,
  };
}

const good = certificateBy(0, 1, 2);
const small = certificateBy(0, 1);
const torn = { ...good, signature: good.signature.slice(1) };
const proposal = { vote: vote(1, { ...notarize, kind: "PROPOSE", view: 2 }), block: blockBy(1), parentView: 1 };
const stolen = { ...proposal, vote: { ...proposal.vote, validator: 2 } };

const JOBS: Readonly<Record<string, CheckJob>> = {
  "nothing to check": { type: "pass", event: { type: "ahead", from: PEER } },
  "good votes": { type: "votes", set, votes: [received(0), received(1), received(2)] },
  "votes of which some are false": { type: "votes", set, votes: [received(0), received(1, false), received(2)] },
  "votes that are all false": { type: "votes", set, votes: [received(0, false), received(1, false)] },
  "a vote whose signature is no signature": {
    ...{ type: "votes", set },
    votes: [{ vote: { ...received(0).vote, signature: new Uint8Array(3) }, from: PEER }, received(1)],
  },
  "a good certificate": { type: "certificate", from: PEER, set, certificate: good },
  "a certificate of too few": { type: "certificate", from: PEER, set, certificate: small },
  "a certificate with half a signature": { type: "certificate", from: PEER, set, certificate: torn },
  "a good proposal": { type: "proposal", from: PEER, set, proposal },
  "a proposal in another's name": { type: "proposal", from: PEER, set, proposal: stolen },
  "a good block": { type: "block", from: PEER, set, block: blockBy(1) },
  "a block with a false reveal": { type: "block", from: PEER, set, block: blockBy(1, 3) },
  "good final blocks": { type: "finals", from: PEER, set, segments: [{ blocks: [blockBy(1)], certificate: good }] },
  "final blocks of which some are not": {
    ...{ type: "finals", from: PEER, set },
    segments: [
      { blocks: [blockBy(1)], certificate: good },
      { blocks: [blockBy(2)], certificate: small },
    ],
  },
};

const verifiers: Verifier[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(verifiers.splice(0).map((verifier) => verifier.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function onThread(options: Partial<WorkerVerifierOptions> = {}): WorkerVerifier {
  const verifier = new WorkerVerifier({ chainId: CHAIN_ID, ...options });
  verifiers.push(verifier);
  return verifier;
}

function inPlace(): Verifier {
  const verifier = inlineVerifier(CHAIN_ID, keys.crypto);
  verifiers.push(verifier);
  return verifier;
}

describe.each([
  ["in place", inPlace],
  ["on a thread", onThread],
])("a verifier %s", (_name, make: () => Verifier) => {
  it("answers every job as checkJob does", async () => {
    const verifier = make();
    const names = Object.keys(JOBS);
    const answers = await Promise.all(Object.values(JOBS).map((job) => verifier.check(job)));
    for (const [index, job] of Object.values(JOBS).entries()) {
      expect(answers[index], names[index]).toEqual(checkJob(job, CHAIN_ID, keys.crypto));
    }
    expect(answers.filter(({ blamed }) => blamed.length > 0)).toHaveLength(8);
  });

  it("gives back the very message it was asked about", async () => {
    const job = JOBS["a good block"];
    if (job?.type !== "block") throw new Error("no block");
    const { events } = await make().check(job);
    expect(events[0]?.type === "message" && events[0].message.type === "block" && events[0].message.block).toBe(
      job.block,
    );
  });

  it("checks by the set that each job names", async () => {
    const verifier = make();
    const others = Array.from({ length: 12 }, (_, index) => testValidators(keys, 4, `set ${index}`));
    const job = (index: number): CheckJob => {
      const other = others[index % others.length];
      if (other === undefined) throw new Error("no set");
      const votes = [{ vote: other.vote(0, notarize), from: PEER }];
      return { type: "votes", set: other.set, votes };
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => verifier.check(job(index))));
    expect(answers.every(({ blamed }) => blamed.length === 0)).toBe(true);
  });

  it("rejects a job that breaks a rule of ours, and goes on with others", async () => {
    const verifier = make();
    const broken: CheckJob = { type: "block", from: PEER, set, block: { ...blockBy(1), proposer: 9 } };
    await expect(verifier.check(broken)).rejects.toThrow("within its set");
    expect((await verifier.check(JOBS["a good block"] as CheckJob)).events).toHaveLength(1);
  });

  it("rejects everything after it was closed", async () => {
    const verifier = make();
    await verifier.close();
    await expect(verifier.check(JOBS["good votes"] as CheckJob)).rejects.toMatchObject({ code: "VERIFICATION_CLOSED" });
  });
});

const REAL_WORKER = new URL("../../../dist/chain/verification/verification-worker.js", import.meta.url).href;

function program(source: string): URL {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-worker-"));
  folders.push(folder);
  const path = join(folder, "worker.mjs");
  writeFileSync(path, source);
  return pathToFileURL(path);
}

describe("a verifier on a thread", () => {
  it("survives the death of its thread: all its jobs are done again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-worker-"));
    folders.push(folder);
    // Dies on its first message, unless another already did.
    const workerUrl = program(`
      import { existsSync, writeFileSync } from "node:fs";
      import { parentPort } from "node:worker_threads";
      const marker = ${JSON.stringify(join(folder, "died"))};
      if (existsSync(marker)) await import(${JSON.stringify(REAL_WORKER)});
      else parentPort.once("message", () => { writeFileSync(marker, ""); throw new Error("struck down"); });
    `);
    const verifier = onThread({ workerUrl });
    const answers = await Promise.all(Object.values(JOBS).map((job) => verifier.check(job)));
    expect(answers).toEqual(Object.values(JOBS).map((job) => checkJob(job, CHAIN_ID, keys.crypto)));
  });

  it("gives up on a job that kills two threads, says why, and goes on with others", async () => {
    const workerUrl = program(`
      import { parentPort } from "node:worker_threads";
      parentPort.on("message", ({ type, job }) => {
        if (type !== "job") return;
        if (job.type === "certificate") throw new Error("too much for me");
        parentPort.postMessage({ verdict: { isGood: [true] } });
      });
    `);
    const verifier = onThread({ workerUrl });
    const bad = verifier.check(JOBS["a good certificate"] as CheckJob);
    const fine = verifier.check(JOBS["a good block"] as CheckJob);
    await expect(bad).rejects.toMatchObject({ code: "VERIFICATION_WORKER_DIED", data: { reason: "too much for me" } });
    expect((await fine).events).toHaveLength(1);
  });

  it("rejects what is under way when it is closed", async () => {
    const verifier = onThread();
    const jobs = Array.from({ length: 20 }, () => verifier.check(JOBS["good votes"] as CheckJob));
    const settled = Promise.allSettled(jobs);
    await verifier.close();
    expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(["rejected"]));
  });

  it("says that it is busy before it is full, and when it is ready again", async () => {
    const verifier = onThread({ limits: { queuedJobs: 10, queuedBytes: 1e6 } });
    const job = JOBS["good votes"] as CheckJob;
    const jobs = Array.from({ length: 10 }, () => verifier.check(job));
    expect(verifier.isBusy).toBe(true);
    await verifier.ready();
    expect(verifier.isBusy).toBe(false);
    await Promise.all(jobs);
  });

  it("drops votes before certificates when there is no room", async () => {
    const verifier = onThread({ limits: { queuedJobs: 4, queuedBytes: 1e6 } });
    const ask = (name: string): Promise<string> =>
      verifier.check(JOBS[name] as CheckJob).then(
        () => "done",
        (error: { code: string }) => error.code,
      );
    // Four are in the thread's hand, four wait.
    const votes = Array.from({ length: 8 }, () => ask("good votes"));
    const certificates = Array.from({ length: 3 }, () => ask("a good certificate"));
    expect(await Promise.all(certificates)).toEqual(["done", "done", "done"]);
    const outcomes = await Promise.all(votes);
    expect(outcomes.filter((outcome) => outcome === "VERIFICATION_OVERLOADED")).toHaveLength(3);
    expect(outcomes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => "done"));
  });
});
