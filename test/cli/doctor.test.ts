import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDisk, checkRoom, checkSync } from "../../cli/doctor/disk-checks.ts";
import { checkKeys } from "../../cli/doctor/key-checks.ts";
import {
  checkClockService,
  checkMemory,
  checkNativeCode,
  checkNode,
  checkOpenFiles,
} from "../../cli/doctor/machine-checks.ts";
import { checkStatus, nodeStatus } from "../../cli/doctor/node-checks.ts";
import { checkPort } from "../../cli/doctor/port-checks.ts";

const GIB = 2 ** 30;
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-doctor-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the machine", () => {
  it.each([
    ["20.18.3", "fault"],
    ["18.20.0", "fault"],
    ["20.19.0", "ok"],
    ["24.1.0", "ok"],
  ])("Node.js %s is %s", (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });

  it("says what runs without native code", () => {
    expect(checkNativeCode({ signatures: "native", hashes: "native" }).state).toBe("ok");
    expect(checkNativeCode({ signatures: "portable", hashes: "native" })).toMatchObject({
      state: "look",
      found: expect.stringContaining("signatures run in JavaScript"),
    });
  });

  it.each([
    [GIB / 2, "fault"],
    [2 * GIB, "look"],
    [16 * GIB, "ok"],
  ])("%d bytes of memory are %s", (bytes, state) => {
    expect(checkMemory(bytes, 2).state).toBe(state);
  });

  it.each([
    ["Max open files            1024                 4096                 files", "look"],
    ["Max open files            unlimited            unlimited            files", "ok"],
    ["Max open files            65536                65536                files", "ok"],
    ["", "skipped"],
  ])("limits %j are %s", (limits, state) => {
    expect(checkOpenFiles(limits).state).toBe(state);
  });

  it.each([
    ["yes\n", "ok"],
    ["no\n", "look"],
    [undefined, "skipped"],
  ])("a time service that says %j is %s", (answer, state) => {
    expect(checkClockService(answer).state).toBe(state);
  });
});

describe("the disk", () => {
  it("is judged by its room and by how long a sync takes", () => {
    expect([GIB / 2, 5 * GIB, 50 * GIB].map((room) => checkRoom(room).state)).toEqual(["fault", "look", "ok"]);
    expect([0.3, 40].map((sync) => checkSync(sync).state)).toEqual(["ok", "look"]);
  });

  it("is looked at where the folder would be, and nothing is left behind", async () => {
    const findings = await checkDisk(join(folder, "not", "there"));
    expect(findings.map(({ subject }) => subject)).toEqual(["disk room", "disk sync"]);
    expect(await checkDisk("/proc/here")).toMatchObject([{ subject: "data folder", state: "fault" }]);
  });
});

describe("ports", () => {
  it("are free, taken by others, or ours", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const asked = { subject: "rpc", host: "127.0.0.1", port, option: "--rpc-port" };
    expect(await checkPort(asked, false)).toMatchObject({
      state: "look",
      advice: expect.stringContaining("--rpc-port"),
    });
    expect(await checkPort(asked, true)).toMatchObject({ state: "ok" });
    await new Promise((resolve) => server.close(resolve));
    expect(await checkPort(asked, false)).toMatchObject({ state: "ok", found: "free" });
  });
});

describe("keys", () => {
  it("that are damaged are faults, and none at all is no fault", async () => {
    expect(await checkKeys(join(folder, "none"))).toMatchObject([{ state: "skipped" }]);
    writeFileSync(join(folder, "broken.json"), "{");
    chmodSync(join(folder, "broken.json"), 0o600);
    expect(await checkKeys(folder)).toMatchObject([{ subject: "key broken", state: "fault" }]);
  });
});

describe("the node", () => {
  const status = {
    network: "devnet",
    role: "validator",
    peers: 3,
    development: false,
    head: { number: "0x10", milliseconds: 1_000_000 },
  };
  const states = (now: number, changes: object = {}): readonly string[] =>
    checkStatus({ ...status, ...changes }, now).map(({ state }) => state);

  it("is judged by its peers, the age of its last block and the clock", () => {
    expect(states(1_005_000)).toEqual(["ok", "ok", "ok"]);
    expect(states(1_005_000, { peers: 0 })).toEqual(["ok", "fault", "ok"]);
    expect(states(1_005_000, { peers: 0, development: true })).toEqual(["ok", "look", "ok"]);
    expect(states(1_200_000)).toEqual(["ok", "ok", "look"]);
    expect(states(990_000)).toEqual(["ok", "ok", "fault"]);
  });

  it("that does not run is no fault", async () => {
    expect(await nodeStatus("http://127.0.0.1:1")).toMatchObject({ state: "skipped" });
  });
});
