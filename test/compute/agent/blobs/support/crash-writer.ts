/** Puts blobs into a folder for ever, and says the address of each that is acknowledged. */
import { Prng } from "../../../../../base/prng.ts";
import { BlobStore } from "../../../../../compute/agent/blobs/blob-store.ts";

const [, , folder = "", seed = ""] = process.argv;
const store = await BlobStore.open(folder);
const prng = new Prng(seed);
for (;;) {
  const contents = new Uint8Array(1 + prng.below(3_000_000));
  contents.set(prng.bytes(64).subarray(0, contents.length));
  const address = await store.put(contents, "own");
  process.stdout.write(`${address}\n`);
}
