import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ogpuJson, runOgpu, startDevnet } from "./support/ogpu-process.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-audit-"));
const data = join(root, "devnet", "validator-0");

beforeAll(async () => {
  const devnet = await startDevnet(join(root, "devnet"));
  await ogpuJson(
    "send",
    "--from",
    "1",
    "--to",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "--amount",
    "1",
    "--rpc",
    devnet.url,
  );
  await devnet.stop("SIGTERM");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("ogpu audit", () => {
  it("finds that a devnet's money, state and code add up", async () => {
    const report = await ogpuJson<{ number: number; balances: string; supply: Record<string, string>; problems: [] }>(
      "audit",
      "--data-dir",
      data,
    );
    expect(report.number).toBeGreaterThan(0);
    expect(report.problems).toEqual([]);
    const { genesis, minted, burned } = report.supply;
    expect(BigInt(report.balances)).toBe(BigInt(genesis ?? 0) + BigInt(minted ?? 0) - BigInt(burned ?? 0));
    const { code, out } = await runOgpu("audit", "--data-dir", data);
    expect(code).toBe(0);
    expect(out).toContain("everything adds up");
  });

  it("refuses a folder without a database, also for repair, and makes none", async () => {
    const empty = join(root, "empty");
    for (const flags of [[], ["--repair"]]) {
      const { code, err } = await runOgpu("audit", "--data-dir", empty, ...flags);
      expect(code).toBe(1);
      expect(err).toContain("[STORE_MISSING]");
      expect(err).not.toContain("    at ");
    }
  });

  it("names the cure of a damaged database, and the cure works", async () => {
    // The database itself can be named, too.
    const database = join(data, "chain");
    writeFileSync(join(database, "CURRENT"), "nonsense");
    const damaged = await runOgpu("audit", "--data-dir", database);
    expect(damaged.code).toBe(1);
    expect(damaged.err).toContain("[STORE_DAMAGED]");
    expect(damaged.err).toContain("ogpu audit --repair");
    expect((await runOgpu("audit", "--data-dir", data, "--repair")).code).toBe(0);
    expect((await runOgpu("audit", "--data-dir", data)).code).toBe(0);
  });
});
