/**
 * A thread between the RPC's and the node's: recovers the senders of clients' transactions, the one expensive step (some
 * 80 us each) that needs nothing of either. Started by submission-desk.ts. It has no event loop of its own: it waits for its lane.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction, type Transaction } from "../../vm/transaction/transaction.ts";
import { type LaneMemory, LaneReader, LaneWriter } from "./lane.ts";
import type { Refusal } from "./submissions.ts";
import { toWire } from "./wire-error.ts";

export interface SenderThreadData {
  /** From the RPC's thread: encoded transactions. */
  readonly submitted: LaneMemory;
  /** To the node's: hash, sender, encoding; nothing in the place of one that has no sender. */
  readonly recovered: LaneMemory;
  /** To the RPC's: those that have no sender, as a `Refusal`. They are rare. */
  readonly refused: MessagePort;
}

/** Milliseconds until there may be room again for what the node has not read yet. */
const ROOM_PAUSE = 1;

assert(parentPort !== null, "this is the program of a thread");
const node = parentPort;
const data = workerData as SenderThreadData;
const submitted = new LaneReader(data.submitted);
const recovered = new LaneWriter(data.recovered);
const never = new Int32Array(new SharedArrayBuffer(4));

submitted.attend();
for (;;) {
  submitted.wait();
  submitted.read(recover);
}

function recover(id: number, bytes: Uint8Array): void {
  // A copy: the native library takes no shared memory.
  const raw = bytes.slice();
  let transaction: Transaction;
  let sender: Uint8Array;
  try {
    transaction = decodeTransaction(raw);
    sender = hexToBytes(recoverSender(transaction));
  } catch (error) {
    data.refused.postMessage({ id, error: toWire(error) } satisfies Refusal);
    tell(id);
    return;
  }
  tell(id, transaction.hash, sender, raw);
}

/**
 * Each at once: gathering some to wake the node less often takes timers, which cost more than it saves (measured: 5 to 8 %
 * of the transfers in a second).
 */
function tell(id: number, ...parts: readonly Uint8Array[]): void {
  while (!recovered.write(id, ...parts)) Atomics.wait(never, 0, 0, ROOM_PAUSE);
  if (recovered.takesWaking()) node.postMessage(undefined);
}
