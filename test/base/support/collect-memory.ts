/** Collects memory now, as it happens at any moment: what nobody refers to is gone after it. */
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

export async function collectMemory(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await turn();
    collect();
  }
}
