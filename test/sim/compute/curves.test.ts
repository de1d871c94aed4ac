/** The curves and figures of docs/spec/verification.md are what the analysis gives; `vitest -u` makes them anew. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { curves, figures } from "./curves.ts";

describe("docs/spec/verification.md", () => {
  it.each([...curves()])("shows %s as it is", async (name, svg) => {
    await expect(svg).toMatchFileSnapshot(`../../../docs/spec/${name}`);
  });

  it("has the table of the exact walk", () => {
    const page = readFileSync("docs/spec/verification.md", "utf8");
    for (const line of figures()) expect(page).toContain(line);
  });
});
