/** Bodies that attract each other, one launch for each step in time. */
import { Prng } from "../../base/prng.ts";
import { type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import {
  bytesOfAll,
  type Example,
  examplePtx,
  float,
  int,
  onBuffer,
  outputOf,
  type Picture,
  turns,
} from "./example.ts";

const THREADS = 64;

export interface NBody {
  readonly bodies: number;
  readonly steps: number;
  readonly dt: number;
  /** Added to squares of distances, so that near ones do not fly apart. */
  readonly softening: number;
}

/** Inputs `positions` (x, y, z, mass) and `velocities` (x, y, z, 0); outputs are the velocities, and `after` or `positions`. */
export function nBodyProgram({ bodies, steps, dt, softening }: NBody): Program {
  const bytes = 16 * bodies;
  const buffers: readonly BufferSpec[] = [
    { name: "positions", kind: "input", bytes },
    { name: "velocities", kind: "input", bytes },
    { name: "after", kind: "scratch", bytes },
  ];
  const tile = { kind: "run", bytes: 16 * THREADS } as const;
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: steps % 2 === 0 ? [0, 1] : [1, 2] },
    kernels: [{ ptx: examplePtx("n-body"), entry: "n_body_step" }],
    steps: [
      {
        ...{ kind: "loop", count: steps },
        body: [
          {
            ...{ kind: "launch", kernel: 0, dynamicShared: 0 },
            ...{ grid: [Math.ceil(bodies / THREADS), 1, 1], block: [THREADS, 1, 1] },
            arguments: [int(bodies), float(dt), float(softening), turns(0, 2), onBuffer(1), turns(2, 0)],
            tiles: [4, 5].map((parameter) => ({ parameter, tile })),
            ...{ fuel: THREADS * (2_000 + 120 * bodies), bytes: bytesOfAll(buffers) },
          },
        ],
      },
    ],
  };
}

/** Where the positions are after so many steps. */
export function lastPositions(steps: number): string {
  return steps % 2 === 0 ? "positions" : "after";
}

function start(bodies: number): Map<string, Uint8Array> {
  const prng = new Prng("n-body");
  const uniform = (): number => prng.below(1 << 20) / (1 << 19) - 1;
  const [positions, velocities] = [new Float32Array(4 * bodies), new Float32Array(4 * bodies)];
  for (let i = 0; i < bodies; i++) {
    const [x, y, z] = [uniform(), uniform(), 0.1 * uniform()];
    positions.set([x, y, z, 1 / bodies], 4 * i);
    // Round the middle, so that the cloud becomes a disc before it falls in.
    velocities.set([-0.6 * y, 0.6 * x, 0, 0], 4 * i);
  }
  return new Map(Object.entries({ positions, velocities }).map(([name, of]) => [name, new Uint8Array(of.buffer)]));
}

/** The bodies from above, brighter where there are more. */
function pictureOf(positions: DataView): Picture {
  const side = 256;
  const data = new Uint8Array(4 * side * side);
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  for (let at = 0; at < positions.byteLength; at += 16) {
    const [x, y] = [0, 4].map((part) => Math.floor((positions.getFloat32(at + part, true) / 3 + 0.5) * side)) as [
      number,
      number,
    ];
    if (x < 0 || y < 0 || x >= side || y >= side) continue;
    const pixel = 4 * (y * side + x);
    data.set(
      [0, 1, 2].map((part) => Math.min(255, (data[pixel + part] as number) + (part === 0 ? 110 : 140))),
      pixel,
    );
  }
  return { width: side, height: side, data };
}

export const nBody: Example = {
  name: "n-body",
  summary: "Bodies that attract each other, all by all",
  size: { means: "bodies", usual: 512, most: 65_536 },
  steps: { means: "steps in time", usual: 40, most: 1_000_000 },
  variants: [],
  make({ size, steps }) {
    return {
      program: nBodyProgram({ bodies: size, steps, dt: 0.01, softening: 0.001 }),
      inputs: start(size),
      show(outputs) {
        const positions = outputOf(outputs, lastPositions(steps));
        const velocities = outputOf(outputs, "velocities");
        let [kinetic, spread] = [0, 0];
        for (let at = 0; at < positions.byteLength; at += 16) {
          const square = (view: DataView): number =>
            [0, 4, 8].reduce((sum, part) => sum + view.getFloat32(at + part, true) ** 2, 0);
          kinetic += square(velocities) / (2 * size);
          spread += square(positions) / size;
        }
        const facts = {
          bodies: size,
          "kinetic energy": kinetic.toFixed(6),
          "mean distance": Math.sqrt(spread).toFixed(6),
        };
        return { facts, picture: pictureOf(positions) };
      },
    };
  },
};
