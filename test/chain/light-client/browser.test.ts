import { posix } from "node:path";
import { expect, it } from "vitest";
import { readSourceTree } from "../../tidy/source-tree.ts";

/** Imports that remain when the types are gone. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s*)?["']([^"']+)["']/gm;

it("the light client and its signatures need nothing that a browser lacks", () => {
  const texts = new Map(readSourceTree().sources.map(({ path, withoutComments }) => [path, withoutComments]));
  const reached = new Set(["chain/light-client/light-client.ts", "chain/light-client/light-header.ts"]);
  for (const file of ["base/bls-portable.ts", "chain/consensus/bls-crypto.ts"]) reached.add(file);
  const packages = new Set<string>();
  // A set gives what is added while it is walked through.
  for (const path of reached) {
    const text = texts.get(path);
    expect(text, path).toBeDefined();
    expect(text, path).not.toMatch(/\b(?:Buffer|process|require|globalThis)\b|\bimport\(/);
    for (const [, specifier = ""] of text?.matchAll(IMPORT) ?? []) {
      if (specifier.startsWith(".")) reached.add(posix.join(posix.dirname(path), specifier));
      else packages.add(specifier.split("/")[0] ?? "");
    }
  }
  expect([...packages].sort()).toEqual(["@noble", "hash-wasm"]);
});
