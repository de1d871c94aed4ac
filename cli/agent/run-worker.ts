/** One of a provider's workers in this process: takes segments from the provider's queue and brings results home. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { parseAddress } from "../../base/address.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { StoredBlobs } from "../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../compute/agent/blobs/blob-store.ts";
import { LocalRunner } from "../../compute/agent/provider/local-runner.ts";
import { queueConnection, queueName } from "../../compute/agent/queue/queue-settings.ts";
import { QueueWorker } from "../../compute/agent/queue/queue-worker.ts";
import { WorkerBlobs } from "../../compute/agent/queue/worker-blobs.ts";
import { webAccess } from "../../compute/agent/web.ts";
import type { Device } from "../../compute/device/device.ts";
import { selfTest } from "../../compute/device/self-test.ts";
import { makeFolder } from "../make-folder.ts";

export interface WorkerSetup {
  /** Of the queue. */
  readonly queue: string;
  readonly token: string;
  /** The provider's account. */
  readonly provider: string;
  /** The provider's base URL. */
  readonly home: string;
  readonly dataDir: string;
  /** Asks those too who registered an address of an internal network. */
  readonly allowInternal: boolean;
  readonly device: Device;
  /** The engine that defines results. */
  readonly reference: Device;
  progress(text: string): void;
  tell(text: string): void;
}

/** Milliseconds between two looks for blobs that nobody needs any more. */
const COLLECT_MILLISECONDS = 600_000;

/** Until the signal. Throws DEVICE_WRONG, QUEUE_FAILED. */
export async function runWorker(setup: WorkerSetup, signal: AbortSignal): Promise<void> {
  const { device, reference, home, token } = setup;
  const name = queueName(bytesToHex(parseAddress(setup.provider)));
  const connection = queueConnection(setup.queue);
  await checkDevice(setup, signal);
  await makeFolder(setup.dataDir);
  const store = await BlobStore.open(join(setup.dataDir, "blobs"));
  const timer = setInterval(() => void store.collect().catch(() => undefined), COLLECT_MILLISECONDS);
  const web = webAccess({ trusted: [home], internal: setup.allowInternal });
  const blobs = new WorkerBlobs({ blobs: new StoredBlobs(store, {}, web), home, token });
  const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));
  const runner = new LocalRunner({ device, reference, blobs, random });
  const worker = new QueueWorker({ connection, name, runner, blobs, onProblem: ({ message }) => setup.tell(message) });
  try {
    await worker.ready();
    setup.tell(`worker of ${setup.provider}: ${device.name}`);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    clearInterval(timer);
    await worker.close();
    await store.close();
  }
}

async function checkDevice({ device, progress }: WorkerSetup, signal: AbortSignal): Promise<void> {
  for await (const { kernel, same, problem } of selfTest(device)) {
    signal.throwIfAborted();
    progress(`self-test: ${kernel}`);
    if (same) continue;
    throw new CodedError(
      "DEVICE_WRONG",
      `${device.name} does not compute ${kernel} to the bit: ${problem ?? "other bits"}`,
      {
        hint: "See: ogpu compute selftest",
      },
    );
  }
}
