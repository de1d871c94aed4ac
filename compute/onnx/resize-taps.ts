/**
 * Resizing along one dimension as a list of taps: which positions each new one is made of, and how much of each. They
 * follow from sizes alone, so they are constants of the program. As the reference of ONNX works them out, in doubles.
 */
export interface ResizeRule {
  readonly mode: string;
  readonly transformation: string;
  readonly nearest: string;
  readonly cubic: number;
  readonly excludeOutside: boolean;
  readonly antialias: boolean;
}

export interface AxisResize {
  readonly size: number;
  readonly target: number;
  readonly scale: number;
  /** Start and end of the region of interest, as parts of the whole. */
  readonly region: readonly [number, number];
}

export interface Taps {
  readonly width: number;
  readonly positions: readonly number[];
  readonly weights: readonly number[];
  /** New positions that lie outside of the old ones. */
  readonly outside: readonly boolean[];
}

function original(x: number, { size, target, scale, region }: AxisResize, transformation: string): number {
  const width = scale * size;
  switch (transformation) {
    case "align_corners":
      return width === 1 ? 0 : (x * (size - 1)) / (width - 1);
    case "asymmetric":
      return x / scale;
    case "tf_crop_and_resize": {
      const [start, end] = region;
      const along = width === 1 ? ((end - start) * (size - 1)) / 2 : (x * (end - start) * (size - 1)) / (width - 1);
      return along + start * (size - 1);
    }
    case "pytorch_half_pixel":
      return width === 1 ? -0.5 : (x + 0.5) / scale - 0.5;
    case "half_pixel_symmetric":
      return (size / 2) * (1 - target / width) + (x + 0.5) / scale - 0.5;
    default:
      return (x + 0.5) / scale - 0.5;
  }
}

function cubicAt(distance: number, a: number): number {
  const x = Math.abs(distance);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

/** How much of each neighbour, from the first on, for a place `ratio` beyond the last one before it. */
function coefficients(ratio: number, scale: number, rule: ResizeRule): readonly number[] {
  if (rule.mode === "nearest") {
    const before = ratio !== 1 && takesFloor(ratio, rule.nearest);
    return before ? [1, 0] : [0, 1];
  }
  const limited = rule.antialias ? Math.min(scale, 1) : 1;
  const reach = rule.mode === "cubic" ? 2 : 1;
  const start = Math.floor(-reach / limited) + 1;
  const distances = Array.from({ length: 2 - 2 * start }, (_, i) => limited * (start + i - ratio));
  const weights = distances.map((gap) =>
    rule.mode === "cubic" ? cubicAt(gap, rule.cubic) : Math.max(0, 1 - Math.abs(gap)),
  );
  if (!rule.antialias) return weights;
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

function takesFloor(ratio: number, nearest: string): boolean {
  if (nearest === "floor") return true;
  if (nearest === "ceil") return false;
  return nearest === "round_prefer_ceil" ? ratio < 0.5 : ratio <= 0.5;
}

export function tapsOf(axis: AxisResize, rule: ResizeRule): Taps {
  const rows = Array.from({ length: axis.target }, (_, x) => {
    const at = original(x, axis, rule.transformation);
    const whole = Number.isInteger(at);
    const ratio = whole ? 1 : at - Math.floor(at);
    const weights = coefficients(ratio, axis.scale, rule);
    const first = (whole ? at - 1 : Math.floor(at)) - (weights.length / 2 - 1);
    return { at, first, weights: rule.excludeOutside ? inside(weights, first, axis.size) : weights };
  });
  const crop = rule.transformation === "tf_crop_and_resize";
  return {
    width: rows[0]?.weights.length ?? 1,
    positions: rows.flatMap(({ first, weights }) =>
      weights.map((_, i) => Math.min(axis.size - 1, Math.max(0, first + i))),
    ),
    weights: rows.flatMap(({ weights }) => weights),
    outside: rows.map(({ at }) => crop && (at < 0 || at > axis.size - 1)),
  };
}

function inside(weights: readonly number[], first: number, size: number): readonly number[] {
  const kept = weights.map((weight, i) => (first + i < 0 || first + i >= size ? 0 : weight));
  const sum = kept.reduce((a, b) => a + b, 0);
  return kept.map((weight) => weight / sum);
}
