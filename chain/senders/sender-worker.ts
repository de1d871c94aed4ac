/** The worker thread of SenderPool: recovers the senders of one batch after the other. */
import { parentPort } from "node:worker_threads";
import { assert } from "../../base/errors.ts";
import { type PackedTransactions, recoverBatch } from "./batch.ts";
import { KnownKeys, loadKeyAddon } from "./known-keys.ts";

assert(parentPort !== null, "this file runs as a worker");
const port = parentPort;
const addon = loadKeyAddon();
const keys = addon && new KnownKeys(addon);

port.on("message", (batch: PackedTransactions) => {
  const senders = recoverBatch(batch, keys);
  port.postMessage(senders, [senders.buffer]);
});
