/** How a trace is wanted: the last parameter of debug_trace... */
import type { StateOverrides } from "../vm/state/state-override.ts";
import { boolean, integer, mapped, named, object, oneOf, type Parameter, text } from "./parameters.ts";
import {
  type BlockOverrides,
  blockOverrides,
  NO_BLOCK_OVERRIDES,
  NO_OVERRIDES,
  stateOverrides,
} from "./state-override.ts";

export const TRACERS = ["callTracer", "prestateTracer"] as const;

export interface TraceOptions {
  /** `undefined`: every opcode. */
  readonly tracer: (typeof TRACERS)[number] | undefined;
  readonly onlyTopCall: boolean;
  readonly withLog: boolean;
  readonly diffMode: boolean;
  readonly disableCode: boolean;
  readonly disableStorage: boolean;
  readonly disableStack: boolean;
  readonly enableMemory: boolean;
  readonly enableReturnData: boolean;
  /** Opcodes; 0 for all. */
  readonly limit: number;
}

const tracerConfig = object("an object with onlyTopCall, withLog, diffMode...", {
  onlyTopCall: boolean,
  withLog: boolean,
  diffMode: boolean,
  disableCode: boolean,
  disableStorage: boolean,
});

const FIELDS = {
  tracer: oneOf(TRACERS),
  tracerConfig,
  disableStorage: boolean,
  disableStack: boolean,
  disableMemory: boolean,
  enableMemory: boolean,
  disableReturnData: boolean,
  enableReturnData: boolean,
  limit: integer,
  debug: boolean,
  // The node has a limit of its own, and never re-executes more than one block.
  timeout: text(20),
  reexec: integer,
} as const;

type Read = ReturnType<ReturnType<typeof object<typeof FIELDS>>["read"]>;

function optionsOf(read: Read): TraceOptions {
  const config = read.tracerConfig;
  return {
    tracer: read.tracer,
    onlyTopCall: config?.onlyTopCall ?? false,
    withLog: config?.withLog ?? false,
    diffMode: config?.diffMode ?? false,
    disableCode: config?.disableCode ?? false,
    disableStorage: config?.disableStorage ?? read.disableStorage ?? false,
    disableStack: read.disableStack ?? false,
    enableMemory: read.enableMemory ?? (read.disableMemory === undefined ? false : !read.disableMemory),
    enableReturnData: read.enableReturnData ?? (read.disableReturnData === undefined ? false : !read.disableReturnData),
    limit: read.limit ?? 0,
  };
}

const WANTED = "how to trace: an object with tracer, tracerConfig...";

export const traceOptions: Parameter<TraceOptions> = mapped(named("options", object(WANTED, FIELDS)), optionsOf);

export interface TraceCallOptions {
  readonly options: TraceOptions;
  readonly stateOverrides: StateOverrides;
  readonly blockOverrides: BlockOverrides;
}

export const traceCallOptions: Parameter<TraceCallOptions> = mapped(
  named("options", object(WANTED, { ...FIELDS, stateOverrides, blockOverrides })),
  ({ stateOverrides: state = NO_OVERRIDES, blockOverrides: block = NO_BLOCK_OVERRIDES, ...rest }) => ({
    options: optionsOf(rest),
    stateOverrides: state,
    blockOverrides: block,
  }),
);

export const EVERY_OPCODE: TraceOptions = traceOptions.read({}, "options");
