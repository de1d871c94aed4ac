import { describe, expect, it } from "vitest";
import { environmentReads, impureCalls } from "./rules/banned-calls.ts";
import { deadFiles } from "./rules/dead-files.ts";
import { layerTable, markdownLinks, namedCommands } from "./rules/documents.ts";
import { importCycles } from "./rules/import-cycles.ts";
import { importDirection, ownedPackages, purePackages } from "./rules/import-direction.ts";
import { fileNames, longFiles, unfinishedNotes } from "./rules/readable.ts";
import { aloneTests, compiledFolders, completeLock, exactVersions, lintedPureFolders } from "./rules/settings.ts";
import { type Finding, readSourceTree, type SourceTree } from "./source-tree.ts";

const project = readSourceTree();

type Rule = (tree: SourceTree) => readonly Finding[];

function text({ path, line, message }: Finding): string {
  return line === undefined ? `${path}: ${message}` : `${path}:${line}: ${message}`;
}

describe("the source tree", () => {
  const rules: readonly (readonly [name: string, rule: Rule])[] = [
    ["imports go in the direction of the layers", importDirection],
    ["has no import cycles", importCycles],
    ["uses in pure folders only packages that do no I/O", purePackages],
    ["leaves packages to the folders that own them", ownedPackages],
    ["calls no clock, timer, randomness or platform in pure folders", impureCalls],
    ["reads the environment in cli/config.ts alone", environmentReads],
    ["has no file that nothing uses", (tree) => deadFiles(tree)],
    ["has no file too long to read in one sitting", longFiles],
    ["names files and folders in kebab-case", fileNames],
    ["has no note of unfinished work without an issue", unfinishedNotes],
    ["is described by the table in docs/ARCHITECTURE.md", layerTable],
    ["has no Markdown link that leads nowhere", markdownLinks],
    ["documents only npm commands that exist", namedCommands],
    ["pins every dependency to an exact version", exactVersions],
    ["has a lock file that holds for all platforms", completeLock],
    ["has its pure folders linted as pure", lintedPureFolders],
    ["is compiled as a whole", compiledFolders],
    ["tests with a process of their own what replaces modules", (tree) => aloneTests(tree)],
  ];

  it.each(rules)("%s", (_name, rule) => {
    expect(rule(project).map(text)).toEqual([]);
  });

  it("was found", () => {
    expect(project.sources.map(({ path }) => path)).toContain("base/bytes.ts");
  });
});
