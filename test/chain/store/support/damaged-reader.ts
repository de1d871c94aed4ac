/** Reads the stores in the folders that it is given, and prints a line of JSON for each: LevelDB itself may end a process. */
import { readAll } from "./whole-store.ts";

for (const folder of process.argv.slice(2)) {
  process.stdout.write(`${JSON.stringify(await readAll(folder))}\n`);
}
