import { describe, expect, it } from "vitest";
import { Prng } from "../../../../base/prng.ts";
import { codeOf } from "../../../base/support/code-of.ts";
import { floats, int, integers, type Numbers, runNode } from "../support/run-nodes.ts";

function values(prng: Prng, count: number): readonly number[] {
  return Array.from({ length: count }, () => Math.fround(prng.below(2001) / 1000 - 1));
}

type Complex = readonly [number, number];

/** The definition, for a period of `length`, with the sign of the angle. */
function sums(x: readonly Complex[], length: number, sign: 1 | -1): readonly Complex[] {
  return Array.from({ length }, (_, k) => {
    const terms = x.slice(0, length).map(([a, b], n): Complex => {
      const angle = (sign * 2 * Math.PI * k * n) / length;
      return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
    });
    return terms.reduce(([a, b], [c, d]): Complex => [a + c, b + d], [0, 0]);
  });
}

function expectNear({ values: found }: Numbers, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  found.forEach((value, i) => void expect(value).toBeCloseTo(expected[i] as number, 5));
}

describe("DFT", () => {
  it("is the sum of its definition for a real signal, also when it is cut or filled up", () => {
    const x = values(new Prng("real"), 7);
    for (const length of [7, 4, 12]) {
      const [y] = runNode({ op: "DFT", inputs: [floats([1, 7, 1], x), integers([], [length])] });
      expect(y?.shape).toEqual([1, length, 2]);
      const real = x.map((value): Complex => [value, 0]);
      expectNear(y as Numbers, sums(real, length, -1).flat());
    }
  });

  it("gives half of the spectrum when that is asked for, and the inverse makes the signal of it again", () => {
    for (const size of [8, 9]) {
      const x = values(new Prng(`half ${size}`), size);
      const signal = floats([1, size, 1], x);
      const [half] = runNode({ op: "DFT", inputs: [signal], attributes: { onesided: int(1) } });
      const kept = Math.floor(size / 2) + 1;
      expect(half?.shape).toEqual([1, kept, 2]);
      const back = { op: "DFT", attributes: { onesided: int(1), inverse: int(1) } };
      const [again] = runNode({ ...back, inputs: [floats([1, kept, 2], half?.values ?? []), integers([], [size])] });
      expect(again?.shape).toEqual([1, size, 1]);
      expectNear(again as Numbers, x);
    }
  });

  it("goes along the axis that an input names since version 20, and an attribute before", () => {
    const x = values(new Prng("axis"), 2 * 3 * 5 * 2);
    const tensor = floats([2, 3, 5, 2], x);
    const inverse = { inverse: int(1) };
    const [now] = runNode({ op: "DFT", inputs: [tensor, undefined, integers([], [1])], attributes: inverse });
    const [before] = runNode({ op: "DFT", inputs: [tensor], attributes: { ...inverse, axis: int(1) } }, 19);
    expect(before).toEqual(now);
    const column = [0, 1, 2].map((n): Complex => [x[n * 10 + 4] as number, x[n * 10 + 5] as number]);
    const expected = sums(column, 3, 1).map(([a, b]) => [a / 3, b / 3]);
    [0, 1, 2].forEach((n) => {
      expect(now?.values[n * 10 + 4]).toBeCloseTo(expected[n]?.[0] as number, 5);
      expect(now?.values[n * 10 + 5]).toBeCloseTo(expected[n]?.[1] as number, 5);
    });
  });

  it("leaves nothing where a tone has nothing", () => {
    const tone = Array.from({ length: 8 }, (_, n) => 1000 * Math.cos((2 * Math.PI * n) / 8));
    const [y] = runNode({ op: "DFT", inputs: [floats([1, 8, 1], tone)] });
    const sizes = (y?.values ?? []).map(Math.abs);
    expect(Math.max(...sizes.filter((_, i) => i !== 2 && i !== 14))).toBeLessThan(1e-3);
    expect(y?.values[2]).toBe(4000);
  });

  it("refuses what is no signal", () => {
    expect(codeOf(() => runNode({ op: "DFT", inputs: [floats([1, 4, 3], values(new Prng("x"), 12))] }))).toBe(
      "ONNX_SHAPE",
    );
  });
});

describe("STFT", () => {
  it("transforms frames that overlap, weighed by a window", () => {
    const [size, length, step] = [20, 6, 4];
    const x = values(new Prng("frames"), size);
    const window = values(new Prng("window"), length);
    const [y] = runNode({
      op: "STFT",
      inputs: [floats([1, size, 1], x), integers([], [step]), floats([length], window)],
    });
    expect(y?.shape).toEqual([1, 4, 4, 2]);
    const frames = [0, 1, 2, 3].map((frame) =>
      window.map((weight, n): Complex => [weight * (x[frame * step + n] as number), 0]),
    );
    expectNear(y as Numbers, frames.flatMap((frame) => sums(frame, length, -1).slice(0, 4)).flat());
  });
});
