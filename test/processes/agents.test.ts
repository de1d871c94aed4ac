/** The life of providers and verifiers by the command line: how they pause, stop, come back and leave. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { statusName } from "../../rpc/client/market-answers.ts";
import { AgentProcess } from "../cli/support/agent-process.ts";
import { eventually, ogpuJson, runOgpu } from "../cli/support/ogpu-process.ts";
import { MarketNetwork } from "./support/market-network.ts";

const [CLIENT, OTHER, PROVIDER, LEAVER, VERIFIER] = [0, 1, 6, 7, 8] as const;
const A_YEAR = 31_536_000n;
const STATUS = { none: 0, active: 1, paused: 2, leaving: 3 } as const;

interface ProviderStatus {
  readonly status: number;
  readonly available: boolean;
  readonly free: string;
  readonly deviceCount: string;
  readonly memberships: readonly unknown[];
  readonly withdrawals: readonly { readonly amount: string; readonly due: string }[];
  readonly duties: readonly { readonly job: string; readonly what: string }[];
}

let network: MarketNetwork;
let root = "";

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "ogpu-agents-"));
  network = await MarketNetwork.start({
    market: { liableSeconds: A_YEAR, answerSeconds: 600n, attestSeconds: A_YEAR },
  });
});
afterEach(() => AgentProcess.stopAll());
afterAll(async () => {
  await network.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

function words(account: number): readonly string[] {
  return ["--rpc", network.url, "--from", String(account)];
}

function provider(account: number, ...more: readonly string[]): Promise<AgentProcess> {
  const folder = join(root, `provider-${account}`);
  const place = ["--data-dir", folder, "--port", "0", "--tier", "0", "--quick", "--collateral", "100"];
  // However slow the machine is.
  const patience = ["--pause-seconds", "120"];
  return AgentProcess.start("provider", ...words(account), ...place, ...patience, ...more);
}

function order<Answer>(account: number, ...command: readonly string[]): Promise<Answer> {
  return ogpuJson<Answer>(...command, ...words(account));
}

function statusOf(account: number): Promise<ProviderStatus> {
  return order<ProviderStatus>(account, "provider", "status");
}

describe("a provider", () => {
  it("pauses when it is stopped and resumes when it is started, but not from its operator's own pause", async () => {
    expect(await statusOf(PROVIDER)).toMatchObject({ status: STATUS.none, duties: [] });
    const first = await provider(PROVIDER);
    expect(first.started).toMatchObject({ state: "active" });
    expect(await statusOf(PROVIDER)).toMatchObject({ status: STATUS.active, available: true, deviceCount: "1" });
    expect(await first.stop()).toBe(0);
    expect(first.events.at(-1)).toMatchObject({ kind: "stopped", paused: true, jobs: [] });
    expect(await statusOf(PROVIDER)).toMatchObject({ status: STATUS.paused, available: false });
    // A restart that takes a moment needs no pause.
    const second = await provider(PROVIDER, "--no-pause");
    expect(second.started).toMatchObject({ state: "active" });
    expect(await second.stop()).toBe(0);
    expect(second.events.at(-1)).toMatchObject({ kind: "stopped", paused: false });
    expect(await statusOf(PROVIDER)).toMatchObject({ status: STATUS.active });
    const third = await provider(PROVIDER);
    await order(PROVIDER, "provider", "pause");
    await third.stop();
    expect(third.events.at(-1)).not.toHaveProperty("paused");
    const fourth = await provider(PROVIDER);
    expect(fourth.started).toMatchObject({ state: "paused" });
    await order(PROVIDER, "provider", "resume");
    expect(await statusOf(PROVIDER)).toMatchObject({ status: STATUS.active, available: true });
  });

  it("adds collateral, takes it out, and keeps what it wanted to take out", async () => {
    await order(PROVIDER, "provider", "top-up", "--amount", "10");
    await order(PROVIDER, "provider", "withdraw", "--amount", "4");
    const leaving = await statusOf(PROVIDER);
    expect(leaving.free).toBe("106000000000000000000");
    expect(leaving.withdrawals.map(({ amount }) => amount)).toEqual(["4000000000000000000"]);
    const early = await runOgpu("provider", "claim", ...words(PROVIDER));
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining("NothingDue") });
    await order(PROVIDER, "provider", "withdraw", "--amount", "4", "--cancel");
    expect(await statusOf(PROVIDER)).toMatchObject({ free: "110000000000000000000", withdrawals: [] });
  });

  it("that leaves is started again and serves what it still owes, and takes no new work", async () => {
    const working = await provider(LEAVER, "--no-pause");
    const terms = ["--budget", "1", "--bid-seconds", "6", "--job-seconds", "900"];
    const id = await network.submit(CLIENT, 16, 5, ...terms);
    const job = await network.jobOver(id);
    expect(statusName(job.status)).toBe("settled");
    const left = await order<{ devices: readonly string[]; duties: ProviderStatus["duties"] }>(
      ...([LEAVER, "provider", "exit"] as const),
    );
    expect(left.devices).toHaveLength(1);
    expect(left.duties.map((duty) => duty.job)).toEqual([String(id)]);
    await working.stop();
    expect(await statusOf(LEAVER)).toMatchObject({ status: STATUS.leaving, deviceCount: "0", memberships: [] });
    // Somebody wants to see the output, and nobody is there yet.
    const demand = order<{ answered: boolean; bond: string }>(OTHER, "job", "demand", String(id), "--chunk", "0");
    const read = { module: "market", functionName: "openDemands", args: [id] } as const;
    await eventually(async () => ((await network.chain.readModule(read)).length === 1 ? true : undefined));
    const back = await provider(LEAVER);
    expect(back.started).toMatchObject({ state: "leaving" });
    expect(back.events.some(({ code }) => code === "ENDPOINT_FIXED")).toBe(true);
    expect(await demand).toMatchObject({ answered: true });
    const next = await network.submit(CLIENT, 16, 6, "--budget", "1", "--bid-seconds", "4", "--job-seconds", "900");
    expect((await network.jobWhen(next, ({ attempt }) => attempt > 1n)).worker).toMatch(/^0x0+$/);
    expect(await order(LEAVER, "provider", "exit")).toMatchObject({ wasLeaving: true, devices: [] });
    // The lock of its bid is free again, and on its way home.
    await order(LEAVER, "lock", "unlock");
    expect(await order(LEAVER, "lock", "show")).toMatchObject({
      ...{ free: "0", allocated: "0", unlocks: [{ amount: "100000000000000000" }] },
    });
    expect(back.events.some(({ action }) => action === "bid" || action === "joinSource")).toBe(false);
    await order(CLIENT, "job", "cancel", String(next));
  });

  it("is not drawn into a job whose inputs are nowhere", async () => {
    const working = await provider(PROVIDER, "--no-pause");
    const made = await ogpuJson<{ source: string }>(
      ...["source", "create", ...words(OTHER), "--example", "heat-equation", "--example-size", "16"],
    );
    const { program } = await network.chain.getSource({ source: BigInt(made.source) });
    const wallet = await network.wallet(OTHER);
    const inputs = [`0x${"ab".repeat(32)}`] as const;
    const id = await wallet.postJob({ program, inputs, budget: 10n ** 18n, bidSeconds: 4n, jobSeconds: 900n });
    const what = `job ${id}`;
    await eventually(async () => working.events.find((event) => event["what"] === what));
    expect(working.events.find((event) => event["what"] === what)).toMatchObject({
      ...{ kind: "declined", reason: expect.stringContaining(inputs[0]) },
    });
    const job = await network.jobWhen(id, ({ attempt }) => attempt > 1n);
    expect(job.worker).toMatch(/^0x0+$/);
    await order(OTHER, "job", "cancel", String(id));
  });
});

describe("a client", () => {
  it("names who may hold the state of its job, which nobody else can", async () => {
    const id = await network.submit(CLIENT, 16, 4, "--budget", "1", "--bid-seconds", "60", "--job-seconds", "900");
    const holder = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    expect(await order(CLIENT, "job", "holder", String(id), holder)).toMatchObject({ status: "succeeded" });
    const stranger = await runOgpu("job", "holder", String(id), holder, ...words(OTHER));
    expect(stranger).toMatchObject({ code: 1, err: expect.stringContaining("NotClient") });
    // There is nothing to demand yet, and it says so.
    const early = await runOgpu("job", "demand", String(id), ...words(CLIENT));
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining("WrongStatus") });
    const unknown = await runOgpu("job", "demand", String(id), "--output", "nothing", ...words(CLIENT));
    expect(unknown.code).toBe(2);
    await order(CLIENT, "job", "cancel", String(id));
  });
});

describe("a verifier", () => {
  it("that is paused, or leaves, is started again to answer the seats that it has", async () => {
    const folder = join(root, "verifier");
    const run = (): Promise<AgentProcess> =>
      AgentProcess.start("verifier", ...words(VERIFIER), "--data-dir", folder, "--stake", "100");
    const status = (): Promise<unknown> => order(VERIFIER, "verifier", "status");
    const first = await run();
    expect(first.started).toMatchObject({ state: "active", jailedUntil: "0" });
    await order(VERIFIER, "verifier", "pause");
    expect(await status()).toMatchObject({ status: STATUS.paused, units: "0" });
    await first.stop();
    const second = await run();
    expect(second.started).toMatchObject({ state: "paused" });
    await order(VERIFIER, "verifier", "resume");
    const free = await runOgpu("verifier", "unjail", ...words(VERIFIER));
    expect(free).toMatchObject({ code: 1, err: expect.stringContaining("NotJailed") });
    await order(VERIFIER, "verifier", "exit");
    expect(await status()).toMatchObject({ status: STATUS.leaving, leaving: "100000000000000000000" });
    await second.stop();
    expect((await run()).started).toMatchObject({ state: "leaving" });
  });
});
