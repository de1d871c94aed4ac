import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { STANDARD_KERNELS } from "../../../compute/kernels/standard-kernels.ts";
import { standardProgram } from "../../../compute/kernels/standard-program.ts";
import type { LaunchSpec } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { randomInputs } from "../support/inputs.ts";
import { randomCase } from "../support/standard-programs.ts";

describe("a standard launch", () => {
  it.each(STANDARD_KERNELS)(
    "of %s uses no more fuel and bytes than it declares, and the fuel is not far above",
    (kernel) => {
      const prng = new Prng(`bounds ${kernel}`);
      let most = 0;
      for (let round = 0; round < 12; round++) {
        const chosen = randomCase(kernel, prng);
        const program = standardProgram(chosen);
        const checked = checkProgram(program);
        const launch = program.steps[0] as LaunchSpec;
        const [x, y, z] = launch.grid;
        // A run that used more would trap.
        const result = runProgram(checked, new WasmEngine(checked), randomInputs(program, prng, "patterns"));
        expect(result.kind, `${chosen.numbers.join()} ${JSON.stringify(result)}`).toBe("done");
        most = Math.max(most, result.fuel / (launch.fuel * x * y * z));
      }
      expect(most).toBeGreaterThan(0.05);
    },
  );
});
