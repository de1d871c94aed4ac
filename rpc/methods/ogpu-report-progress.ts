import {
  MAX_PROGRESS_SEGMENT,
  MAX_PROGRESS_SEQUENCE,
  PROGRESS_SIGNATURE_BYTES,
  PROGRESS_UNIT_BYTES,
} from "../../base/progress.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data, named, object, quantity, smallQuantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { BOOLEAN } from "../schema.ts";

const report = object("how far a job is, all members given", {
  ...{ job: smallQuantity, segment: smallQuantity, done: quantity, total: quantity, sequence: smallQuantity },
  signature: data,
});

export const ogpuReportProgress: RpcMethod = defineMethod({
  name: "ogpu_reportProgress",
  summary: "Takes how far a worker is with a job, signed by it, and tells all nodes and subscribers.",
  result: BOOLEAN,
  parameters: [named("progress", report)],
  run: async ({ chain, wait }, { job, segment, done, total, sequence, signature }) => {
    if (job === undefined || segment === undefined || done === undefined || total === undefined) {
      throw invalidParams("parameter 1 (progress) needs job, segment, done and total");
    }
    if (sequence === undefined || signature?.length !== PROGRESS_SIGNATURE_BYTES) {
      throw invalidParams(`parameter 1 (progress) needs sequence and a signature of ${PROGRESS_SIGNATURE_BYTES} bytes`);
    }
    if (total >= 2n ** BigInt(8 * PROGRESS_UNIT_BYTES) || done > total) {
      throw invalidParams(
        `parameter 1 (progress): done is at most total, which has at most ${PROGRESS_UNIT_BYTES} bytes`,
      );
    }
    if (segment > MAX_PROGRESS_SEGMENT || sequence > MAX_PROGRESS_SEQUENCE) {
      throw invalidParams(
        `parameter 1 (progress): segment is at most ${MAX_PROGRESS_SEGMENT}, sequence at most ${MAX_PROGRESS_SEQUENCE}`,
      );
    }
    const numbers = { segment: Number(segment), sequence: Number(sequence) };
    await wait(Promise.resolve(chain.progress.report({ job, done, total, ...numbers, signature })));
    return true;
  },
});
