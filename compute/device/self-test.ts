/**
 * Whether a device computes the standard kernels to the bit. Every device passes it before it takes jobs; a person with a
 * GPU sees in a minute whether theirs agrees with everybody else's.
 */
import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { Prng } from "../../base/prng.ts";
import { GOLDEN_CASES, type StandardCase, standardProgram } from "../kernels/standard-program.ts";
import type { Program } from "../program/types.ts";
import { type CheckedProgram, checkProgram } from "../ptx/check-program.ts";
import type { Device } from "./device.ts";
import { runProgram } from "./run-program.ts";
import { WasmEngine } from "./wasm-engine.ts";

export interface SelfTestRow {
  readonly kernel: string;
  readonly same: boolean;
  /** What went wrong, when it is not just other bits. */
  readonly problem: string | undefined;
  readonly milliseconds: number;
}

/** Bits at random, which are mostly ordinary numbers, with zeros, denormals, infinities and NaNs among them. */
const EDGES: readonly number[] = [
  ...[0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000],
  ...[0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x7fffffff],
];

export function goldenInputs({ buffers }: Program, prng: Prng): ReadonlyMap<string, Uint8Array> {
  const inputs = buffers.filter(({ kind }) => kind === "input");
  return new Map(
    inputs.map(({ name, bytes }) => {
      const words = Uint32Array.from({ length: Math.ceil(bytes / 4) }, () => {
        const kind = prng.below(16);
        if (kind === 0) return EDGES[prng.below(EDGES.length)] as number;
        if (kind < 4) return prng.uint32();
        return ((prng.below(2) << 31) | (0x3c000000 + prng.below(0x06000000))) >>> 0;
      });
      return [name, new Uint8Array(words.buffer, 0, bytes)];
    }),
  );
}

interface Golden {
  readonly checked: CheckedProgram;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly outputs: ReadonlyMap<string, Uint8Array>;
}

/** By kernel; made once for all devices. */
const goldens = new Map<string, Golden>();

function goldenOf(chosen: StandardCase): Golden {
  let golden = goldens.get(chosen.kernel);
  if (golden === undefined) {
    const program = standardProgram(chosen);
    const checked = checkProgram(program);
    const inputs = goldenInputs(program, new Prng(`self-test ${chosen.kernel}`));
    const result = runProgram(checked, new WasmEngine(checked), inputs);
    assert(result.kind === "done", "a standard launch does not trap");
    golden = { checked, inputs, outputs: result.outputs };
    goldens.set(chosen.kernel, golden);
  }
  return golden;
}

/** A row for each kernel as it is done. */
export async function* selfTest(device: Device): AsyncGenerator<SelfTestRow> {
  for (const chosen of GOLDEN_CASES) {
    const { checked, inputs, outputs } = goldenOf(chosen);
    const start = performance.now();
    let problem: string | undefined;
    let same = false;
    try {
      const got = await device.run(checked, inputs);
      if (got.kind === "trap") problem = `trapped: ${got.trap.reason}`;
      else same = [...outputs].every(([name, bytes]) => equalBytes(got.outputs.get(name) ?? bytes.slice(1), bytes));
    } catch (error) {
      problem = (error as Error).message;
    }
    yield { kernel: chosen.kernel, same, problem, milliseconds: performance.now() - start };
  }
}
