/** Reading a whole log and writing a whole log; the file appears under its name only when it is complete. */

import { randomBytes } from "node:crypto";
import { concatBytes } from "../../base/bytes.ts";
import type { VoteContent } from "../../base/votes.ts";
import type { LogRecord } from "../consensus/types.ts";
import { damaged, reasonOf, walError } from "./errors.ts";
import { encodeFrame, encodeStart, FRAME_KINDS, MARK_BYTES, readLog } from "./frame.ts";
import type { LogDisk, LogFile } from "./log-disk.ts";
import { decodeHeader, encodeHeader, type LogHeader } from "./log-header.ts";

/** How records become bytes; the formats of blocks and certificates are not the log's matter. */
export interface RecordCodec {
  encode(record: LogRecord): Uint8Array;
  /** Throws on anything that `encode` does not give. */
  decode(bytes: Uint8Array): LogRecord;
}

export interface ReadLog {
  readonly header: LogHeader;
  readonly records: readonly LogRecord[];
  readonly isRetired: boolean;
  /** Where to go on writing, and with which mark. */
  readonly mark: Uint8Array;
  readonly end: number;
}

export const LOG_NAME = "consensus.log";
const NEW_NAME = "consensus.log.new";

/** Throws WAL_MISSING, WAL_DAMAGED or WAL_NEWER_FORMAT. */
export async function readLogFile(disk: LogDisk, codec: RecordCodec): Promise<ReadLog> {
  const bytes = await disk.read(LOG_NAME);
  if (bytes === undefined) throw missing();
  const { mark, frames, end } = readLog(bytes);
  const records = frames.filter(({ kind }) => kind === FRAME_KINDS.records).flatMap(({ items }) => items);
  return {
    header: decodeHeader(frames[0]?.items[0]),
    records: records.map((item) => decodeRecord(codec, item)),
    isRetired: frames.some(({ kind }) => kind === FRAME_KINDS.retired),
    mark,
    end,
  };
}

/** Whatever happens on the way, the old log or the new one is there, whole. Answers with the new one, open. */
export async function writeLogFile(
  disk: LogDisk,
  header: LogHeader,
  items: readonly Uint8Array[],
): Promise<{ readonly file: LogFile; readonly mark: Uint8Array }> {
  const mark = new Uint8Array(randomBytes(MARK_BYTES));
  const first = encodeFrame(mark, { kind: FRAME_KINDS.header, items: [encodeHeader(header)] });
  const frames = items.length === 0 ? [first] : [first, encodeFrame(mark, { kind: FRAME_KINDS.records, items })];
  const file = await disk.create(NEW_NAME);
  try {
    await file.append(concatBytes(encodeStart(mark), ...frames));
    await file.sync();
    await disk.rename(NEW_NAME, LOG_NAME);
    await disk.syncNames();
  } catch (error) {
    await file.close();
    throw error;
  }
  return { file, mark };
}

/** What an interrupted replacement left. */
export async function removeLeftovers(disk: LogDisk): Promise<void> {
  await disk.remove(NEW_NAME);
}

export function votesIn(records: readonly LogRecord[]): VoteContent[] {
  return records.flatMap((record) => (record.type === "vote" ? [record.vote] : []));
}

function decodeRecord(codec: RecordCodec, item: Uint8Array): LogRecord {
  try {
    return codec.decode(item);
  } catch (error) {
    throw damaged(`a record cannot be read: ${reasonOf(error)}`);
  }
}

function missing(): Error {
  return walError("WAL_MISSING", "there is no consensus log in the data folder", {
    hint: "If this validator has never signed, make one. If it has, its disk was lost: restore it, or rotate to a new validator key.",
  });
}
