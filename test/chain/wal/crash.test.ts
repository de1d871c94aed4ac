import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { ConsensusLog } from "../../../chain/wal/consensus-log.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { contentOf, IDENTITY, sampleCodec } from "./support/sample-records.ts";

const WRITER = fileURLToPath(new URL("../../../dist/test/chain/wal/support/crash-writer.js", import.meta.url));
const KILLS = 8;

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

/** Runs the writer and kills it after so many reports. Returns the last position it reported as durable. */
async function writeUntilKilled(folder: string, padding: number, reports: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, String(padding)], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (text) => {
    output += text;
    if (output.split("\n").length > reports) child.kill("SIGKILL");
  });
  child.stderr.on("data", (text) => {
    errors += text;
  });
  await once(child, "close");
  expect(errors).toBe("");
  // A line that was cut off by the kill says nothing.
  const lines = output.slice(0, output.lastIndexOf("\n")).split("\n");
  return Number(lines.at(-1));
}

describe.each([0, 4000])("a node killed at any moment, with records of %i bytes and more", (padding) => {
  it("has every vote that it was told is durable, up to the last replacement", async () => {
    const folder = folders.next();
    await ConsensusLog.create(folder, IDENTITY);
    const prng = new Prng(`kills ${padding}`);
    for (let kill = 0; kill < KILLS; kill++) {
      const reported = await writeUntilKilled(folder, padding, 1 + prng.below(400));
      const codec = sampleCodec(padding);
      const { log, records, floor } = await ConsensusLog.open(folder, {
        ...{ codec, identity: IDENTITY },
        onFailure: (error) => expect.unreachable(error.message),
      });
      await log.close();
      const views = records.map((record) => contentOf(record).view);
      expect(views.at(-1)).toBeGreaterThanOrEqual(reported);
      // Everything that was ever signed is in the log, or below its floor.
      expect(views).toEqual(views.map((_, index) => floor.view + 1 + index));
    }
  });
});
