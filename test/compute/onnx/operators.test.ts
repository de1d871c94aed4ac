import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OPERATORS } from "../../../compute/onnx/operators.ts";

it("the documented operators are those that are built", () => {
  const page = readFileSync(new URL("../../../docs/onnx.md", import.meta.url), "utf8");
  const [, list = ""] = page.split("## Operators");
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named).toEqual([...OPERATORS.keys()].sort());
});
