/**
 * Moving a validator to another machine: what it has signed goes with it as JSON, and the log left behind is retired,
 * so that two machines never sign with one key. An export can be repeated, in case its file is lost on the way.
 */

import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Hex } from "../../base/bytes.ts";
import { systemCodeOf } from "../../base/errors.ts";
import { NO_HASH, type VoteContent, type VoteKind } from "../../base/votes.ts";
import {
  constant,
  INVALID,
  integer,
  list,
  mapped,
  object,
  oneOf,
  type Problem,
  type Shape,
  text,
} from "../../genesis/shape.ts";
import type { GuardExport } from "../consensus/guard.ts";
import { createLog } from "./consensus-log.ts";
import { walError } from "./errors.ts";
import { lockFolder } from "./folder-lock.ts";
import { encodeFrame, FRAME_KINDS } from "./frame.ts";
import { MAX_EXPORTED_VOTES } from "./limits.ts";
import { folderDisk, type LogDisk } from "./log-disk.ts";
import { LOG_NAME, type ReadLog, type RecordCodec, readLogFile, votesIn } from "./log-file.ts";
import type { GuardFloor } from "./log-header.ts";

export interface GuardFile {
  readonly format: "opengpu-guard";
  readonly version: 1;
  /** Decimal. */
  readonly chainId: string;
  readonly validator: Hex;
  readonly guard: GuardExport;
}

/**
 * Retires the log, then tells what it knows. Nothing is answered before the retirement is durable. Throws WAL_MISSING,
 * WAL_LOCKED, WAL_DAMAGED or WAL_OF_FOLLOWER.
 */
export async function exportGuard(directory: string, codec: RecordCodec): Promise<GuardFile> {
  await requireLog(directory);
  const disk = await folderDisk(directory);
  const lock = await lockFolder(directory);
  try {
    return await exportGuardOn(disk, codec);
  } finally {
    await lock.release();
  }
}

/** Before folder and lock are made: the name of the data folder may be a wrong one. */
async function requireLog(directory: string): Promise<void> {
  const path = join(directory, LOG_NAME);
  await access(path).catch((error: unknown) => {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    throw walError("WAL_MISSING", `there is no consensus log at ${path}`, {
      hint: "Name the data folder of the validator.",
    });
  });
}

export async function exportGuardOn(disk: LogDisk, codec: RecordCodec): Promise<GuardFile> {
  const log = await readLogFile(disk, codec);
  const { chainId, validator } = log.header.identity;
  if (validator === undefined) {
    throw walError("WAL_OF_FOLLOWER", "the consensus log is of a node that follows and has signed nothing", {
      hint: "Name the data folder of the validator.",
    });
  }
  await retire(disk, log);
  const guard = guardOf(log.header.floor, votesIn(log.records));
  return { format: "opengpu-guard", version: 1, chainId: String(chainId), validator, guard };
}

/** Makes the log of a validator that moves here. Throws WAL_EXISTS or WAL_LOCKED. */
export async function importGuard(directory: string, file: GuardFile, codec: RecordCodec): Promise<void> {
  const { validator, guard } = file;
  const identity = { chainId: BigInt(file.chainId), validator };
  const disk = await folderDisk(directory);
  const lock = await lockFolder(directory);
  try {
    const items = guard.votes.map((vote) => codec.encode({ type: "vote", vote }));
    await createLog(disk, identity, { epoch: guard.epoch, view: guard.finalView }, items);
  } finally {
    await lock.release();
  }
}

/** Synced in any case: an export that was killed may have left a mark that is not durable yet. */
async function retire(disk: LogDisk, { mark, end, isRetired }: ReadLog): Promise<void> {
  const file = await disk.open(LOG_NAME, end);
  try {
    if (!isRetired) await file.append(encodeFrame(mark, { kind: FRAME_KINDS.retired, items: [] }));
    await file.sync();
    await disk.syncNames();
  } finally {
    await file.close();
  }
}

/** Whoever has entered an epoch signs nothing in those before it, so the votes of the last one are enough. */
function guardOf(floor: GuardFloor, votes: readonly VoteContent[]): GuardExport {
  const epoch = votes.reduce((highest, vote) => Math.max(highest, vote.epoch), floor.epoch);
  const finalView = floor.epoch === epoch ? floor.view : 0;
  const above = votes.filter((vote) => vote.epoch === epoch && vote.view > finalView);
  return { epoch, finalView, votes: above };
}

const KINDS: readonly VoteKind[] = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"];
const MAX_CHAIN_ID_DIGITS = 78;
const number = integer(0, Number.MAX_SAFE_INTEGER);

const vote: Shape<VoteContent> = mapped(
  object<{ kind: VoteKind; epoch: number; view: number; hash: string }>({
    kind: oneOf(KINDS),
    epoch: number,
    view: integer(1, Number.MAX_SAFE_INTEGER),
    hash: text(/^0x([0-9a-f]{64})?$/, 66, "a block hash, or 0x in a NULLIFY"),
  }),
  (read) => {
    if ((read.kind === "NULLIFY") !== (read.hash === NO_HASH)) throw new Error(`a ${read.kind} with hash ${read.hash}`);
    return { ...read, hash: read.hash as Hex };
  },
);

const guardExport: Shape<GuardExport> = mapped(
  object<GuardExport>({ epoch: number, finalView: number, votes: list(vote, MAX_EXPORTED_VOTES) }),
  (read) => {
    const isOutside = read.votes.some(({ epoch, view }) => epoch !== read.epoch || view <= read.finalView);
    if (isOutside) throw new Error("a vote of another epoch, or not above the final view");
    return read;
  },
);

const guardFile: Shape<GuardFile> = object<GuardFile>({
  format: constant("opengpu-guard"),
  version: constant(1),
  chainId: text(/^[1-9][0-9]*$/, MAX_CHAIN_ID_DIGITS, "a chain id"),
  validator: mapped(text(/^0x[0-9a-f]{96}$/, 98, "a public key of 48 bytes"), (value) => value as Hex),
  guard: guardExport,
});

/** Throws GUARD_INVALID with everything that is wrong in `data.problems`. */
export function parseGuardFile(json: string): GuardFile {
  const problems: Problem[] = [];
  const read = guardFile.read(parsed(json), "$", (path, message) => problems.push({ path, message }));
  if (read !== INVALID) return read;
  throw walError("GUARD_INVALID", `this is no exported guard: ${problems[0]?.path} ${problems[0]?.message}`, {
    problems,
    hint: "Use the file that `ogpu keys guard-export` wrote, unchanged.",
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
