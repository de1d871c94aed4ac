import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import { StoredBlobs } from "../../../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../../../compute/agent/blobs/blob-store.ts";
import type { SegmentRunner, SegmentTask } from "../../../../compute/agent/provider/segment-runner.ts";
import { QueueRunner } from "../../../../compute/agent/queue/queue-runner.ts";
import { queueConnection } from "../../../../compute/agent/queue/queue-settings.ts";
import { QueueWorker } from "../../../../compute/agent/queue/queue-worker.ts";
import { ownerByToken } from "../../../../compute/agent/queue/worker-token.ts";
import { decodeTileInputs } from "../../../../compute/agent/tiles/tile-inputs-codec.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import { launchLeaf } from "../../../../compute/program/commitment.ts";
import { contentAddress, verifyLeaf } from "../../../../compute/program/merkle.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";
import { randomInputs } from "../../support/inputs.ts";
import { mixProgram } from "../../support/sample-programs.ts";
import { hasRedis, startRedis } from "./support/redis.ts";

const WORKER = fileURLToPath(
  new URL("../../../../dist/test/compute/agent/queue/support/worker-process.js", import.meta.url),
);
const folders = new TemporaryFolders();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  folders.remove();
});

const never = new AbortController().signal;

/** The agent's part: blobs that workers reach, and the queue. */
async function agent(
  address: string,
): Promise<{ runner: QueueRunner; blobs: StoredBlobs; store: BlobStore; home: string }> {
  const store = await BlobStore.open(folders.next());
  ends.push(() => store.close());
  const blobs = new StoredBlobs(store, { ownerOf: ownerByToken("shared word") }, openWeb);
  const server = createServer((request, response) => blobs.serve(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const runner = new QueueRunner({ connection: queueConnection(address), name: "ogpu-test", blobs, home });
  ends.push(() => runner.close());
  return { runner, blobs, store, home };
}

async function worker(address: string, home: string, mode = ""): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER, address, "ogpu-test", folders.next(), home, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill("SIGKILL"));
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

async function workOn(blobs: StoredBlobs): Promise<{ task: SegmentTask; outputs: readonly Hex[] }> {
  const program = mixProgram(128, 7);
  const contents = randomInputs(program, new Prng("queue"), "numbers");
  const checked = checkProgram(program);
  const result = runProgram(checked, new WasmEngine(checked), contents);
  if (result.kind === "trap") throw new Error("nothing traps here");
  const inputs: Hex[] = [];
  for (const bytes of contents.values()) inputs.push(await blobs.put(bytes));
  const address = await blobs.put(encodeProgram(program));
  const seed: Hex = `0x${"5e".repeat(32)}`;
  return {
    task: { job: "3", segment: 0, first: 0, end: 8, program: address, inputs, checkpoint: null, seed, places: [] },
    outputs: [...result.outputs.values()].map((bytes) => bytesToHex(contentAddress(bytes))),
  };
}

if (!hasRedis) process.stderr.write("queue: skipped, there is no redis-server on this machine\n");

describe.runIf(hasRedis)("a queue of segments", () => {
  it("gives them to workers, who bring results home and open what others ran", async () => {
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const { runner, blobs, store, home } = await agent(redis.address);
    await worker(redis.address, home);
    await worker(redis.address, home);
    const { task, outputs } = await workOn(blobs);
    const { commitment } = await runner.run(task, () => undefined, never);
    expect(commitment.outputs).toEqual(outputs);
    expect(store.entry(outputs[0] as Hex)).toMatchObject({ owner: "", pins: ["own"] });
    const [opening] = await runner.open(task, [{ launch: 5, tile: 1 }], never);
    if (opening === undefined) throw new Error("the place was opened");
    const root = Buffer.from(commitment.segmentRoot.slice(2), "hex");
    expect(verifyLeaf(root, launchLeaf(5, opening.outcome), opening.proof)).toBe(true);
    const inputs = decodeTileInputs(await runner.inputs(task, { launch: 5, tile: 1 }, never));
    expect(inputs.buffers.length).toBeGreaterThan(0);
    // What goes through the queue is plain: a place with more in it, as seats have, does no harm.
    const seat = { seat: 3, launch: 5, tile: 1 };
    expect((await runner.open(task, [seat], never))[0]?.tiles.length).toBe(1);
    // An agent that starts again asks for the same and gets the same, without another run.
    const again = await agent(redis.address);
    expect((await again.runner.run(task, () => undefined, never)).commitment).toEqual(commitment);
  });

  it("loses none when the worker that has it is killed: another one takes it", async () => {
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const { runner, blobs, home } = await agent(redis.address);
    const { task, outputs } = await workOn(blobs);
    const doomed = await worker(redis.address, home, "stuck");
    const result = runner.run(task, () => undefined, never);
    await once(doomed.stdout as NodeJS.ReadableStream, "data");
    doomed.kill("SIGKILL");
    await once(doomed, "exit");
    await worker(redis.address, home);
    expect((await result).commitment.outputs).toEqual(outputs);
  });

  it("has what verifiers wait for before segments that were sent earlier", async () => {
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const { runner, blobs } = await agent(redis.address);
    const { task } = await workOn(blobs);
    const connection = queueConnection(redis.address);
    const queue = new Queue("ogpu-test", { connection });
    ends.push(() => queue.close());
    const orders: Promise<unknown>[] = [
      runner.run(task, () => undefined, never),
      runner.run({ ...task, segment: 1 }, () => undefined, never),
    ];
    const queued = (): Promise<number> => queue.getJobCountByTypes("waiting", "prioritized");
    await expect.poll(queued).toBe(2);
    orders.push(runner.open(task, [{ launch: 5, tile: 1 }], never));
    await expect.poll(queued).toBe(3);
    const done: string[] = [];
    const scripted = {
      run: () => Promise.resolve(done.push("run")),
      open: () => Promise.resolve([done.push("open")]),
      inputs: () => Promise.reject(new Error("nobody asks")),
    } as unknown as SegmentRunner;
    const own = new QueueWorker({
      ...{ connection, name: "ogpu-test", runner: scripted, blobs, onProblem: () => undefined },
    });
    ends.push(() => own.close());
    await Promise.all(orders);
    expect(done).toEqual(["open", "run", "run"]);
  });

  it("tells the agent what went wrong, with its code, and does not try what cannot be done", async () => {
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const { runner, blobs, home } = await agent(redis.address);
    await worker(redis.address, home);
    const { task } = await workOn(blobs);
    const [input] = task.inputs;
    const wrong = { ...task, inputs: [await blobs.put(new Uint8Array(3))] };
    expect(input).toBeDefined();
    await expect(runner.run(wrong, () => undefined, never)).rejects.toMatchObject({ code: "JOB_REFUSED" });
  });
});

describe("an address of a queue", () => {
  it("is read with all its parts, and refused when it is none", () => {
    expect(queueConnection("rediss://me:a%2Fb@[::1]:6380/2")).toEqual({
      ...{ host: "::1", port: 6380, username: "me", password: "a/b", db: 2, tls: {}, maxRetriesPerRequest: null },
    });
    for (const text of ["", "http://a", "redis://", "redis:///1", "redis://a/x", "nonsense"]) {
      expect(() => queueConnection(text)).toThrow(expect.objectContaining({ code: "QUEUE_FAILED" }));
    }
  });
});
