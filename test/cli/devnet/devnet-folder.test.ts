import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DevnetFolder, type DevnetState } from "../../../cli/devnet/devnet-folder.ts";
import { networkSpec } from "../../../genesis/networks.ts";

const STATE: DevnetState = {
  version: 1,
  validators: [{ p2pPort: 20_001, rpcPort: 8_545, hasStarted: 1 }],
  providerPorts: [],
};
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ogpu-folder-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function opened<Result>(use: (folder: DevnetFolder) => Promise<Result>, mayDelete = false): Promise<Result> {
  const folder = await DevnetFolder.open(directory, mayDelete);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

describe("a devnet's folder", () => {
  it("remembers the spec and the ports", async () => {
    expect(await opened((folder) => folder.load())).toBeUndefined();
    await opened((folder) => folder.create(networkSpec("devnet"), STATE));
    expect(await opened((folder) => folder.load())).toEqual({ spec: networkSpec("devnet"), state: STATE });
  });

  it("belongs to one process at a time", async () => {
    await opened(async () => {
      await expect(DevnetFolder.open(directory, true)).rejects.toMatchObject({ code: "DEVNET_RUNNING" });
    });
    await opened(async () => undefined);
  });

  it("is emptied of what a devnet made, and of nothing else", async () => {
    await opened(async (folder) => {
      await folder.create(networkSpec("devnet"), STATE);
      mkdirSync(folder.validatorFolder(0));
      writeFileSync(folder.logPath(0), "log");
      writeFileSync(join(directory, "notes.txt"), "mine");
      await folder.clear();
      expect(readdirSync(directory).sort()).toEqual(["lock", "notes.txt"]);
    });
  });

  it("is not one with other files in it", async () => {
    writeFileSync(join(directory, "thesis.txt"), "years of work");
    await expect(DevnetFolder.open(directory, true)).rejects.toMatchObject({ code: "DEVNET_FOREIGN_FILES" });
    expect(readdirSync(directory)).toEqual(["thesis.txt"]);
  });

  it("of an earlier version is deleted on request only", async () => {
    for (const name of ["CURRENT", "MANIFEST-000001", "000003.log"]) writeFileSync(join(directory, name), "");
    await expect(DevnetFolder.open(directory, false)).rejects.toMatchObject({ code: "DEVNET_EARLIER" });
    await opened((folder) => folder.clear(), true);
    expect(readdirSync(directory)).toEqual(["lock"]);
  });

  it.each(["nonsense", '{"version":2,"validators":[]}', '{"version":1,"validators":[{"p2pPort":-1,"rpcPort":1}]}'])(
    "says so when what it remembers is damaged: %s",
    async (text) => {
      await opened((folder) => folder.create(networkSpec("devnet"), STATE));
      writeFileSync(join(directory, "devnet.json"), text);
      await expect(opened((folder) => folder.load())).rejects.toMatchObject({ code: "DEVNET_DAMAGED" });
    },
  );
});
