import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that are gone when `remove` has run. */
export class TemporaryFolders {
  readonly #paths: string[] = [];

  /** The path of a folder that does not exist yet. */
  next(): string {
    const path = mkdtempSync(join(tmpdir(), "ogpu-store-"));
    this.#paths.push(path);
    return join(path, "db");
  }

  remove(): void {
    for (const path of this.#paths.splice(0)) rmSync(path, { recursive: true, force: true });
  }
}
