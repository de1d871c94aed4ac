/**
 * A provider that is built to cheat, in a process of its own: `node faulty-provider.js <fault> <rpc> <test account> <folder> <tier>`.
 * It prints a line of JSON for each thing that it does. All its parts are the real ones but for the fault.
 */
import { OGPU } from "../../../base/units.ts";
import { type ProviderFaults, runProvider } from "../../../cli/agent/run-provider.ts";
import type { BlobPort, ChainAction, ChainPort } from "../../../compute/agent/ports.ts";
import { USUAL_POLICY } from "../../../compute/agent/provider/policy.ts";
import type { SegmentRunner } from "../../../compute/agent/provider/segment-runner.ts";
import type { Device, DeviceLaunch, DeviceOptions } from "../../../compute/device/device.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { stealsCommitments, stealsSeals } from "./thieves.ts";

/** One bit of what each launch writes is wrong, consistently: later launches read it so. */
function lyingDevice(device: Device): Device {
  const spoil = (options: DeviceOptions = {}): DeviceOptions => ({
    ...options,
    onLaunch: async (launch: DeviceLaunch) => {
      const contents = launch.written[0]?.contents;
      if (contents !== undefined) contents[0] = (contents[0] ?? 0) ^ 1;
      await options.onLaunch?.(launch);
    },
  });
  return {
    name: device.name,
    prepare: (checked, constants) => {
      const prepared = device.prepare(checked, constants);
      return { run: (inputs, options) => prepared.run(inputs, spoil(options)) };
    },
    run: (checked, inputs, options) => device.run(checked, inputs, spoil(options)),
  };
}

/** The chain, but some actions are never sent. */
function silent(chain: ChainPort, ...kinds: readonly ChainAction["kind"][]): ChainPort {
  return new Proxy(chain, {
    get: (target, name) => {
      if (name === "send") {
        return (action: ChainAction) =>
          kinds.includes(action.kind) ? new Promise(() => undefined) : target.send(action);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Never ends its second segment: whoever runs it takes its power in the middle. */
function stuck(runner: SegmentRunner): SegmentRunner {
  return {
    run: (task, onProgress, signal) =>
      task.segment === 0 ? runner.run(task, onProgress, signal) : new Promise(() => undefined),
    open: (...args) => runner.open(...args),
    inputs: (...args) => runner.inputs(...args),
  };
}

/** Computes and commits honestly, but delivers an output with one byte that nobody computed. */
function swapping(runner: SegmentRunner, blobs: BlobPort): SegmentRunner {
  return {
    run: async (task, onProgress, signal) => {
      const outcome = await runner.run(task, onProgress, signal);
      const [first, ...others] = outcome.commitment.outputs;
      if (first === undefined) return outcome;
      const contents = await blobs.get(first, Number.MAX_SAFE_INTEGER, [], signal);
      const output = await blobs.put(contents.with(-1, (contents.at(-1) ?? 0) ^ 1));
      return { ...outcome, commitment: { ...outcome.commitment, outputs: [output, ...others] } };
    },
    open: (...args) => runner.open(...args),
    inputs: (...args) => runner.inputs(...args),
  };
}

const FAULTS: Readonly<Record<string, ProviderFaults>> = {
  honest: {},
  // Honest providers check tiles of their own before they commit.
  "wrong-bits": { device: lyingDevice, recheckedTiles: 0 },
  "wrong-output": { runner: swapping },
  "steals-seals": { chain: stealsSeals },
  "steals-commitments": { chain: stealsCommitments },
  "stuck-in-mid-job": { runner: stuck },
  "never-delivers": { chain: (chain) => silent(chain, "commitSealed", "commitSegment") },
  "never-publishes": { chain: (chain) => silent(chain, "publishSeed") },
  "never-opens": { chain: (chain) => silent(chain, "open") },
};

const [fault = "honest", rpc = "", account = "0", dataDir = "", tier = "0"] = process.argv.slice(2);
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.stdin.on("end", () => stop.abort()).resume();

await runProvider(
  {
    ...{
      rpc,
      dataDir,
      key: testAccount(Number(account)).privateKey,
      name: fault,
      device: "cpu",
      cudaLibrary: undefined,
    },
    ...{ region: "test", tier: Number(tier), quick: true, host: "127.0.0.1", port: 0, endpoint: undefined },
    ...{ collateral: 100n * OGPU, queue: undefined, allowInternal: false },
    policy: { ...USUAL_POLICY, minimumPrice: OGPU / 100n },
    ...{ faults: FAULTS[fault] ?? {}, progress: () => undefined },
    tell: (event) => {
      const line = JSON.stringify(event, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
      process.stdout.write(`${line}\n`);
    },
  },
  stop.signal,
);
process.exit(0);
