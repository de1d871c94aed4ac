/** What a worker reports, as JSON. */
import { bytesToHex } from "../base/bytes.ts";
import type { SeenProgress } from "../chain/runtime/progress-board.ts";
import { quantityText } from "./format.ts";
import { ADDRESS, DATA, type JsonSchema, objectOf, QUANTITY } from "./schema.ts";

export const PROGRESS: JsonSchema = objectOf({
  ...{ job: QUANTITY, worker: ADDRESS, segment: QUANTITY, done: QUANTITY, total: QUANTITY, sequence: QUANTITY },
  signature: DATA,
});

export function progressJson({ job, worker, segment, done, total, sequence, signature }: SeenProgress): object {
  return {
    job: quantityText(job),
    worker,
    segment: quantityText(segment),
    done: quantityText(done),
    total: quantityText(total),
    sequence: quantityText(sequence),
    signature: bytesToHex(signature),
  };
}
