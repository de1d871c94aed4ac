import { describe, expect, it } from "vitest";
import { checkSameSpec, newDevnetSpec } from "../../../cli/devnet/devnet-spec.ts";
import { networkSpec } from "../../../genesis/networks.ts";

const NOW = 1_800_000_000_000;
const UNSAID = { spec: undefined, validators: undefined };

describe("the spec of a new devnet", () => {
  it("begins so long ago that the first heartbeat is due", async () => {
    const { genesisTime, consensus, ...rest } = await newDevnetSpec(UNSAID, NOW);
    expect(Number(genesisTime) * 1000 + consensus.heartbeatMilliseconds).toBeLessThan(NOW);
    expect(Number(genesisTime) * 1000 + 2 * consensus.heartbeatMilliseconds).toBeGreaterThan(NOW);
    expect(rest).toEqual(expect.objectContaining({ validators: networkSpec("devnet").validators }));
  });

  it("has as many development validators as asked for, also where the network has none", async () => {
    expect((await newDevnetSpec({ ...UNSAID, validators: 7 }, NOW)).validators).toHaveLength(7);
    const testnet = await newDevnetSpec({ ...UNSAID, spec: "testnet" }, NOW);
    expect(testnet).toMatchObject({ name: "testnet", genesisTime: networkSpec("testnet").genesisTime });
    expect(testnet.validators).toEqual(networkSpec("devnet").validators);
  });
});

describe("a devnet that goes on", () => {
  it("has the spec of its folder, whatever is left unsaid", async () => {
    const kept = await newDevnetSpec({ ...UNSAID, validators: 3 }, NOW);
    await checkSameSpec(kept, UNSAID, "here");
    await checkSameSpec(kept, { ...UNSAID, validators: 3 }, "here");
    const testnet = await newDevnetSpec({ spec: "testnet", validators: 2 }, NOW);
    await checkSameSpec(testnet, { ...UNSAID, spec: "testnet" }, "here");
  });

  it.each([
    ["another number of validators", { ...UNSAID, validators: 4 }],
    ["another spec", { ...UNSAID, spec: "testnet" }],
  ])("does not become another chain: %s", async (_what, choice) => {
    const kept = await newDevnetSpec({ ...UNSAID, validators: 3 }, NOW);
    await expect(checkSameSpec(kept, choice, "here")).rejects.toMatchObject({ code: "DEVNET_OTHER_CHAIN" });
  });
});
