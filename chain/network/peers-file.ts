/**
 * The peers that lasted, on disk: after a restart a node finds its network again without asking anybody, and whoever
 * wants to surround it has to outlast them. The file is a hint: what is wrong with it costs nothing but the hint.
 */
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { systemCodeOf } from "../../base/errors.ts";
import { readPeerAddress } from "./address.ts";
import { MAX_ADDRESSES_PER_PEER, MAX_SAVED_PEERS } from "./limits.ts";

export interface SavedPeer {
  readonly peer: string;
  readonly addresses: readonly string[];
  /** Milliseconds that connections with it have lasted. */
  readonly lasted: number;
}

const VERSION = 1;
/** Far above what is ever written. */
const MAX_FILE_BYTES = 1_000_000;

/** None where there is no file. Throws where it cannot be read; entries that make no sense are left out. */
export async function readPeers(path: string): Promise<SavedPeer[]> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) return [];
    return parsePeers(await readFile(path, "utf8"));
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Whole or not at all. Not synced: a hint that is lost is no harm. */
export async function writePeers(path: string, peers: readonly SavedPeer[]): Promise<void> {
  const best = [...peers].sort((a, b) => b.lasted - a.lasted).slice(0, MAX_SAVED_PEERS);
  await writeFile(`${path}.new`, `${JSON.stringify({ version: VERSION, peers: best }, null, 1)}\n`);
  await rename(`${path}.new`, path);
}

function parsePeers(text: string): SavedPeer[] {
  const json: unknown = JSON.parse(text);
  if (!isRecord(json) || json["version"] !== VERSION || !Array.isArray(json["peers"])) return [];
  return json["peers"].slice(0, MAX_SAVED_PEERS).flatMap((entry: unknown) => savedPeer(entry) ?? []);
}

function savedPeer(entry: unknown): SavedPeer | undefined {
  if (!isRecord(entry)) return undefined;
  const { peer, addresses, lasted } = entry;
  if (typeof peer !== "string" || !Array.isArray(addresses)) return undefined;
  if (typeof lasted !== "number" || !(lasted >= 0) || !Number.isFinite(lasted)) return undefined;
  const own = addresses.filter(
    (address: unknown): address is string => typeof address === "string" && readPeerAddress(address)?.peer === peer,
  );
  return own.length === 0 ? undefined : { peer, addresses: own.slice(0, MAX_ADDRESSES_PER_PEER), lasted };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
