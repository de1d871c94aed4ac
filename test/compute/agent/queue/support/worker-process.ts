/** A worker as a process of its own. With `stuck`, it takes a job, says so, and never ends it. */
import { randomBytes } from "node:crypto";
import { StoredBlobs } from "../../../../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../../../../compute/agent/blobs/blob-store.ts";
import { LocalRunner } from "../../../../../compute/agent/provider/local-runner.ts";
import type { SegmentRunner } from "../../../../../compute/agent/provider/segment-runner.ts";
import { queueConnection } from "../../../../../compute/agent/queue/queue-settings.ts";
import { QueueWorker } from "../../../../../compute/agent/queue/queue-worker.ts";
import { WorkerBlobs } from "../../../../../compute/agent/queue/worker-blobs.ts";
import { openWeb } from "../../../../../compute/agent/web.ts";
import { CpuDevice } from "../../../../../compute/device/cpu-device.ts";

const [, , address = "", name = "", folder = "", home = "", mode = ""] = process.argv;
const store = await BlobStore.open(folder);
const blobs = new WorkerBlobs({ blobs: new StoredBlobs(store, {}, openWeb), home, token: "shared word" });
const device = new CpuDevice(undefined, { threads: 1 });
const local = new LocalRunner({ device, reference: device, blobs, random: randomBytes });
const stuck: SegmentRunner = {
  ...{ open: local.open.bind(local), inputs: local.inputs.bind(local) },
  run: () => {
    process.stdout.write("taken\n");
    return new Promise(() => undefined);
  },
};
const worker = new QueueWorker({
  ...{ connection: queueConnection(address), name, lockMilliseconds: 1_000, blobs },
  runner: mode === "stuck" ? stuck : local,
  onProblem: (error) => process.stderr.write(`${error.message}\n`),
});
await worker.ready();
process.stdout.write("ready\n");
