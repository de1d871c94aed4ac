/**
 * A thread between the RPC's and the node's: finds the senders of clients' transactions, the one expensive step (some
 * 80 us each, or less than half as much where the guess of who sent it is right) that needs nothing of
 * either. Started by submission-desk.ts. It has no event loop of its own: it waits for its lane.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/errors.ts";
import { HASH_AT, packTransactions, RESULT_BYTES, recoverBatch, SENDER_AT } from "../../chain/senders/batch.ts";
import { claimOfBytes } from "../../chain/senders/claim.ts";
import { KnownKeys, loadKeyAddon } from "../../chain/senders/known-keys.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { ConnectionSenders } from "./connection-senders.ts";
import { type LaneMemory, LaneReader, LaneWriter, type Portion } from "./lane.ts";
import { CONNECTION_BYTES, type Refusal } from "./submissions.ts";
import { toWire } from "./wire-error.ts";

export interface SenderThreadData {
  /** From the RPC's thread: the number of a connection, encoded transaction. */
  readonly submitted: LaneMemory;
  /** To the node's: hash, sender, encoding; nothing in the place of one that has no sender. */
  readonly recovered: LaneMemory;
  /** To the RPC's: those that have no sender, as a `Refusal`. They are rare. */
  readonly refused: MessagePort;
}

interface Submitted {
  readonly id: number;
  readonly connection: number;
  readonly raw: Uint8Array;
}

/** What is there is checked together, so much of it at most: the first waits for the last. */
const TOGETHER: Portion = { notes: 32, bytes: 32 * 1024 };
/** Milliseconds until there may be room again for what the node has not read yet. */
const ROOM_PAUSE = 1;

assert(parentPort !== null, "this is the program of a thread");
const node = parentPort;
const data = workerData as SenderThreadData;
const submitted = new LaneReader(data.submitted);
const recovered = new LaneWriter(data.recovered);
const addon = loadKeyAddon();
const keys = addon && new KnownKeys(addon);
const senders = new ConnectionSenders();
const never = new Int32Array(new SharedArrayBuffer(4));

submitted.attend();
for (;;) {
  submitted.wait();
  const together: Submitted[] = [];
  submitted.read((id, note) => together.push(read(id, note)), TOGETHER);
  find(together);
}

function read(id: number, note: Uint8Array): Submitted {
  const connection = new DataView(note.buffer, note.byteOffset).getUint32(0);
  // A copy: the native library takes no shared memory.
  return { id, connection, raw: note.slice(CONNECTION_BYTES) };
}

function find(together: readonly Submitted[]): void {
  const raws = together.map(({ raw }) => raw);
  const guesses = together.map(({ connection }) => senders.guess(connection));
  const results = recoverBatch(packTransactions(raws, 0, raws.length, guesses), keys);
  for (const [index, { id, connection, raw }] of together.entries()) {
    const at = index * RESULT_BYTES;
    if (results[at] !== 0) {
      refuse(id, raw);
      continue;
    }
    const sender = results.subarray(at + SENDER_AT, at + HASH_AT);
    senders.note(connection, claimOfBytes(sender));
    tell(id, results.subarray(at + HASH_AT, at + RESULT_BYTES), sender, raw);
  }
}

/** It has no sender: finding none once more says why. */
function refuse(id: number, raw: Uint8Array): void {
  try {
    recoverSender(decodeTransaction(raw));
    assert(false, "what had no sender still has none");
  } catch (error) {
    data.refused.postMessage({ id, error: toWire(error) } satisfies Refusal);
    tell(id);
  }
}

/**
 * Each at once: gathering some to wake the node less often takes timers, which cost more than it saves (measured: 5 to 8 %
 * of the transfers in a second).
 */
function tell(id: number, ...parts: readonly Uint8Array[]): void {
  while (!recovered.write(id, ...parts)) Atomics.wait(never, 0, 0, ROOM_PAUSE);
  if (recovered.takesWaking()) node.postMessage(undefined);
}
