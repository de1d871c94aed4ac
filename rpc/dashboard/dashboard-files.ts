/**
 * The dashboard as it was built (scripts/build-dashboard.mjs): a page and its assets, held in memory. Requests name a file of
 * the list that was read at the beginning and never a path, so there is nothing to climb out of.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from "./limits.ts";

export type Encoding = "br" | "gzip";

export interface DashboardFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** The same, compressed when it was built. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** By name: `index.html`, and those of `assets`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

const PAGE = "index.html";
const ASSETS = "assets";
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  [".br", "br"],
  [".gz", "gzip"],
]);
/** Others are not served. */
const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);
/** From the sources, and from what is compiled of them. */
const PLACES = ["../../build/dashboard", "../../../build/dashboard"];

/** `undefined` where none was built. */
export function readDashboard(): DashboardFiles | undefined {
  for (const place of PLACES) {
    const files = readDashboardIn(fileURLToPath(new URL(place, import.meta.url)));
    if (files !== undefined) return files;
  }
  return undefined;
}

export function readDashboardIn(folder: string): DashboardFiles | undefined {
  const names = [PAGE, ...namesIn(join(folder, ASSETS)).map((name) => `${ASSETS}/${name}`)];
  if (names.length > MAX_FILES) return undefined;
  const encodedNames = [`${PAGE}.br`, `${PAGE}.gz`];
  const found = new Map<string, Buffer>();
  let total = 0;
  for (const name of [...names, ...encodedNames]) {
    const bytes = contentOf(join(folder, name));
    total += bytes?.length ?? 0;
    if (total > MAX_TOTAL_BYTES) return undefined;
    if (bytes !== undefined) found.set(name, bytes);
  }
  if (!found.has(PAGE)) return undefined;
  return new Map([...found].flatMap(([name, bytes]) => fileOf(name, bytes, found)));
}

function fileOf(name: string, bytes: Buffer, found: ReadonlyMap<string, Buffer>): readonly [string, DashboardFile][] {
  const type = TYPES.get(extname(name));
  if (type === undefined) return [];
  const encoded = [...ENCODINGS].flatMap(([ending, encoding]): [Encoding, Buffer][] => {
    const compressed = found.get(`${name}${ending}`);
    return compressed === undefined ? [] : [[encoding, compressed]];
  });
  const etag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return [[name, { type, etag, bytes, encoded: new Map(encoded) }]];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `undefined`: it is not there, or far too large to be one of ours. */
function contentOf(path: string): Buffer | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_FILE_BYTES ? readFileSync(path) : undefined;
}
