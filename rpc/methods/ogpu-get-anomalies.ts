import { defineMethod, type RpcMethod } from "../method.ts";
import { integer, mapped, named, optional } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { ANYTHING, INTEGER, listOf, mapOf, objectOf, TEXT } from "../schema.ts";
import { SEVERITIES } from "../watch/anomaly.ts";
import { MAX_ANOMALIES } from "../watch/limits.ts";

const limit = mapped(named("limit", integer), (value, where) => {
  if (value > MAX_ANOMALIES) throw invalidParams(`${where} is at most ${MAX_ANOMALIES}`);
  return value;
});

export const ogpuGetAnomalies: RpcMethod = defineMethod({
  name: "ogpu_getAnomalies",
  summary:
    "What this node has found unusual lately, the newest first: missed votes, slow finality, price spikes and more.",
  result: listOf(
    objectOf({
      id: INTEGER,
      kind: TEXT,
      severity: { enum: [...SEVERITIES] },
      blockNumber: INTEGER,
      milliseconds: INTEGER,
      message: TEXT,
      data: mapOf(ANYTHING),
    }),
  ),
  parameters: [optional(limit, MAX_ANOMALIES)],
  run: ({ watch }, wanted) => watch.recentAnomalies(wanted),
});
