import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LogFile } from "../../../cli/devnet/log-file.ts";

it("goes on at the end of its file, and begins a new one when that is large", () => {
  const root = mkdtempSync(join(tmpdir(), "ogpu-log-"));
  const path = join(root, "node.log");
  try {
    for (const line of ["one\n", "two\n"]) {
      const log = new LogFile(path);
      log.write(line);
      log.close();
    }
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    const log = new LogFile(path, 10);
    log.write("three\n");
    log.write("four\n");
    log.close();
    expect(readFileSync(`${path}.old`, "utf8")).toBe("one\ntwo\nthree\n");
    expect(readFileSync(path, "utf8")).toBe("four\n");
  } finally {
    rmSync(root, { recursive: true });
  }
});
