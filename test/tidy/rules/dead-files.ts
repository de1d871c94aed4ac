import { posix } from "node:path";
import { BUILT_AHEAD, ENTRY_POINTS, layerOf } from "../layers.ts";
import { type Finding, isTest, type SourceFile, type SourceTree } from "../source-tree.ts";

/**
 * Every file is used: product files by something that is started (tests do not count, or code that only its tests
 * call would live for ever), files of `test` also by tests.
 */
export function deadFiles(tree: SourceTree, ahead: ReadonlyMap<string, number> = BUILT_AHEAD): readonly Finding[] {
  const started = tree.sources.filter((file) => isEntryPoint(file, tree)).map(({ path }) => path);
  const tests = tree.sources.map(({ path }) => path).filter(isTest);
  const excused = tree.sources
    .map(({ path }) => path)
    .filter((path) => [...ahead.keys()].some((key) => covers(key, path)));
  const used = reachable(tree, [...started, ...excused]);
  const usedByTests = reachable(tree, [...started, ...tests]);
  const dead = tree.sources
    .filter(({ path }) => !(layerOf(path)?.folder === "test" ? usedByTests : used).has(path))
    .map(({ path }) => ({ path, message: "is reached from no entry point: use it, or delete it with its test" }));
  return [...dead, ...noLongerAhead(tree, ahead, reachable(tree, started))];
}

/** An exception that is not needed any more would hide the next dead file. */
function noLongerAhead(
  tree: SourceTree,
  ahead: ReadonlyMap<string, number>,
  used: ReadonlySet<string>,
): readonly Finding[] {
  return [...ahead.keys()]
    .filter((key) => !tree.exists(key) || [...used].some((path) => covers(key, path)))
    .map((path) => ({ path, message: "is used or gone: take it out of BUILT_AHEAD in test/tidy/layers.ts" }));
}

function covers(key: string, path: string): boolean {
  return key.endsWith("/") ? path.startsWith(key) : path === key;
}

function isEntryPoint({ path }: SourceFile, tree: SourceTree): boolean {
  // Declarations for a package that has none are found by the compiler, not imported.
  if (path.endsWith(".d.ts")) return true;
  if (isTest(path)) return false;
  const listed = ENTRY_POINTS.includes(path) || ENTRY_POINTS.includes(`${posix.dirname(path)}/*`);
  return listed || publishedFiles(tree).has(path);
}

/** What package.json's `exports` offers to other programs, as sources. */
function publishedFiles(tree: SourceTree): ReadonlySet<string> {
  const manifest = tree.documents.get("package.json") ?? "{}";
  const paths = [...manifest.matchAll(/"\.\/dist\/([^"]+)\.js"/g)].map((match) => `${match[1]}.ts`);
  return new Set(paths);
}

function reachable({ sources }: SourceTree, from: readonly string[]): ReadonlySet<string> {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) if (target !== undefined) waiting.push(target);
  }
  return seen;
}
