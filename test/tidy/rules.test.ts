/** The rules are tried on small trees that break them: a check that cannot fail is worthless. */
import { describe, expect, it } from "vitest";
import { LAYERS } from "./layers.ts";
import { environmentReads, impureCalls } from "./rules/banned-calls.ts";
import { deadFiles } from "./rules/dead-files.ts";
import { importsCell, layerTable, markdownLinks, namedCommands } from "./rules/documents.ts";
import { importCycles } from "./rules/import-cycles.ts";
import { importDirection, ownedPackages, purePackages } from "./rules/import-direction.ts";
import { fileNames, longFiles, MAX_LINES, unfinishedNotes } from "./rules/readable.ts";
import { aloneTests, compiledFolders, completeLock, exactVersions, lintedPureFolders } from "./rules/settings.ts";
import { type Finding, type SourceTree, sampleTree } from "./source-tree.ts";

type Files = Readonly<Record<string, string>>;

function messages(rule: (tree: SourceTree) => readonly Finding[], files: Files): readonly string[] {
  return rule(sampleTree(files)).map(({ path, message }) => `${path}: ${message}`);
}

function guilty(rule: (tree: SourceTree) => readonly Finding[], files: Files): readonly string[] {
  return [...new Set(rule(sampleTree(files)).map(({ path }) => path))];
}

describe("imports go in the direction of the layers", () => {
  const target = {
    "vm/state/a.ts": "",
    "base/b.ts": "",
    "compute/agent/c.ts": "",
    "rpc/server.ts": "",
    "rpc/client/d.ts": "",
  };

  it.each([
    ["a lower layer imports a higher one", "base/x.ts", "../vm/state/a.ts"],
    ["a pure layer imports an agent", "vm/x.ts", "../compute/agent/c.ts"],
    ["the dashboard imports more than the client", "dashboard/x.ts", "../rpc/server.ts"],
    ["the client imports the server", "rpc/client/x.ts", "../server.ts"],
    ["the consensus core imports the vm", "chain/consensus/x.ts", "../../vm/state/a.ts"],
    ["the product imports a test", "cli/x.ts", "../test/helper.ts"],
    ["the product imports a benchmark", "cli/x.ts", "../bench/case.ts"],
  ])("and it is found when %s", (_what, path, specifier) => {
    for (const text of [
      `import { a } from "${specifier}";`,
      `import type { a } from "${specifier}";`,
      `import {\n  a,\n  b,\n} from "${specifier}";`,
      `export { a } from "${specifier}";`,
      `import "${specifier}";`,
      `const a = await import("${specifier}");`,
    ]) {
      expect(guilty(importDirection, { ...target, [path]: text }), text).toEqual([path]);
    }
  });

  it("and names the layers that would be allowed", () => {
    expect(messages(importDirection, { "genesis/x.ts": 'import { a } from "../vm/a.ts";' })).toEqual([
      "genesis/x.ts: imports ../vm/a.ts of layer vm, but genesis may import base: turn the dependency round, or pass it in",
    ]);
  });

  it("and a file outside of all layers is found", () => {
    expect(guilty(importDirection, { "utils/x.ts": "" })).toEqual(["utils/x.ts"]);
    expect(guilty(importDirection, { "compute/x.ts": "" })).toEqual(["compute/x.ts"]);
  });

  it("and what the table allows passes, as does a commented import", () => {
    const files = {
      ...target,
      "vm/x.ts":
        'import { b } from "../base/b.ts"; import { a } from "./state/a.ts"; // import { c } from "../rpc/server.ts"',
      "test/x.ts": 'import { c } from "../compute/agent/c.ts"; import { d } from "../bench/d.ts";',
    };
    expect(guilty(importDirection, files)).toEqual([]);
  });
});

describe("packages that one folder owns", () => {
  it("are found elsewhere in the product, by name, path and scope", () => {
    const files = {
      "cli/a.ts": 'import { createLibp2p } from "libp2p";',
      "chain/runtime/b.ts": 'import { noise } from "@chainsafe/libp2p-noise";',
      "chain/runtime/c.ts": 'import { x } from "@libp2p/crypto/keys";',
      "cli/d.ts": 'import { pino } from "pino";',
    };
    expect(guilty(ownedPackages, files)).toEqual(Object.keys(files));
  });

  it("are left alone where they belong, in tests, and when only the name begins alike", () => {
    const files = {
      "chain/network/a.ts": 'import { createLibp2p } from "libp2p";',
      "test/b.ts": 'import { pino } from "pino";',
      "base/c.ts": 'import { bls } from "@chainsafe/blst"; import { p } from "pinocchio";',
    };
    expect(guilty(ownedPackages, files)).toEqual([]);
  });
});

describe("import cycles", () => {
  it("are found through any number of files, types included", () => {
    const files = {
      "base/a.ts": 'import { b } from "./b.ts";',
      "base/b.ts": 'export * from "./c.ts";',
      "base/c.ts": 'import type { a } from "./a.ts";',
    };
    expect(messages(importCycles, files)).toEqual([
      "base/a.ts: import cycle: base/a.ts -> base/b.ts -> base/c.ts -> base/a.ts: move what both need into a third file",
    ]);
  });

  it("are not seen where two ways lead to one file", () => {
    const files = {
      "base/a.ts": 'import "./b.ts"; import "./c.ts";',
      "base/b.ts": 'import "./d.ts";',
      "base/c.ts": 'import "./d.ts";',
      "base/d.ts": "",
    };
    expect(messages(importCycles, files)).toEqual([]);
  });
});

describe("pure folders", () => {
  it.each(["node:fs", "fs", "classic-level", "fastify", "@libp2p/tcp", "left-pad"])("may not import %s", (name) => {
    expect(guilty(purePackages, { "vm/x.ts": `import a from "${name}";` })).toEqual(["vm/x.ts"]);
    expect(guilty(purePackages, { "chain/store/x.ts": `import a from "${name}";` })).toEqual([]);
  });

  it("may import packages known to do no I/O", () => {
    const text = 'import { a } from "@noble/hashes/sha2.js"; import b from "secp256k1/bindings"; import c from "rlp";';
    expect(guilty(purePackages, { "base/x.ts": text })).toEqual([]);
  });

  it.each([
    "const now = Date.now();",
    "const now = new Date();",
    "const now = performance.now();",
    "setTimeout(f, 1);",
    "const t = setInterval;",
    "queueMicrotask(f);",
    "const r = Math.random();",
    "const r = Math\n  .random();",
    "crypto.getRandomValues(b);",
    "const r = globalThis.crypto;",
    "const e = process.env;",
    "const e = process['env'];",
    "const b = Buffer.from(a);",
    "const fs = require('fs');",
    "const u = import.meta.url;",
    "const f = new Function('');",
    "eval('1');",
    "const s = (1234).toLocaleString();",
    "names.sort((a, b) => a.localeCompare(b));",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a sample
    "const s = `at ${Date.now()}`;",
  ])("may not say: %s", (text) => {
    for (const path of ["base/x.ts", "genesis/x.ts", "vm/a/x.ts", "chain/consensus/x.ts", "compute/ptx/x.ts"]) {
      expect(guilty(impureCalls, { [path]: text }), path).toEqual([path]);
    }
    expect(guilty(impureCalls, { "chain/x.ts": text, "cli/x.ts": text, "test/x.ts": text })).toEqual([]);
  });

  it.each([
    "// Date.now() would be wrong here",
    'const message = "Math.random() is banned";',
    "interface A { readonly updated: DateOfBirth; process(event: Event): void; }",
    "machine.process.start(); state.performance.last();",
    "export function verify(crypto: CryptoPort): boolean { return crypto.verify(); }",
    "function require(condition: boolean): void {} require(true);",
    "const { process } = parts; process.step();",
  ])("may say: %s", (text) => {
    expect(guilty(impureCalls, { "vm/x.ts": text })).toEqual([]);
  });
});

describe("the environment", () => {
  it("is read in cli/config.ts alone", () => {
    const text = "const home = process.env.HOME;";
    expect(guilty(environmentReads, { "chain/x.ts": text, "cli/config.ts": text, "bench/x.ts": text })).toEqual([
      "chain/x.ts",
      "bench/x.ts",
    ]);
  });
});

describe("dead files", () => {
  const unused = (tree: SourceTree): readonly Finding[] => deadFiles(tree, new Map());
  const main = { "cli/main.ts": 'import "./used.ts";', "cli/used.ts": "" };

  it("are files that only a test imports, or nothing", () => {
    const files = {
      ...main,
      "base/forgotten.ts": "",
      "base/tested.ts": "",
      "test/base/tested.test.ts": 'import "../../base/tested.ts"; import "./helper.ts";',
      "test/base/helper.ts": "",
      "test/base/old-helper.ts": "",
    };
    expect(guilty(unused, files)).toEqual(["base/forgotten.ts", "base/tested.ts", "test/base/old-helper.ts"]);
  });

  it("are not workers, suites, benchmark cases or what package.json exports", () => {
    const files = {
      ...main,
      "cli/used.ts":
        'const worker = new Worker(new URL("./worker.js", import.meta.url)); new URL("../dist/cli/child.js", here);',
      "cli/child.ts": "",
      "cli/worker.ts": "",
      "bench/cases/keccak.ts": "",
      "test/conformance/rlp-tests.ts": "",
      "rpc/client/client.ts": "",
      "package.json": '{ "exports": { "./client": "./dist/rpc/client/client.js" } }',
    };
    expect(guilty(unused, files)).toEqual([]);
  });
});

describe("files built ahead of their use", () => {
  const ahead = new Map([["base/later.ts", 7]]);
  const rule = (tree: SourceTree): readonly Finding[] => deadFiles(tree, ahead);

  it("are excused while nothing uses them, and no longer", () => {
    const files = { "base/later.ts": 'import "./deeper.ts";', "base/deeper.ts": "", "cli/main.ts": "" };
    expect(guilty(rule, files)).toEqual([]);
    expect(guilty(rule, { ...files, "cli/main.ts": 'import "../base/later.ts";' })).toEqual(["base/later.ts"]);
    expect(guilty(rule, { "cli/main.ts": "" })).toEqual(["base/later.ts"]);
  });

  it("may be a whole folder, until one of its files is used", () => {
    const folder = (tree: SourceTree): readonly Finding[] => deadFiles(tree, new Map([["chain/consensus/", 3]]));
    const files = { "chain/consensus/a.ts": "", "chain/consensus/b/c.ts": "", "cli/main.ts": "" };
    expect(guilty(folder, files)).toEqual([]);
    const used = { ...files, "cli/main.ts": 'import "../chain/consensus/a.ts";' };
    expect(guilty(folder, used)).toEqual(["chain/consensus/"]);
    expect(guilty(folder, { "cli/main.ts": "" })).toEqual(["chain/consensus/"]);
  });
});

describe("readable files", () => {
  it("are not too long", () => {
    expect(
      guilty(longFiles, { "base/a.ts": "x\n".repeat(MAX_LINES), "base/b.ts": "x\n".repeat(MAX_LINES + 1) }),
    ).toEqual(["base/b.ts"]);
  });

  it("are named in kebab-case, and so are their folders", () => {
    const files = {
      "vm/stateTree.ts": "",
      "vm/State/a.ts": "",
      "vm/a_b.ts": "",
      "vm/state-tree.ts": "",
      "test/a-b.test.ts": "",
    };
    expect(guilty(fileNames, files)).toEqual(["vm/stateTree.ts", "vm/State/a.ts", "vm/a_b.ts"]);
  });

  it("name the issue of what they leave open", () => {
    const files = {
      "base/a.ts": "// TODO: later",
      "base/b.ts": "/* FIXME */",
      "base/c.ts": "// TODO(#12): later",
      "base/d.ts": 'const label = "TODO";',
    };
    expect(guilty(unfinishedNotes, files)).toEqual(["base/a.ts", "base/b.ts"]);
  });
});

describe("documents", () => {
  const rows = LAYERS.map((layer) => `| \`${layer.folder}\` | owns | does not own | ${importsCell(layer)} |`);

  it("have one row for each layer that tells the truth", () => {
    expect(messages(layerTable, { "docs/ARCHITECTURE.md": rows.join("\n") })).toEqual([]);
    expect(messages(layerTable, { "docs/ARCHITECTURE.md": rows.slice(1).join("\n") })).toHaveLength(1);
    const wrong = rows.join("\n").replace("| nothing |", "| `vm` |");
    expect(messages(layerTable, { "docs/ARCHITECTURE.md": wrong })).toEqual([
      "docs/ARCHITECTURE.md: the row of `base` must end with: nothing",
    ]);
    const more = [...rows, "| `utils` | all sorts | | `base` |"].join("\n");
    expect(messages(layerTable, { "docs/ARCHITECTURE.md": more })).toHaveLength(1);
  });

  it("have no link that leads nowhere", () => {
    const files = {
      "README.md":
        "[a](docs/a.md) [b](docs/b.md) [c](docs/a.md#the-one) [d](docs/a.md#other) [e](https://x.org) [f](#here)",
      "docs/a.md": "# The one\n\n[up](../README.md)\n\n```\n[not a link](nowhere.md)\n```\n",
    };
    expect(messages(markdownLinks, files)).toEqual([
      "README.md: docs/b.md leads nowhere: mend or remove the link",
      "README.md: docs/a.md has no heading #other: mend the link",
      "README.md: README.md has no heading #here: mend the link",
    ]);
  });

  it("name only npm commands that exist", () => {
    const files = {
      "package.json": '{ "scripts": { "test": "vitest", "bench": "x" } }',
      "README.md": "`npm test`, `npm run bench -- --smoke`, `npm run check`, `npm start`",
    };
    expect(messages(namedCommands, files)).toEqual([
      "README.md: names npm script check, which package.json has not",
      "README.md: names npm script start, which package.json has not",
    ]);
  });
});

describe("settings", () => {
  it.each(["^1.2.3", "~1.2.3", ">=1.0.0", "*", "latest", "1.x", "github:a/b"])(
    "do not accept version %s",
    (version) => {
      for (const kind of ["dependencies", "devDependencies", "overrides"]) {
        const manifest = JSON.stringify({ [kind]: { a: version, b: "1.2.3" } });
        expect(messages(exactVersions, { "package.json": manifest })).toHaveLength(1);
      }
    },
  );

  it("have a lock file with every optional package", () => {
    const packages = { "node_modules/a": { optionalDependencies: { b: "1.0.0", c: "1.0.0" } }, "node_modules/b": {} };
    expect(messages(completeLock, { "package-lock.json": JSON.stringify({ packages }) })).toEqual([
      "package-lock.json: lacks c, which node_modules/a names: run node scripts/complete-lock.mjs",
    ]);
  });

  it("give a process of its own to a test that replaces a module", () => {
    const mock = 'import { vi } from "vitest";\nvi.mock("./x.ts");\n';
    const files = { "test/a.test.ts": mock, "test/b.test.ts": mock, "test/c.test.ts": "// vi.mock(a)\nvi.doMock(b);" };
    const rule = (tree: SourceTree): readonly Finding[] => aloneTests(tree, ["test/b.test.ts"]);
    expect(guilty(rule, files)).toEqual(["test/a.test.ts"]);
  });

  it("have every pure folder in the linter's override", () => {
    const style = { noRestrictedGlobals: {} };
    const biome = (includes: readonly string[]): Files => ({
      "biome.json": JSON.stringify({ overrides: [{ includes, linter: { rules: { style } } }] }),
    });
    const pure = LAYERS.filter((layer) => layer.pure).map(({ folder }) => `${folder}/**`);
    expect(messages(lintedPureFolders, biome(pure))).toEqual([]);
    expect(messages(lintedPureFolders, biome(pure.slice(1)))).toHaveLength(1);
    expect(messages(lintedPureFolders, { "biome.json": "{}" })).toHaveLength(1);
  });

  it("have every layer compiled", () => {
    const include = ["base", "genesis", "vm", "chain", "compute", "rpc", "cli", "test", "bench"];
    expect(messages(compiledFolders, { "tsconfig.json": JSON.stringify({ include }) })).toEqual([]);
    expect(messages(compiledFolders, { "tsconfig.json": JSON.stringify({ include: include.slice(1) }) })).toEqual([
      "tsconfig.json: does not include base: add it",
    ]);
  });
});
