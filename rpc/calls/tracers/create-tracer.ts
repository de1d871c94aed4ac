import type { TraceOptions } from "../../trace-options.ts";
import { CallTracer } from "./call-tracer.ts";
import { OpcodeTracer } from "./opcode-tracer.ts";
import { PrestateTracer } from "./prestate-tracer.ts";
import type { TraceRoom, Tracer } from "./tracer.ts";

export function createTracer(options: TraceOptions, room: TraceRoom): Tracer {
  if (options.tracer === "callTracer") return new CallTracer(options, room);
  return options.tracer === "prestateTracer" ? new PrestateTracer(options, room) : new OpcodeTracer(options, room);
}
