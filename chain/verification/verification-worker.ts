/** The thread of WorkerVerifier: checks one job after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { bls } from "../../base/bls.ts";
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import type { ValidatorSet } from "../consensus/validator-set.ts";
import { type FromWorker, judge, type PackedJob, type ToWorker } from "./packed-job.ts";

assert(parentPort !== null, "this file runs as a worker");
const port = parentPort;
const { chainId } = workerData as { readonly chainId: bigint };
const crypto = blsCrypto(bls);
const sets = new Map<Hex, ValidatorSet>();

port.on("message", (message: ToWorker) => {
  if (message.type === "set") sets.set(message.set.hash, message.set);
  else if (message.type === "forget") sets.delete(message.hash);
  else port.postMessage(answer(message.set, message.job));
});

function answer(hash: Hex, job: PackedJob): FromWorker {
  try {
    const set = sets.get(hash);
    assert(set !== undefined, "a set is sent before its first job");
    return { verdict: judge(job, set, chainId, crypto) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
