/** The market as people use it: a devnet, providers that are honest and others, and verifiers, each in its process. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { REASON } from "../../vm/modules/market/numbers.ts";
import { eventually, ogpuJson, runOgpu } from "../cli/support/ogpu-process.ts";
import { MarketNet } from "./support/market-net.ts";

let net: MarketNet;
beforeAll(async () => {
  net = await MarketNet.start();
});
afterAll(() => net.end());

/** Blocks of 16 by 16 points: a plate of 16 is one tile, which every seat checks. */
function plate(size: number, steps: number): readonly string[] {
  return ["--example", "heat-equation", "--example-size", String(size), "--example-steps", String(steps)];
}

/** What a run on this machine gives: the oracle for bits. */
async function bitsOf(size: number, steps: number): Promise<readonly string[]> {
  const words = ["compute", "example", "heat-equation", "--size", String(size), "--steps", String(steps)];
  const { outputs } = await ogpuJson<{ outputs: Readonly<Record<string, string>> }>(...words);
  return Object.values(outputs);
}

const AUCTION = ["--budget", "1", "--bid-seconds", "6", "--job-seconds", "900"] as const;

// What waits longest begins first.
describe.concurrent("a provider", () => {
  it("that dies in mid-job is replaced, and the job goes on from the last accepted checkpoint to the right bits", () =>
    net.play(async (stage) => {
      const dying = await stage.provider("stuck-in-mid-job");
      // The client stays: it keeps a copy of the state after each segment.
      const submitted = runOgpu(
        "job",
        "submit",
        ...stage.terms,
        ...plate(16, 5),
        ...AUCTION,
        "--segments",
        "2",
        "--json",
      );
      await dying.until(({ kind, segment }) => kind === "running" && segment === 1);
      const heir = await stage.provider();
      await dying.stop("SIGKILL");
      const id = await stage.firstJob();
      const job = await stage.over(id);
      expect([statusName(job.status), job.reason, job.worker.toLowerCase()]).toEqual([
        ...["settled", REASON.paid, heir.address],
      ]);
      expect(job.outputs).toEqual(await bitsOf(16, 5));
      // It never does the first segment again; it may begin the second one before the state has come.
      const begun = heir.lines.filter(({ kind }) => kind === "running").map(({ segment }) => segment);
      expect(new Set(begun)).toEqual(new Set([1]));
      const [first] = await stage.punished(id);
      expect([first?.account, first?.reason]).toEqual([dying.address, REASON.late]);
      // One line for each change, then the result.
      const { code, out } = await submitted;
      expect([code, JSON.parse(out.trim().split("\n").at(-1) ?? "")]).toMatchObject([0, { job: String(id) }]);
    }));

  it("that stalls loses the job and pays, and another does it", () =>
    net.play(async (stage) => {
      const staller = await stage.provider("never-delivers");
      const id = await stage.submit(...plate(16, 2), ...AUCTION);
      await stage.changedFor(id, REASON.awarded);
      const heir = await stage.provider();
      const [first] = await stage.punished(id);
      await staller.stop("SIGKILL");
      expect([first?.account, first?.reason]).toEqual([staller.address, REASON.late]);
      const job = await stage.over(id);
      expect([statusName(job.status), job.worker.toLowerCase()]).toEqual(["settled", heir.address]);
      expect(job.outputs).toEqual(await bitsOf(16, 2));
    }));

  it("that gives wrong bits in a tile is rejected and punished, and another does the job", () =>
    net.play(async (stage) => {
      const liar = await stage.provider("wrong-bits");
      const before = await stage.collateralOf(liar.address);
      const id = await stage.submit(...plate(16, 3), ...AUCTION);
      await stage.changedFor(id, REASON.committed);
      // Once it has shown all that it has to, nothing keeps it from bidding again but its end.
      const shown = liar.until(({ kind, action }) => kind === "sent" && action === "publishSeed");
      const [heir] = await Promise.all([stage.provider(), shown.then(() => liar.stop("SIGKILL"))]);
      await stage.changedFor(id, REASON.wrong);
      const job = await stage.over(id);
      expect([statusName(job.status), job.worker.toLowerCase()]).toEqual(["settled", heir.address]);
      expect(job.outputs).toEqual(await bitsOf(16, 3));
      const punished = await net.punishmentsOf(id);
      const wrong = punished.filter(({ reason }) => reason === REASON.wrong);
      expect(wrong.map(({ account }) => account)).toEqual([liar.address]);
      const lost = wrong.reduce((sum, { fromCollateral }) => sum + fromCollateral, 0n);
      expect(lost + (wrong[0]?.fromLock ?? 0n)).toBeGreaterThan(0n);
      expect(before - (await stage.collateralOf(liar.address))).toBe(lost);
      expect(punished.some(({ account }) => account === heir.address)).toBe(false);
    }));

  it("that does not show its output when somebody demands it on chain loses its lock and what is reserved of it", () =>
    net.play(async (stage) => {
      // As long as its seed is not there nobody is paid, however long the client takes to demand.
      const withholding = await stage.provider("never-publishes");
      const id = await stage.submit(...plate(16, 4), ...AUCTION);
      await stage.changedFor(id, REASON.verified);
      await withholding.stop("SIGKILL");
      const bond = await stage.chain.getParameter({ name: "market.demandBond" });
      await stage.call("demandOutput", [id, 0, 0n], bond);
      const fromCollateral = await net.priceOf(id);
      const lost = OGPU / 10n + fromCollateral;
      const [punished, ...others] = await stage.punished(id);
      expect(punished).toEqual({
        ...{ job: id, account: withholding.address, reason: REASON.outputWithheld },
        ...{ fromLock: OGPU / 10n, fromCollateral, toVictim: lost / 2n },
      });
      expect(others).toEqual([]);
      expect(await stage.collateralOf(withholding.address)).toBe(100n * OGPU - fromCollateral);
      expect(await stage.lockOf(withholding.address)).toEqual({ locked: 0n, allocated: 0n });
      // Nothing was paid, and another may do the job from the beginning.
      const job = await stage.chain.getJob({ job: id });
      expect([statusName(job.status), job.reason, job.outputs]).toEqual(["open", REASON.outputWithheld, []]);
      expect(await stage.chain.getJobReceipt({ job: id })).toMatchObject({ paid: 0n });
    }));
});

describe.concurrent("honest providers", () => {
  it("bid for a job, which is verified and paid in parts", () =>
    net.play(async (stage) => {
      await Promise.all([stage.provider(), stage.provider()]);
      const id = await stage.submit(...plate(32, 6), ...AUCTION, "--segments", "2");
      const job = await stage.over(id);
      expect([statusName(job.status), job.reason, job.segment]).toEqual(["settled", REASON.paid, 1]);
      expect(job.outputs).toEqual(await bitsOf(32, 6));
      const receipt = await stage.chain.getJobReceipt({ job: id });
      expect(receipt.paid + receipt.refunded).toBe(OGPU);
      // Its worker answers for the output for a while.
      const bond = await stage.chain.getParameter({ name: "market.demandBond" });
      await stage.call("demandOutput", [id, 0, 0n], bond);
      await eventually(async () => ((await net.answersOf(id)) === 1 ? true : undefined));
      expect(await net.punishmentsOf(id)).toEqual([]);
      expect([await stage.allocated(), job.locked]).toEqual([0n, 0n]);
    }));

  it("race for a task: one is paid what the client pays less fees, nobody else gains or loses", () =>
    net.play(async (stage) => {
      const { chain } = stage;
      const racing = await Promise.all([stage.provider(), stage.provider()]);
      const words = ["source", "create", ...stage.terms, ...plate(32, 4)];
      const source = BigInt((await ogpuJson<{ source: string }>(...words)).source);
      await eventually(async () => ((await chain.getSource({ source })).members === 2n ? true : undefined));
      const id = await stage.submit(...plate(32, 4), "--source", String(source));
      const { racers } = await stage.jobWhen(id, (drawn) => drawn.racers.length > 0);
      const job = await stage.over(id);
      expect([statusName(job.status), job.reason]).toEqual(["settled", REASON.paid]);
      const addresses = racing.map(({ address }) => address);
      expect(racers.map(({ worker }) => worker.toLowerCase()).sort()).toEqual([...addresses].sort());
      expect(job.outputs).toEqual(await bitsOf(32, 4));
      const receipt = await chain.getJobReceipt({ job: id });
      const { total } = await chain.getSource({ source });
      expect(receipt.paid + receipt.verification).toBe(total);
      expect(receipt).toMatchObject({ seats: 3, assurance: 0, refunded: 0n });
      const args = [job.worker] as const;
      const reputation = await chain.readModule({ module: "providers", functionName: "reputationOf", args });
      expect(reputation).toMatchObject({ accepted: 1n, rejected: 0n, late: 0n });
      expect(reputation.earned).toBe(receipt.paid - receipt.burned - receipt.treasury + receipt.minted);
      const collateral = await Promise.all(addresses.map((address) => stage.collateralOf(address)));
      expect(collateral).toEqual([100n * OGPU, 100n * OGPU]);
      expect(await net.punishmentsOf(id)).toEqual([]);
      expect(job.locked).toBe(0n);
      // What the command shows is what was verified, to the bit.
      const { code, out } = await runOgpu("job", "result", String(id), "--rpc", net.url, "--json");
      expect([code, JSON.parse(out).receipt.job]).toEqual([0, String(id)]);
    }));
});
