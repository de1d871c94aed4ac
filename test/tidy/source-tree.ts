/** The project's files as the rules see them: text, never executed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type Scanned, scan } from "./scan.ts";

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The imported file as a path from the root; `undefined` for a package. */
  readonly target: string | undefined;
}

export interface SourceFile extends Scanned {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface SourceTree {
  /** TypeScript sources, tests included. */
  readonly sources: readonly SourceFile[];
  /** Markdown and JSON by path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Whether a file or folder of the project exists. */
  exists(path: string): boolean;
}

/** What a rule found: where, and what to do about it. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NOT_OURS = new Set(["node_modules", "dist", "data", "build"]);

/** Static and dynamic imports, re-exports, and files named by `new URL("./x", import.meta.url)`, as workers are. */
const IMPORT =
  /\b(?:import|export)\b[^"';()]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']|\bnew\s+URL\(\s*["'](\.[^"']+\.[jt]s)["']/g;

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function findImports(path: string, withoutComments: string): readonly Import[] {
  return [...withoutComments.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? "";
    const target = specifier.startsWith(".") ? sourceOf(posix.join(posix.dirname(path), specifier)) : undefined;
    return { specifier, line: lineOf(withoutComments, match.index), target };
  });
}

/** The source of a compiled file: workers and child processes are started from `dist` when tests run the sources. */
function sourceOf(path: string): string {
  return path
    .replace(/^dist\//, "")
    .replace(/\.js$/, ".ts")
    .replace(/\?.*$/, "");
}

export function sourceFile(path: string, text: string): SourceFile {
  const scanned = scan(text);
  return { path, text, ...scanned, imports: findImports(path, scanned.withoutComments) };
}

function projectFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name) || entry.name.startsWith(".")) return [];
    const path = posix.join(folder, entry.name);
    return entry.isDirectory() ? projectFiles(path) : [path];
  });
}

export function readSourceTree(): SourceTree {
  const paths = projectFiles(".");
  const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  return {
    sources: paths
      .filter((path) => /\.tsx?$/.test(path) && path.includes("/"))
      .map((path) => sourceFile(path, read(path))),
    documents: new Map(paths.filter((path) => /\.(md|json)$/.test(path)).map((path) => [path, read(path)])),
    exists: (path) => existsSync(join(ROOT, path)),
  };
}

/** A small tree made of text, to try a rule on. */
export function sampleTree(files: Readonly<Record<string, string>>): SourceTree {
  const paths = Object.keys(files);
  return {
    sources: paths.filter((path) => path.endsWith(".ts")).map((path) => sourceFile(path, files[path] ?? "")),
    documents: new Map(paths.filter((path) => !path.endsWith(".ts")).map((path) => [path, files[path] ?? ""])),
    exists: (path) =>
      paths.some((candidate) => candidate === path || candidate.startsWith(`${path.replace(/\/$/, "")}/`)),
  };
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}
