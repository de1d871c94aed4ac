import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeFolder } from "../../cli/make-folder.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-folder-"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

it("makes a folder with those above it, and leaves one alone that is there", async () => {
  const folder = join(root, "a", "b", "c");
  await Promise.all([makeFolder(folder), makeFolder(folder)]);
  await makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

it("says what the system says where a part of the path is a file", async () => {
  writeFileSync(join(root, "file"), "");
  await expect(makeFolder(join(root, "file", "x"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

it.runIf(existsSync("/proc/self"))("ends with an error where the system lets nobody make a folder", async () => {
  await expect(makeFolder("/proc/x/y")).rejects.toMatchObject({ code: "FOLDER_UNUSABLE" });
});
