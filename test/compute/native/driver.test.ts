import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Where NVIDIA's installers put it. */
const TOOLKIT = "/usr/local/cuda/include";
const SOURCE = fileURLToPath(new URL("../../native/driver-check.cc", import.meta.url));

describe.runIf(existsSync(`${TOOLKIT}/cuda.h`))("our declarations of the CUDA driver", () => {
  it("are those of cuda.h", () => {
    const { status, stderr } = spawnSync("c++", ["-std=c++17", "-fsyntax-only", "-I", TOOLKIT, SOURCE], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
