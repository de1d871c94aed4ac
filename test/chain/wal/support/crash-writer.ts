/** Appends to a log, replacing it now and then, and prints each position that is durable, until it is killed. */
import type { LogRecord } from "../../../../chain/consensus/types.ts";
import { ConsensusLog } from "../../../../chain/wal/consensus-log.ts";
import { IDENTITY, sampleCodec, voteRecord } from "./sample-records.ts";

const [, , folder = "", padding = "0"] = process.argv;
const KEPT = 20;

const { log, records } = await ConsensusLog.open(folder, {
  codec: sampleCodec(Number(padding)),
  identity: IDENTITY,
  onFailure: (error) => {
    throw error;
  },
});

let held: LogRecord[] = [...records];
const last = held.at(-1);
let view = last?.type === "vote" ? last.vote.view : 0;

log.onSynced((position) => {
  process.stdout.write(`${position}\n`);
  appendNext();
});

function appendNext(): void {
  // Between one and three appends in flight, of one vote each; the position is the vote's view.
  for (let count = view % 3; count >= 0; count--) {
    const record = voteRecord(++view);
    held.push(record);
    log.append([record], view);
  }
  if (held.length <= 10 * KEPT) return;
  held = held.slice(-KEPT);
  log.replace(held);
}

appendNext();
