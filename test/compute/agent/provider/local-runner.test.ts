import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { CodedError } from "../../../../base/errors.ts";
import { Prng } from "../../../../base/prng.ts";
import { StoredBlobs } from "../../../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../../../compute/agent/blobs/blob-store.ts";
import { describeDevice, regionOf, tierOf } from "../../../../compute/agent/provider/describe-device.ts";
import { LocalRunner } from "../../../../compute/agent/provider/local-runner.ts";
import type { SegmentTask } from "../../../../compute/agent/provider/segment-runner.ts";
import { checkTileInputs } from "../../../../compute/agent/tiles/check-tile-inputs.ts";
import { decodeTileInputs } from "../../../../compute/agent/tiles/tile-inputs-codec.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { CpuDevice } from "../../../../compute/device/cpu-device.ts";
import type { Device } from "../../../../compute/device/device.ts";
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import { launchLeaf } from "../../../../compute/program/commitment.ts";
import { contentAddress, verifyLeaf } from "../../../../compute/program/merkle.ts";
import type { Program, StepSpec } from "../../../../compute/program/types.ts";
import type { CheckedKernel } from "../../../../compute/ptx/check.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { runPagedTile } from "../../../../compute/ptx/run-paged-tile.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";
import { randomInputs } from "../../support/inputs.ts";
import { mixProgram } from "../../support/sample-programs.ts";

const folders = new TemporaryFolders();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  folders.remove();
});

const never = new AbortController().signal;
const reference = new CpuDevice(undefined, { threads: 1 });

/** Everything right but one bit of every tile. */
const wrong: Device = {
  name: "wrong",
  prepare: (checked, constants) => reference.prepare(checked, constants),
  run: async (checked, inputs, options = {}) => {
    const result = await reference.run(checked, inputs, {
      ...options,
      onLaunch: ({ scheduled, written }) =>
        options.onLaunch?.({
          scheduled,
          written: written.map((one) => ({
            ...one,
            contents: one.contents.map((byte, i) => (i % 64 === 5 ? byte ^ 1 : byte)),
          })),
        }),
    });
    if (result.kind === "trap") return result;
    return {
      kind: "done",
      outputs: new Map([...result.outputs].map(([name, bytes]) => [name, bytes.map((byte) => byte ^ 1)])),
    };
  },
};

const failing: Device = {
  ...wrong,
  run: () => Promise.reject(new CodedError("DEVICE_FAILED", "the driver is gone")),
};

async function blobStore(): Promise<StoredBlobs> {
  const store = await BlobStore.open(folders.next());
  ends.push(() => store.close());
  return new StoredBlobs(store, {}, openWeb);
}

async function taskOf(
  blobs: StoredBlobs,
  program: Program,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<SegmentTask> {
  const inputs: Hex[] = [];
  for (const bytes of contents.values()) inputs.push(await blobs.put(bytes));
  const address = await blobs.put(encodeProgram(program));
  const seed: Hex = `0x${"5e".repeat(32)}`;
  return { job: "3", segment: 0, first: 0, end: 8, program: address, inputs, checkpoint: null, seed, places: [] };
}

/** The launches after the first run out of fuel. */
function trapping(program: Program): Program {
  const starved = (step: StepSpec): StepSpec =>
    step.kind === "loop" ? { ...step, body: step.body.map(starved) } : { ...step, fuel: 10 };
  return { ...program, steps: [program.steps[0] as StepSpec, ...program.steps.slice(1).map(starved)] };
}

describe("segments in this process", () => {
  for (const [what, device] of [["gives wrong bits", wrong] as const, ["fails", failing] as const]) {
    it(`are computed by the reference when the device ${what}, before anything is committed`, async () => {
      const program = mixProgram(128, 7);
      const contents = randomInputs(program, new Prng(what), "numbers");
      const blobs = await blobStore();
      const runner = new LocalRunner({ device, reference, blobs, random: randomBytes });
      const checked = checkProgram(program);
      const right = runProgram(checked, new WasmEngine(checked), contents);
      const {
        commitment,
        distrusted,
        device: name,
      } = await runner.run(await taskOf(blobs, program, contents), () => undefined, never);
      if (right.kind === "trap") throw new Error("nothing traps here");
      expect(commitment.outputs).toEqual([...right.outputs.values()].map((bytes) => bytesToHex(contentAddress(bytes))));
      expect(distrusted).not.toBeNull();
      expect(name).toBe(reference.name);
    });
  }

  it("are opened, and their inputs given, while another one is computed or waits for its inputs", async () => {
    const program = mixProgram(128, 7);
    const blobs = await blobStore();
    let held: Promise<unknown> = Promise.resolve();
    const device: Device = {
      name: "slow",
      prepare: (checked, constants) => reference.prepare(checked, constants),
      run: async (...args) => {
        await held;
        return await reference.run(...args);
      },
    };
    const runner = new LocalRunner({ device, reference, blobs, random: randomBytes });
    const task = await taskOf(blobs, program, randomInputs(program, new Prng("first"), "numbers"));
    await runner.run(task, () => undefined, never);
    const stop = new AbortController();
    held = new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error("stopped"))));
    held.catch(() => undefined);
    const other = await taskOf(blobs, program, randomInputs(program, new Prng("other"), "numbers"));
    const computing = runner.run({ ...other, job: "4" }, () => undefined, stop.signal);
    const absent = { ...other, job: "5", inputs: [`0x${"ab".repeat(32)}`] as const };
    await expect(runner.run(absent, () => undefined, never)).rejects.toMatchObject({ code: "BLOB_ABSENT" });
    const place = { launch: 5, tile: 2 };
    expect(await runner.open(task, [place], never)).toHaveLength(1);
    expect((await runner.inputs(task, place, never)).length).toBeGreaterThan(0);
    stop.abort();
    await expect(computing).rejects.toThrow();
  });

  it("commit to a trap as a result, and open it", async () => {
    const program = trapping(mixProgram(128, 7));
    const contents = randomInputs(program, new Prng("trap"), "numbers");
    const blobs = await blobStore();
    const runner = new LocalRunner({ device: reference, reference, blobs, random: randomBytes });
    const task = await taskOf(blobs, program, contents);
    const { commitment, manifest } = await runner.run(task, () => undefined, never);
    expect([commitment.trapLaunch, commitment.trapTile, commitment.outputs, manifest]).toEqual([1, 0, [], null]);
    const root = hexToBytes(commitment.segmentRoot);
    const openings = await runner.open(
      task,
      [
        { launch: 0, tile: 2 },
        { launch: 1, tile: 0 },
      ],
      never,
    );
    openings.forEach(({ outcome, proof }, launch) => {
      expect(proof.count).toBe(2);
      expect(verifyLeaf(root, launchLeaf(launch, outcome), proof)).toBe(true);
    });
    expect(openings[1]).toMatchObject({ outcome: { kind: "trap", tile: 0 }, tiles: [] });
    const checked = checkProgram(program);
    const place = { launch: 1, tile: 0 };
    const question = {
      checked,
      first: 0,
      segmentRoot: root,
      checkpointRoot: undefined,
      inputs: task.inputs.map(hexToBytes),
      ...place,
    };
    const proven = checkTileInputs(question, decodeTileInputs(await runner.inputs(task, place, never)));
    const kernel = checked.kernels[0] as CheckedKernel;
    const chunk = (buffer: number, index: number): Uint8Array => proven.chunk(buffer, index);
    expect(runPagedTile({ program, kernel, scheduled: proven.scheduled, tile: 0, chunk }).kind).toBe("trap");
    await expect(runner.open(task, [{ launch: 2, tile: 0 }], never)).rejects.toMatchObject({ code: "TILE_ABSENT" });
  });

  it("refuse inputs of another length, and say which blob nobody has", async () => {
    const program = mixProgram(128, 7);
    const blobs = await blobStore();
    const runner = new LocalRunner({ device: reference, reference, blobs, random: randomBytes });
    const task = await taskOf(blobs, program, new Map([["start", new Uint8Array(3)]]));
    await expect(runner.run(task, () => undefined, never)).rejects.toMatchObject({ code: "JOB_REFUSED" });
    const absent: Hex = `0x${"ab".repeat(32)}`;
    await expect(runner.run({ ...task, inputs: [absent] }, () => undefined, never)).rejects.toMatchObject({
      ...{ code: "BLOB_ABSENT", data: { address: absent } },
    });
  });
});

describe("a device", () => {
  it("that gives wrong bits is not described, so that nobody registers it", async () => {
    await expect(describeDevice(wrong, { memoryBytes: 1, region: "eu" })).rejects.toMatchObject({
      code: "DEVICE_WRONG",
    });
  });

  it("has a tier by its speed, and a region of 1 to 16 bytes", () => {
    expect([0, 9.9e10, 1e11, 7.9e11, 8.1e11, 6.5e12, 1e30].map(tierOf)).toEqual([0, 0, 1, 1, 2, 3, 15]);
    expect(regionOf("eu-west")).toBe("0x65752d77657374000000000000000000");
    for (const text of ["", "x".repeat(17), "ö".repeat(9)]) expect(() => regionOf(text)).toThrow("a region is");
  });
});
