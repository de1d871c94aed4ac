import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkSameSpec, newDevnetSpec } from "../../../cli/devnet/devnet-spec.ts";
import { networkSpec } from "../../../genesis/networks.ts";
import { chainSpecJson } from "../../../genesis/write-chain-spec.ts";

const NOW = 1_800_000_000_000;
const UNSAID = { spec: undefined, validators: undefined };

const folder = mkdtempSync(join(tmpdir(), "ogpu-devnet-spec-"));
/** The testnet's, without the money of one account. */
const roomy = join(folder, "roomy.json");
beforeAll(() => {
  const spec = networkSpec("testnet");
  writeFileSync(roomy, JSON.stringify(chainSpecJson({ ...spec, accounts: spec.accounts.slice(1) })));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the spec of a new devnet", () => {
  it("begins so long ago that the first heartbeat is due", async () => {
    const { genesisTime, consensus, ...rest } = await newDevnetSpec(UNSAID, NOW);
    expect(Number(genesisTime) * 1000 + consensus.heartbeatMilliseconds).toBeLessThan(NOW);
    expect(Number(genesisTime) * 1000 + 2 * consensus.heartbeatMilliseconds).toBeGreaterThan(NOW);
    expect(rest).toEqual(expect.objectContaining({ validators: networkSpec("devnet").validators }));
  });

  it("has as many development validators as asked for, also where the network has none", async () => {
    expect((await newDevnetSpec({ ...UNSAID, validators: 7 }, NOW)).validators).toHaveLength(7);
    const { name, genesisTime } = networkSpec("testnet");
    const made = await newDevnetSpec({ ...UNSAID, spec: roomy }, NOW);
    expect(made).toMatchObject({ name, genesisTime });
    const { minSelfStake: stake } = made.modules.staking;
    expect(made.validators).toEqual(networkSpec("devnet").validators.map((each) => ({ ...each, stake })));
  });

  it.each(["testnet", "mainnet"])("is not %s, whose cap has no room for their stakes", async (spec) => {
    const made = newDevnetSpec({ ...UNSAID, spec }, NOW);
    await expect(made).rejects.toMatchObject({
      code: "DEVNET_SPEC_UNFIT",
      message: expect.stringContaining("more than the cap"),
    });
  });
});

describe("a devnet that goes on", () => {
  it("has the spec of its folder, whatever is left unsaid", async () => {
    const kept = await newDevnetSpec({ ...UNSAID, validators: 3 }, NOW);
    await checkSameSpec(kept, UNSAID, "here");
    await checkSameSpec(kept, { ...UNSAID, validators: 3 }, "here");
    const other = await newDevnetSpec({ spec: roomy, validators: 2 }, NOW);
    await checkSameSpec(other, { ...UNSAID, spec: roomy }, "here");
  });

  it.each([
    ["another number of validators", { ...UNSAID, validators: 4 }],
    ["another spec", { ...UNSAID, spec: "testnet" }],
  ])("does not become another chain: %s", async (_what, choice) => {
    const kept = await newDevnetSpec({ ...UNSAID, validators: 3 }, NOW);
    await expect(checkSameSpec(kept, choice, "here")).rejects.toMatchObject({ code: "DEVNET_OTHER_CHAIN" });
  });
});
