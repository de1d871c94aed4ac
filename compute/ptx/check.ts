/** The front door: PTX text in, kernels that every engine computes alike out, or the list of what stands in the way. */
import { CodedError } from "../../base/errors.ts";
import { reachableBlocks, unassignedReads } from "./data-flow.ts";
import type { PtxErrorCode } from "./errors.ts";
import type { Kernel } from "./ir.ts";
import { lowerKernel } from "./lower.ts";
import { parsePtx } from "./parser.ts";
import { type Pointers, tracePointers } from "./pointers.ts";
import { orderAddresses, rewrite } from "./rewrite.ts";
import type { ParsedKernel, ParsedModule } from "./syntax.ts";

export interface CheckedKernel {
  readonly kernel: Kernel;
  readonly pointers: Pointers;
}

export interface KernelReport {
  readonly name: string;
  readonly problems: readonly CodedError[];
  /** When there are no problems. */
  readonly checked: CheckedKernel | undefined;
}

/** Checks every kernel of a module. Throws only for text that cannot be parsed. */
export function checkModule(text: string): readonly KernelReport[] {
  const module = parsePtx(text);
  return module.kernels.map((kernel) => checkParsed(kernel, module));
}

/** One kernel that is fit to run. Throws its first problem. */
export function checkKernel(text: string, entry: string): CheckedKernel {
  const module = parsePtx(text);
  const parsed = module.kernels.find(({ name }) => name === entry);
  if (parsed === undefined) {
    const names = module.kernels.map(({ name }) => name).join(", ");
    const message = `the module has no kernel ${entry}; it has ${names === "" ? "none" : names}`;
    throw new CodedError<PtxErrorCode>("PTX_NAME", message, { entry });
  }
  const { problems, checked } = checkParsed(parsed, module);
  if (checked !== undefined) return checked;
  throw problems[0] ?? new CodedError<PtxErrorCode>("PTX_SYNTAX", `${entry} cannot be checked`);
}

function checkParsed(parsed: ParsedKernel, module: ParsedModule): KernelReport {
  const { name } = parsed;
  const { kernel, problems } = lowerKernel(parsed, module);
  if (problems.length > 0) return { name, problems, checked: undefined };
  const unassigned = unassignedReads(kernel);
  if (unassigned.length > 0) return { name, problems: unassigned, checked: undefined };
  const rewritten = rewrite(withoutDeadBlocks(kernel));
  const pointers = tracePointers(rewritten);
  if (pointers.problems.length > 0) return { name, problems: pointers.problems, checked: undefined };
  return { name, problems: [], checked: { kernel: orderAddresses(rewritten, pointers.isAddress), pointers } };
}

/** Blocks that nothing reaches are emptied, so that the checks do not speak about code that never runs. */
function withoutDeadBlocks(kernel: Kernel): Kernel {
  const reached = reachableBlocks(kernel);
  const blocks = kernel.blocks.map((block, i) =>
    reached[i] ? block : { instructions: [], end: { kind: "exit" } as const },
  );
  return { ...kernel, blocks };
}
