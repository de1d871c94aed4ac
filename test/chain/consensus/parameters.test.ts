import { describe, expect, it } from "vitest";
import { verifyParameters, viewTimeout } from "../../../chain/consensus/parameters.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";

describe("the parameters of consensus", () => {
  it("are accepted when every condition holds", () => {
    expect(verifyParameters(SIM_PARAMETERS)).toBe(SIM_PARAMETERS);
    expect(verifyParameters({ ...SIM_PARAMETERS, viewTimeoutStep: 0, maxSkew: 0 }).maxSkew).toBe(0);
  });

  it.each([
    ["chainId", { chainId: 0n }],
    ["blockInterval", { blockInterval: 0 }],
    ["heartbeat", { heartbeat: 1.5 }],
    ["viewTimeoutStep", { viewTimeoutStep: -1 }],
    ["maxSkew", { maxSkew: Number.NaN }],
    ["viewTimeout", { viewTimeout: SIM_PARAMETERS.blockInterval }],
    ["viewTimeoutCap", { viewTimeoutCap: SIM_PARAMETERS.viewTimeout - 1 }],
  ])("name %s when it is out of range", (name, change) => {
    const verify = (): unknown => verifyParameters({ ...SIM_PARAMETERS, ...change });
    expect(verify).toThrow(expect.objectContaining({ code: "PARAMETERS_INVALID", data: { name } }));
  });

  it("give the first view after a final one the plain time, and none more than the cap", () => {
    expect(viewTimeout(SIM_PARAMETERS, 1)).toBe(SIM_PARAMETERS.viewTimeout);
    expect(viewTimeout(SIM_PARAMETERS, 1_000)).toBe(SIM_PARAMETERS.viewTimeoutCap);
  });
});
