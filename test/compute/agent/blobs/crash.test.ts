import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { BlobStore } from "../../../../compute/agent/blobs/blob-store.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";

const WRITER = fileURLToPath(
  new URL("../../../../dist/test/compute/agent/blobs/support/crash-writer.js", import.meta.url),
);
const KILLS = 5;

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

async function putUntilKilled(folder: string, seed: string): Promise<readonly Hex[]> {
  const child = spawn(process.execPath, [WRITER, folder, seed], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  await sleep(Math.random() * 150);
  child.kill("SIGKILL");
  await ended;
  return output
    .slice(0, output.lastIndexOf("\n") + 1)
    .trim()
    .split("\n") as Hex[];
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const paths = await readdir(join(folder, "data"), { recursive: true });
  const files: string[] = [];
  for (const path of paths) if ((await stat(join(folder, "data", path))).isFile()) files.push(path.slice(-66));
  return files;
}

describe("blobs after a kill", () => {
  it("are all there that were acknowledged, whole, and none that is not", async () => {
    const folder = folders.next();
    const acknowledged = new Set<Hex>();
    for (let kill = 0; kill < KILLS; kill++) {
      for (const address of await putUntilKilled(folder, `kill ${kill}`)) acknowledged.add(address);
      const store = await BlobStore.open(folder);
      for (const address of acknowledged) {
        const contents = await store.read(address);
        expect(contents && bytesToHex(contentAddress(contents))).toBe(address);
        expect(store.entry(address)?.pins).toEqual(["own"]);
      }
      let bytes = 0;
      for (const file of await filesOf(folder)) bytes += store.entry(file as Hex)?.bytes ?? Number.NaN;
      expect(store.bytes).toBe(bytes);
      await store.close();
    }
    expect(acknowledged.size).toBeGreaterThan(KILLS - 1);
  });
});
