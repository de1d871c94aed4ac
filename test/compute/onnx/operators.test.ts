import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DOMAINS, OPERATORS } from "../../../compute/onnx/operators.ts";

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
}

it("the documented operators are those that are built", () => {
  const page = readFileSync(new URL("../../../docs/onnx.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## Operators");
  const [standard = "", others = ""] = section.split("### Of other domains");
  expect(namesIn(standard)).toEqual([...OPERATORS.keys()].sort());
  const lines = others.split("\n").filter((line) => line.includes("`"));
  const built = [...DOMAINS].map(([domain, operators]) => [domain, [...operators.keys()].sort()]);
  expect(lines.map((line) => [line.split(":")[0], namesIn(line)])).toEqual(built);
});
