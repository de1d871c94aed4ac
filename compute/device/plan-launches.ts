/**
 * Which native launches go together. A launch and the elementwise ones that follow on its result become a chain: they go over
 * each part of the result while it is in the cache, and what lies between them is never stored. That is allowed where
 * nobody can see the difference: what lies between is overwritten or never read afterwards, and no launch of the chain reads
 * elements that another part of it changes.
 */
import { type ScheduledLaunch, scheduleOf } from "../program/schedule.ts";
import type { LaunchRange } from "../program/segments.ts";
import type { Program } from "../program/types.ts";
import type { NativeLaunches } from "./native-launch.ts";
import { bufferOf } from "./run-program.ts";

export interface NativeLaunch {
  readonly scheduled: ScheduledLaunch;
  readonly kernel: string;
}

export interface Chain {
  readonly kind: "chain";
  readonly launches: readonly NativeLaunch[];
  /** For each launch but the first: a bit for each operand that is the result of the one before. */
  readonly chained: readonly number[];
  /** The buffer in whose memory the result is made: that of the last launch or, when the chain still reads that, of the first. */
  readonly place: number;
}

/** Launches that are planned at once; what is read after them is not known. */
const MAX_WINDOW = 4_096;
/** Launches of a chain. */
const MAX_CHAIN = 16;

/** An operand of an elementwise kernel: its parameter and, where it may be repeated, the one that says how. */
interface Operand {
  readonly parameter: number;
  readonly repeat?: number;
}

const UNARY: readonly Operand[] = [{ parameter: 1 }];
const BINARY: readonly Operand[] = [
  { parameter: 5, repeat: 1 },
  { parameter: 6, repeat: 3 },
];
const OPERANDS: ReadonlyMap<string, readonly Operand[]> = new Map<string, readonly Operand[]>([
  ...["negate", "absolute", "reciprocal", "square_root", "relu", "exponential"].map((name) => [name, UNARY] as const),
  ...["logarithm", "hyperbolic_tangent", "error_function", "sigmoid", "gelu"].map((name) => [name, UNARY] as const),
  ...["add", "subtract", "multiply", "divide", "minimum", "maximum"].map((name) => [name, BINARY] as const),
]);

/** A launch that native code does not compute. */
export interface PortableLaunch {
  readonly kind: "portable";
  readonly scheduled: ScheduledLaunch;
}

/** Launches that follow each other. */
export interface PlannedWindow {
  readonly steps: readonly (Chain | PortableLaunch)[];
  /** Whether nobody reads what the buffer holds before the steps from the given one on. */
  isDead(buffer: number, step: number): boolean;
}

/** Chained or, when somebody looks at the result of each launch, one by one; of a segment, only its launches. */
export function* planLaunches(
  program: Program,
  native: NativeLaunches,
  isChained: boolean,
  segment?: LaunchRange,
): Generator<PlannedWindow> {
  const schedule = scheduleOf(program, segment);
  for (let next = schedule.next(); !next.done; ) {
    const window: WindowLaunch[] = [];
    while (!next.done && window.length < MAX_WINDOW) {
      window.push({ scheduled: next.value, kernel: native.nameOf(next.value) });
      next = schedule.next();
    }
    // Who goes on after a segment reads whatever it likes.
    yield new WindowPlan(program, window, next.done === true && segment === undefined, isChained);
  }
}

/** A launch of the window, with the kernel's name where native code computes it. */
export interface WindowLaunch {
  readonly scheduled: ScheduledLaunch;
  readonly kernel: string | undefined;
}

class WindowPlan implements PlannedWindow {
  readonly steps: readonly (Chain | PortableLaunch)[];
  /** Of each step, counted in launches. */
  readonly #starts: readonly number[];
  readonly #program: Program;
  readonly #window: readonly WindowLaunch[];
  readonly #isLast: boolean;
  readonly #uses = new Map<number, { readonly at: number; readonly overwrites: boolean }[]>();

  /** `isLast`: nothing comes after the window, so that only outputs are read again. */
  constructor(program: Program, window: readonly WindowLaunch[], isLast: boolean, isChained: boolean) {
    this.#program = program;
    this.#window = window;
    this.#isLast = isLast;
    window.forEach((launch, at) => {
      const written = writtenBuffer(launch);
      for (const buffer of new Set(buffersOf(launch.scheduled))) {
        const uses = this.#uses.get(buffer) ?? [];
        if (uses.length === 0) this.#uses.set(buffer, uses);
        uses.push({ at, overwrites: buffer === written });
      }
    });
    const steps: (Chain | PortableLaunch)[] = [];
    const starts: number[] = [];
    for (let at = 0; at < window.length; ) {
      const step = this.#stepFrom(at, isChained ? MAX_CHAIN : 1);
      steps.push(step);
      starts.push(at);
      at += step.kind === "chain" ? step.launches.length : 1;
    }
    this.steps = steps;
    this.#starts = starts;
  }

  isDead(buffer: number, step: number): boolean {
    return this.#isDead(buffer, this.#starts[step] ?? this.#window.length);
  }

  #stepFrom(start: number, most: number): Chain | PortableLaunch {
    const { scheduled, kernel } = this.#window[start] as WindowLaunch;
    if (kernel === undefined) return { kind: "portable", scheduled };
    const launches: NativeLaunch[] = [{ scheduled, kernel }];
    const chained: number[] = [];
    for (let end = start + 1; end < this.#window.length && launches.length < most; end++) {
      const bits = this.#follows(launches, this.#window[end] as WindowLaunch);
      if (bits === 0) break;
      launches.push(this.#window[end] as NativeLaunch);
      chained.push(bits);
    }
    // Cut back to where everything that lies between is dead.
    while (launches.length > 1 && !this.#hides(launches, start + launches.length)) {
      launches.pop();
      chained.pop();
    }
    return { kind: "chain", launches, chained, place: placeOf(launches, chained) };
  }

  /** Which operands are the result of the launch before, element by element; 0 when the launch cannot go on with it. */
  #follows(launches: readonly NativeLaunch[], next: WindowLaunch): number {
    const operands = OPERANDS.get(next.kernel ?? "");
    if (operands === undefined) return 0;
    const made = writtenBuffer(launches.at(-1) as NativeLaunch) as number;
    const bytes = this.#program.buffers[made]?.bytes;
    if (bytes !== this.#program.buffers[writtenBuffer(next) as number]?.bytes) return 0;
    const inChain = new Set(launches.map(writtenBuffer));
    let bits = 0;
    for (const [index, { parameter, repeat }] of operands.entries()) {
      const buffer = bufferOf(next.scheduled, parameter);
      if (buffer === made && (repeat === undefined || goesAlong(next.scheduled, repeat))) bits |= 1 << index;
      else if (inChain.has(buffer)) return 0;
    }
    return bits;
  }

  /** Whether nobody reads what the launches before the last one wrote. */
  #hides(launches: readonly NativeLaunch[], end: number): boolean {
    const result = writtenBuffer(launches.at(-1) as NativeLaunch);
    return launches.every((launch) => {
      const buffer = writtenBuffer(launch) as number;
      return buffer === result || this.#isDead(buffer, end);
    });
  }

  #isDead(buffer: number, from: number): boolean {
    const next = this.#uses.get(buffer)?.find(({ at }) => at >= from);
    if (next !== undefined) return next.overwrites;
    return this.#isLast && !this.#program.outputs.includes(buffer);
  }
}

function placeOf(launches: readonly NativeLaunch[], chained: readonly number[]): number {
  const result = writtenBuffer(launches.at(-1) as NativeLaunch) as number;
  const first = writtenBuffer(launches[0] as NativeLaunch) as number;
  const isRead = launches.some((launch, i) => {
    const operands = i === 0 ? undefined : OPERANDS.get(launch.kernel);
    const outside =
      operands === undefined
        ? buffersOf(launch.scheduled).filter((buffer) => buffer !== writtenBuffer(launch))
        : operands.flatMap(({ parameter }, index) =>
            ((chained[i - 1] ?? 0) >> index) % 2 === 1 ? [] : [bufferOf(launch.scheduled, parameter)],
          );
    return outside.includes(result);
  });
  return isRead ? first : result;
}

/** Element i is number i of the operand. */
function goesAlong({ arguments: bound }: ScheduledLaunch, parameter: number): boolean {
  const [n, each, count] = [0, parameter, parameter + 1].map((index) => {
    const argument = bound[index];
    return argument?.kind === "bytes"
      ? new DataView(argument.bytes.buffer, argument.bytes.byteOffset).getInt32(0, true)
      : 0;
  });
  return each === 1 && (count ?? 0) >= (n ?? 0);
}

/** The buffer that a native launch fills: the last argument of every standard kernel. */
export function writtenBuffer({ scheduled, kernel }: WindowLaunch): number | undefined {
  return kernel === undefined ? undefined : bufferOf(scheduled, scheduled.arguments.length - 1);
}

function buffersOf({ arguments: bound }: ScheduledLaunch): readonly number[] {
  return bound.flatMap((argument) => (argument.kind === "buffer" ? [argument.buffer] : []));
}
