import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Suite } from "../suite.ts";
import { expandPath } from "./expand-path.ts";
import { findSuites } from "./find-suites.ts";
import { planAll, planOne } from "./plan.ts";
import { VECTOR_FILES } from "./vectors.ts";

const suites = ["one", "two"].map((name): Suite => ({ name, description: "", run: () => [] }));
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-plan-"));
  mkdirSync(join(folder, "codec"));
  for (const name of ["x-b.json", "x-a.json", "y.json", "x-"]) writeFileSync(join(folder, "codec", name), "");
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("expandPath", () => {
  it("finds a file, a folder, or the files that a star stands for, in order", () => {
    expect(expandPath(folder, "codec/y.json")).toEqual([join(folder, "codec/y.json")]);
    expect(expandPath(folder, "codec")).toEqual([join(folder, "codec")]);
    expect(expandPath(folder, "codec/x-*.json")).toEqual([
      join(folder, "codec/x-a.json"),
      join(folder, "codec/x-b.json"),
    ]);
  });

  it("finds nothing where there is nothing", () => {
    for (const pattern of ["codec/z.json", "other/x-*.json", "codec/z*"])
      expect(expandPath(folder, pattern)).toEqual([]);
  });
});

describe("planOne", () => {
  it("refuses an unknown suite and a path that does not exist", () => {
    expect(() => planOne(suites, "three", folder)).toThrow("the suites are: one, two, all");
    expect(() => planOne(suites, "one", join(folder, "none"))).toThrow("does not exist");
  });
});

describe("planAll", () => {
  const files = [
    { suite: "two", paths: ["codec/x-*.json"] },
    { suite: "one", paths: ["codec/y.json"] },
  ];

  it("runs every suite over each of its files", () => {
    expect(
      planAll(suites, files, folder).map(({ suite, path }) => [suite.name, path.slice(folder.length + 1)]),
    ).toEqual([
      ["two", "codec/x-a.json"],
      ["two", "codec/x-b.json"],
      ["one", "codec/y.json"],
    ]);
  });

  it("refuses to leave a suite or a file group out in silence", () => {
    expect(() => planAll(suites, files.slice(1), folder)).toThrow("suite two has no files");
    expect(() => planAll(suites, [...files, { suite: "three", paths: ["codec/y.json"] }], folder)).toThrow("three");
    expect(() => planAll(suites, [{ suite: "two", paths: ["none"] }, ...files.slice(1)], folder)).toThrow(
      "holds no none",
    );
    expect(() => planAll(suites, files, join(folder, "none"))).toThrow("does not exist");
  });
});

describe("the suites of this project", () => {
  it("are named after their files, and each has its test files listed", async () => {
    const names = (await findSuites()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect([...names].sort()).toEqual(VECTOR_FILES.map(({ suite }) => suite).sort());
  });
});
