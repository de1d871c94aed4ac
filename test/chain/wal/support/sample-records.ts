/** Records of any size, and a codec for tests: votes as JSON, with a padding that stands for blocks. */

import { bytesToHex, type Hex, utf8 } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import type { VoteContent } from "../../../../base/votes.ts";
import type { LogRecord } from "../../../../chain/consensus/types.ts";
import type { RecordCodec } from "../../../../chain/wal/log-file.ts";
import type { LogIdentity } from "../../../../chain/wal/log-header.ts";

export const IDENTITY: LogIdentity = { chainId: 7n, validator: `0x${"ab".repeat(48)}` };

const PADDING_SEED = "wal padding";

/** A vote with a number in its hash, by which it is known again. */
export function voteRecord(view: number, number = 0, epoch = 0): LogRecord {
  const hash: Hex = `0x${number.toString(16).padStart(64, "0")}`;
  return { type: "vote", vote: { kind: "NOTARIZE", epoch, view, hash } };
}

export function contentOf(record: LogRecord): VoteContent {
  if (record.type !== "vote") throw new Error("the samples are votes");
  return record.vote;
}

/** Every record takes `padding` bytes more, which look like anything. */
export function sampleCodec(padding: number): RecordCodec {
  const filler = bytesToHex(new Prng(PADDING_SEED).bytes(padding));
  return {
    encode: (record) => utf8(JSON.stringify({ vote: contentOf(record), filler })),
    decode: (bytes) => {
      const read = JSON.parse(new TextDecoder().decode(bytes)) as { vote: VoteContent; filler: string };
      if (read.filler !== filler) throw new Error("another filler");
      return { type: "vote", vote: read.vote };
    },
  };
}
