/** Whole providers on a scripted chain, and work for them. They end after each test. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect } from "vitest";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import type { UnsignedProgress } from "../../../../base/progress.ts";
import { StoredBlobs } from "../../../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../../../compute/agent/blobs/blob-store.ts";
import type { ChainPort } from "../../../../compute/agent/ports.ts";
import { LocalRunner } from "../../../../compute/agent/provider/local-runner.ts";
import { type ProviderPolicy, USUAL_POLICY } from "../../../../compute/agent/provider/policy.ts";
import { ProviderAgent } from "../../../../compute/agent/provider/provider-agent.ts";
import type { ProviderEvent } from "../../../../compute/agent/provider/provider-event.ts";
import { ProviderService } from "../../../../compute/agent/provider/provider-service.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { CpuDevice } from "../../../../compute/device/cpu-device.ts";
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import type { Program } from "../../../../compute/program/types.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";
import { randomInputs } from "../../support/inputs.ts";
import { mixProgram } from "../../support/sample-programs.ts";
import { jobView, keyOf, MemoryJournal, roundView, type ScriptedChain } from "./scripted-chain.ts";

const folders = new TemporaryFolders();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  folders.remove();
});

const clock = {
  now: () => Date.now(),
  wait: (milliseconds: number, signal: AbortSignal) => sleep(Math.min(milliseconds, 20), undefined, { signal }),
};

export interface Provider {
  readonly account: Hex;
  readonly port: ChainPort;
  readonly endpoint: string;
  readonly events: ProviderEvent[];
  readonly progress: UnsignedProgress[];
  readonly store: BlobStore;
  stop(): Promise<void>;
}

export interface Home {
  readonly key: Uint8Array;
  readonly folder: string;
  readonly journal: MemoryJournal;
}

export function home(byte: number): Home {
  return { key: keyOf(byte), folder: folders.next(), journal: new MemoryJournal() };
}

/** A whole provider: store, service on a port, agent. */
export async function start(
  chain: ScriptedChain,
  { key, folder, journal }: Home,
  policy: ProviderPolicy = USUAL_POLICY,
): Promise<Provider> {
  const stop = new AbortController();
  const port = chain.port(key);
  const store = await BlobStore.open(folder);
  const blobs = new StoredBlobs(store, {}, openWeb);
  const device = new CpuDevice(undefined, { threads: 1 });
  const runner = new LocalRunner({ device, reference: device, blobs, random: randomBytes });
  const events: ProviderEvent[] = [];
  const progress: UnsignedProgress[] = [];
  const agent = await ProviderAgent.open(
    {
      ...{ chain: port, blobs, journal, clock, runner, web: openWeb, random: randomBytes },
      progress: { report: (record) => progress.push(record) },
      tell: (event) => events.push(event),
    },
    {
      policy,
      device: { id: 1n, tier: 0, region: `0x${"65".repeat(16)}`, speed: 1e9 },
      places: [],
    },
  );
  const service = new ProviderService({ chain: port, blobs, runner, agent, signal: stop.signal });
  const server = createServer((request, response) => service.handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  chain.endpoints.set(port.account, endpoint);
  const running = agent.run(stop.signal);
  let ended = false;
  const end = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    stop.abort(new Error("stopped"));
    await running;
    server.closeAllConnections();
    server.close();
    await sleep(30);
    await store.close();
  };
  ends.push(end);
  return { account: port.account, port, endpoint, events, progress, store, stop: end };
}

export async function until(what: () => boolean, chain?: ScriptedChain): Promise<void> {
  for (let tries = 0; !what(); tries++) {
    if (tries > 10_000) throw new Error(`never: ${what}`);
    await sleep(5);
    if (tries % 20 === 19) chain?.tick();
  }
}

export interface Work {
  readonly program: Program;
  readonly address: Hex;
  readonly inputs: readonly Hex[];
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly outputs: readonly Hex[];
}

export function work(chain: ScriptedChain, seed: string, words = 128): Work {
  const program = mixProgram(words, 7);
  const encoded = encodeProgram(program);
  const address = bytesToHex(contentAddress(encoded));
  chain.programs.set(address, encoded);
  const contents = randomInputs(program, new Prng(seed), "numbers");
  const checked = checkProgram(program);
  const result = runProgram(checked, new WasmEngine(checked), contents);
  if (result.kind === "trap") throw new Error("nothing traps here");
  const inputs = program.buffers.flatMap(({ kind, name }) =>
    kind === "input" ? [bytesToHex(contentAddress(contents.get(name) as Uint8Array))] : [],
  );
  return {
    program,
    address,
    inputs,
    contents,
    outputs: [...result.outputs.values()].map((bytes) => bytesToHex(contentAddress(bytes))),
  };
}

export async function upload(endpoint: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const bytes of contents.values()) {
    const answer = await fetch(`${endpoint}/blobs/${bytesToHex(contentAddress(bytes))}`, {
      method: "PUT",
      body: bytes,
    });
    expect([200, 201]).toContain(answer.status);
  }
}

export const SEAT_KEY: Uint8Array = keyOf(0x77);

/** What the market does with one racer: seals and reveals count, and a round begins. */
export function race(chain: ScriptedChain, { address, inputs, program }: Work, id: bigint, worker: Hex): void {
  const job = jobView({
    id,
    program: address,
    inputs,
    source: 1n,
    racers: [{ worker, sealed: false, revealed: false }],
  });
  chain.jobs.set(id, job);
  const seat = { seat: 0, launch: 5, tile: 2, sealed: true, opened: false, revealed: false, digest: undefined };
  chain.onSend = (_from, action) => {
    if (action.kind === "commitSealed") job.racers = [{ worker, sealed: true, revealed: false }];
    if (action.kind === "reveal") {
      job.racers = [{ worker, sealed: true, revealed: true }];
      Object.assign(job, { status: 4, worker, round: 9n, outputs: action.commitment.outputs });
      const { segmentRoot } = action.commitment;
      const verifier = chain.port(SEAT_KEY).account;
      const seats = [{ ...seat, verifier }];
      chain.rounds.set(9n, roundView(job, { id: 9n, worker, segmentRoot, endLaunch: 8, seats }));
    }
    const round = chain.rounds.get(9n);
    if (action.kind === "open" && round !== undefined) {
      round.seats = round.seats.map((one) => ({ ...one, opened: true }));
      round.phase = "revealing";
    }
    if (action.kind === "publishSeed" && round !== undefined) round.seedPublished = true;
    if (action.kind === "joinSource") chain.members.push({ source: action.source, device: action.device, job: 0n });
    return undefined;
  };
  expect(program.buffers.length).toBe(3);
}
