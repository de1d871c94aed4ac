/** What looks at one transaction or call while it runs, and tells afterwards what it saw, as JSON. */
import type { ExecutionListener } from "../../../vm/evm/execution-listener.ts";
import type { StateChanges } from "../../../vm/state/reader.ts";
import type { RecordingState } from "../../../vm/state/recording-state.ts";
import { MAX_TRACE_BYTES } from "../../limits.ts";
import { REFUSED, RpcError } from "../../rpc-error.ts";

export interface Traced {
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  readonly succeeded: boolean;
  readonly before: RecordingState;
  readonly changes: StateChanges;
}

export interface Tracer extends ExecutionListener {
  result(traced: Traced): object;
}

/** Counts about what a trace takes as JSON, and ends it before it is too much. */
export class TraceRoom {
  private left = MAX_TRACE_BYTES;

  /** Throws TRACE_TOO_LARGE. */
  take(bytes: number): void {
    this.left -= bytes;
    if (this.left >= 0) return;
    throw new RpcError(REFUSED, `the trace is larger than ${MAX_TRACE_BYTES} bytes: ask for less of it`, {
      code: "TRACE_TOO_LARGE",
    });
  }
}
