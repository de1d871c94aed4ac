/** Heat that spreads over a plate: a loop between two buffers, 16 by 16 points to a tile. */
import { type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import {
  bytesOfAll,
  type Example,
  examplePtx,
  float,
  int,
  outputOf,
  type Picture,
  squareLaunch,
  turns,
} from "./example.ts";

export interface HeatEquation {
  readonly width: number;
  readonly height: number;
  readonly steps: number;
  /** Stable up to 1/4. */
  readonly rate: number;
}

/** Input `plate`; the output is `plate` after an even number of steps, `other` after an odd one. */
export function heatProgram({ width, height, steps, rate }: HeatEquation): Program {
  const bytes = 4 * width * height;
  const buffers: readonly BufferSpec[] = [
    { name: "plate", kind: "input", bytes },
    { name: "other", kind: "scratch", bytes },
  ];
  const values = [int(width), int(height), float(rate), turns(0, 1), turns(1, 0)];
  const budget = { fuel: 256 * 200, bytes: Math.min(bytesOfAll(buffers), 1 << 18) };
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: [steps % 2] },
    kernels: [{ ptx: examplePtx("heat-equation"), entry: "heat_step" }],
    steps: [{ kind: "loop", count: steps, body: [squareLaunch(width, height, 4, values, budget)] }],
  };
}

/** A cold plate with a hot bar on its upper edge and a hot ring in the middle. */
function coldPlate(side: number): Float32Array {
  return Float32Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [i % side, Math.floor(i / side)];
    const distance = Math.hypot(x / side - 0.5, y / side - 0.55);
    const isBar = y === 0 && x > side / 4 && x < (3 * side) / 4;
    return isBar || (distance > 0.14 && distance < 0.2) ? 1 : 0;
  });
}

/** Black, red, yellow, white. */
function glow(temperatures: DataView, side: number): Picture {
  const data = new Uint8ClampedArray(4 * side * side);
  for (let i = 0; i < side * side; i++) {
    const heat = 3 * temperatures.getFloat32(4 * i, true);
    data.set([255 * heat, 255 * (heat - 1), 255 * (heat - 2), 255], 4 * i);
  }
  return { width: side, height: side, data: new Uint8Array(data.buffer) };
}

export const heatEquation: Example = {
  name: "heat-equation",
  summary: "Heat that spreads over a plate, as a picture",
  size: { means: "points along a side", usual: 128, most: 4_096 },
  steps: { means: "steps in time", usual: 400, most: 10_000_000 },
  variants: [],
  make({ size, steps }) {
    return {
      program: heatProgram({ width: size, height: size, steps, rate: 0.2 }),
      inputs: new Map([["plate", new Uint8Array(coldPlate(size).buffer)]]),
      show(outputs) {
        const plate = outputOf(outputs, steps % 2 === 0 ? "plate" : "other");
        const all = Array.from({ length: size * size }, (_, i) => plate.getFloat32(4 * i, true));
        const mean = all.reduce((a, b) => a + b, 0) / all.length;
        const centre = all[size * Math.floor(0.55 * size) + Math.floor(size / 2)] ?? 0;
        return {
          facts: { points: all.length, "mean temperature": mean.toFixed(6), "in the middle": centre.toFixed(6) },
          picture: glow(plate, size),
        };
      },
    };
  },
};
