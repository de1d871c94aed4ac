/** Runs a program with a bar that fills, and commits to its launches when asked. */
import { bytesToHex } from "../../base/bytes.ts";
import type { DeviceLaunch, DeviceOptions, DeviceResult } from "../../compute/device/device.ts";
import { hashTiles } from "../../compute/device/hash-tiles.ts";
import { commitAddresses, launchLeaf, saltKey, segmentRoot, tileAddresses } from "../../compute/program/commitment.ts";
import type { Program, StepSpec } from "../../compute/program/types.ts";
import type { CommandContext } from "../command.ts";

const WIDTH = 30;
/** Milliseconds between two pictures of the bar. */
const PAUSE = 100;

export interface BarRun {
  readonly result: DeviceResult;
  readonly launches: number;
  readonly milliseconds: number;
  readonly commitment: string | undefined;
}

function launchCount(steps: readonly StepSpec[]): number {
  return steps.reduce((sum, step) => sum + (step.kind === "launch" ? 1 : step.count * launchCount(step.body)), 0);
}

function barText(part: number): string {
  const full = Math.min(WIDTH, Math.floor(part * WIDTH));
  return `[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${Math.floor(100 * Math.min(1, part))} %`;
}

export async function runWithBar(
  program: Program,
  { bar, signal }: CommandContext,
  commit: boolean,
  run: (options: DeviceOptions) => Promise<DeviceResult>,
): Promise<BarRun> {
  const launches = launchCount(program.steps);
  const leaves: Uint8Array[] = [];
  const onLaunch = async (shown: DeviceLaunch): Promise<void> => {
    const { scheduled, written } = shown;
    const hashes = written.map(({ tile, contents }) => hashTiles(contents, tile, scheduled.launch.grid));
    leaves.push(leafOf(shown, await Promise.all(hashes)));
  };
  const start = performance.now();
  let shown = start;
  try {
    const result = await run({
      signal,
      onProgress: (done) => {
        if (performance.now() - shown < PAUSE) return;
        shown = performance.now();
        bar(barText(done / launches));
      },
      ...(commit ? { onLaunch } : {}),
    });
    const milliseconds = Math.round(10 * (performance.now() - start)) / 10;
    return { result, launches, milliseconds, commitment: commit ? bytesToHex(segmentRoot(leaves)) : undefined };
  } finally {
    bar("");
  }
}

/** Of the tiles of each buffer that was written. */
export function addressesOf({ scheduled: { launch }, written }: DeviceLaunch): readonly Uint8Array[] {
  return written.map(({ tile, contents }) => tileAddresses(contents, tile, launch.grid));
}

/** Salts are of no use where nobody waits for the result to be opened. */
export function leafOf({ scheduled: { index }, written }: DeviceLaunch, addresses: readonly Uint8Array[]): Uint8Array {
  const seed = new Uint8Array(32);
  const versions = written.map(({ buffer }, i) => {
    const key = saltKey(seed, index, buffer);
    return { buffer, root: commitAddresses(addresses[i] ?? new Uint8Array(), index, buffer, key).root };
  });
  return launchLeaf(index, { kind: "done", versions });
}
