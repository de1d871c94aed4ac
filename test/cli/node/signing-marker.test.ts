import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { hasSigned, markerPath, markSigned } from "../../../cli/node/signing-marker.ts";

const folder = mkdtempSync(join(tmpdir(), "ogpu-marker-"));
const keystore = join(folder, "v1.json");
const chain = (digit: string): Hex => `0x${digit.repeat(64)}`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a key that has begun to sign on a chain is never new there again", async () => {
  expect(await hasSigned(keystore, chain("1"))).toBe(false);
  for (const digit of ["1", "1", "2"]) await markSigned(keystore, chain(digit));
  expect(await hasSigned(keystore, chain("1"))).toBe(true);
  expect(await hasSigned(keystore, chain("2"))).toBe(true);
  expect(await hasSigned(keystore, chain("3"))).toBe(false);
  expect(readFileSync(markerPath(keystore), "utf8")).toBe(`${chain("1")}\n${chain("2")}\n`);
});

it("says so when the note cannot be written", async () => {
  await expect(markSigned(join(folder, "nowhere", "v1.json"), chain("1"))).rejects.toThrow("ENOENT");
});
