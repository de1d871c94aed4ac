/** The worker thread of SenderPool: recovers the senders of one batch after the other. */
import { parentPort } from "node:worker_threads";
import { assert } from "../../base/errors.ts";
import { type PackedTransactions, recoverBatch } from "./batch.ts";

assert(parentPort !== null, "this file runs as a worker");
const port = parentPort;

port.on("message", (batch: PackedTransactions) => {
  const senders = recoverBatch(batch);
  port.postMessage(senders, [senders.buffer]);
});
