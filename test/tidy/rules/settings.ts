import { ALONE } from "../../suites.ts";
import { LAYERS } from "../layers.ts";
import { type Finding, lineOf, type SourceTree } from "../source-tree.ts";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

interface LockEntry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** A version that may move is a build that may differ tomorrow. */
export function exactVersions({ documents }: SourceTree): readonly Finding[] {
  const manifest: Manifest = JSON.parse(documents.get("package.json") ?? "{}");
  const versions = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
  return Object.entries(versions)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => ({ path: "package.json", message: `${name} ${version} is not exact: pin it, as 1.2.3` }));
}

/** `npm ci` refuses a lock file that lacks the packages of other platforms, as some registry mirrors make it. */
export function completeLock({ documents }: SourceTree): readonly Finding[] {
  const lock: { packages?: Readonly<Record<string, LockEntry>> } = JSON.parse(
    documents.get("package-lock.json") ?? "{}",
  );
  const packages = lock.packages ?? {};
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !(`${parent}/node_modules/${name}` in packages || `node_modules/${name}` in packages))
      .map((name) => ({
        path: "package-lock.json",
        message: `lacks ${name}, which ${parent} names: run node scripts/complete-lock.mjs`,
      })),
  );
}

/** The linter's override for pure folders covers the layers that are pure. */
export function lintedPureFolders({ documents }: SourceTree): readonly Finding[] {
  const settings: {
    overrides?: readonly { includes: readonly string[]; linter?: { rules?: { style?: object } } }[];
  } = JSON.parse(documents.get("biome.json") ?? "{}");
  const override = settings.overrides?.find(({ linter }) => "noRestrictedGlobals" in (linter?.rules?.style ?? {}));
  const listed = [...(override?.includes ?? [])].sort();
  const pure = LAYERS.filter((layer) => layer.pure).map(({ folder }) => `${folder}/**`);
  if (listed.join() === pure.sort().join()) return [];
  return [{ path: "biome.json", message: `the override that bans globals must include exactly: ${pure.join(", ")}` }];
}

/** The compiler sees every layer, or a new folder would never be checked. */
export function compiledFolders({ documents }: SourceTree): readonly Finding[] {
  const settings: { include?: readonly string[] } = JSON.parse(documents.get("tsconfig.json") ?? "{}");
  // The dashboard is built by its own tools, for the browser.
  const wanted = LAYERS.map(({ folder }) => folder.split("/")[0] ?? "").filter((folder) => folder !== "dashboard");
  return [...new Set(wanted)]
    .filter((folder) => !settings.include?.includes(folder))
    .map((folder) => ({ path: "tsconfig.json", message: `does not include ${folder}: add it` }));
}

const REPLACES = /\bvi\s*\.\s*mock\s*\(/;

/** Tests share processes: a module that another file has loaded is not replaced any more. */
export function aloneTests({ sources }: SourceTree, alone: readonly string[] = ALONE): readonly Finding[] {
  return sources.flatMap(({ path, code }) => {
    const found = path.endsWith(".test.ts") ? REPLACES.exec(code) : null;
    if (found === null || alone.includes(path)) return [];
    const message = "replaces a module for good: name it in ALONE (test/suites.ts), or use vi.doMock";
    return [{ path, line: lineOf(code, found.index), message }];
  });
}
