/**
 * Traces: of a transaction, of a block, of a call that nobody has sent. They are answered as JSON, written here: a large one has
 * hundreds of thousands of values, and taking these from another thread and writing them held up the RPC's own for half a
 * second (measured).
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { RecordingState } from "../../vm/state/recording-state.ts";
import { requireWholeBlock } from "../block-reference.ts";
import { type CallRequest, messageOf, requireChain } from "../call-request.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import type { TraceOptions } from "../trace-options.ts";
import { replayOf, transactionsOf } from "./block-replay.ts";
import { type CallPlace, callSetting } from "./call-setting.ts";
import type { JobContext } from "./job-context.ts";
import { createTracer } from "./tracers/create-tracer.ts";
import { TraceRoom } from "./tracers/tracer.ts";

export interface TraceTransactionRequest {
  readonly hash: Uint8Array;
  readonly options: TraceOptions;
}

export interface TraceBlockRequest {
  readonly number: number;
  readonly options: TraceOptions;
}

export interface TraceCallRequest extends CallPlace {
  readonly request: CallRequest;
  readonly options: TraceOptions;
}

interface BlockTrace {
  readonly txHash: Hex;
  readonly result: object;
}

export function traceTransactionJob(context: JobContext, { hash, options }: TraceTransactionRequest): string {
  const location = context.chain.locate(hash);
  if (location === undefined) {
    throw new RpcError(REFUSED, "transaction not found", { code: "TRANSACTION_UNKNOWN" });
  }
  const traces = traceBlock(context, location.number, options, location.index);
  return JSON.stringify((traces.at(-1) as BlockTrace).result);
}

export function traceBlockJob(context: JobContext, { number, options }: TraceBlockRequest): string {
  return JSON.stringify(traceBlock(context, number, options, undefined));
}

/** All transactions of the block, or the one at `only` after those before it. */
function traceBlock(
  context: JobContext,
  number: number,
  options: TraceOptions,
  only: number | undefined,
): readonly BlockTrace[] {
  const whole = requireWholeBlock(context.chain, { number: BigInt(number) });
  const replay = replayOf(context, whole);
  const room = new TraceRoom();
  const traces: BlockTrace[] = [];
  for (const [index, recovered] of transactionsOf(whole).entries()) {
    if (only !== undefined && index > only) break;
    if (only !== undefined && index < only) {
      replay.run(recovered);
      continue;
    }
    const tracer = createTracer(options, room);
    const { receipt, before, changes } = replay.run(recovered, tracer);
    const { gasUsed, output, succeeded } = receipt;
    const { gasLimit, hash } = recovered.transaction;
    const result = tracer.result({ gasLimit, gasUsed, output, succeeded, before, changes });
    traces.push({ txHash: bytesToHex(hash), result });
  }
  return traces;
}

export async function traceCallJob(
  context: JobContext,
  { request, options, ...place }: TraceCallRequest,
): Promise<string> {
  requireChain(request, context.spec.chainId);
  const { state, environment, precompiles } = callSetting(context, place);
  const tracer = createTracer(options, new TraceRoom());
  const before = new RecordingState(state);
  const message = messageOf(request, environment, context.limits.callGas);
  const outcome = await context.caller.call(before, environment, message, { precompiles, listener: tracer });
  const { gasUsed, output, succeeded } = outcome;
  const { gasLimit } = message;
  return JSON.stringify(tracer.result({ gasLimit, gasUsed, output, succeeded, before, changes: outcome.changes() }));
}
