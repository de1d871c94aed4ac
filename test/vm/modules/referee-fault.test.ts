/** A bug of the engine in a challenged tile: the challenge ends, and nobody pays for what is ours. */
import { expect, it, vi } from "vitest";
import { wasmApi } from "../../../compute/ptx/wasm/wasm-api.ts";
import { PHASE } from "../../../vm/modules/verification/round-types.ts";
import { honest } from "./support/product-chain.ts";
import { CHALLENGER, RefereeCase, VERIFICATION } from "./support/referee-case.ts";

it("a tile that the engine has a bug with is not judged: the bond comes back, and the round closes in its time", () => {
  const world = new RefereeCase(honest);
  const before = world.chain.balance(CHALLENGER.address);
  // Every engine starts with memory of its own.
  const memory = vi.spyOn(wasmApi, "Memory").mockImplementation(() => {
    throw new Error("a bug");
  });
  try {
    expect(world.run(1, 3)).toBe(0);
    expect(memory).toHaveBeenCalled();
  } finally {
    memory.mockRestore();
  }
  expect(world.chain.balance(CHALLENGER.address)).toBe(before);
  world.chain.pass(3_600);
  expect(world.chain.view(VERIFICATION, "roundOf", [world.round])).toMatchObject({
    phase: PHASE.accepted,
    isFinal: true,
  });
});
