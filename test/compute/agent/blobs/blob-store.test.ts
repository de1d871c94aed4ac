import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import { BlobStore, type BlobStoreOptions } from "../../../../compute/agent/blobs/blob-store.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";
import { sameBytes } from "../../support/inputs.ts";

const folders = new TemporaryFolders();
const open: BlobStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  folders.remove();
});

const prng = new Prng("blob store");

async function openStore(options: BlobStoreOptions = {}, folder: string = folders.next()): Promise<BlobStore> {
  const store = await BlobStore.open(folder, options);
  open.push(store);
  return store;
}

function addressOf(contents: Uint8Array): Hex {
  return bytesToHex(contentAddress(contents));
}

async function bring(store: BlobStore, contents: Uint8Array, owner: string): Promise<Hex> {
  const upload = await store.upload(addressOf(contents), contents.length, owner);
  await upload.write(contents.subarray(upload.offset));
  await upload.finish();
  return upload.address;
}

describe("a blob store", () => {
  it("gives back what was put, whole and in parts, also after it was opened again", async () => {
    const folder = folders.next();
    const first = await BlobStore.open(folder);
    const contents = [0, 1, 1_024, 700_001].map((length) => prng.bytes(length));
    for (const bytes of contents) expect(await first.put(bytes, "mine")).toBe(addressOf(bytes));
    await first.close();
    const store = await openStore({}, folder);
    for (const bytes of contents) sameBytes(await store.read(addressOf(bytes)), bytes);
    const [last] = contents.slice(-1) as [Uint8Array];
    const parts: Uint8Array[] = [];
    for await (const piece of store.pieces(addressOf(last), 1_000, 600_000)) parts.push(piece);
    sameBytes(Buffer.concat(parts), last.subarray(1_000, 600_000));
    expect(store.bytes).toBe(700_001 + 1_024 + 1);
  });

  it("is one process's at a time", async () => {
    const folder = folders.next();
    await openStore({}, folder);
    await expect(BlobStore.open(folder)).rejects.toMatchObject({ code: "BLOB_STORE" });
  });

  it("refuses bytes that the address does not name, and leaves nothing of them", async () => {
    const folder = folders.next();
    const store = await openStore({}, folder);
    const wanted = addressOf(prng.bytes(5_000));
    const upload = await store.upload(wanted, 5_000, "a");
    await upload.write(prng.bytes(5_000));
    await expect(upload.finish()).rejects.toMatchObject({ code: "BLOB_MISMATCH" });
    expect(store.has(wanted)).toBe(false);
    expect(await readdir(join(folder, "parts"))).toEqual([]);
  });

  it("resumes an upload where it stopped, even after a restart, and mixes no two owners' bytes", async () => {
    const folder = folders.next();
    const first = await BlobStore.open(folder);
    const contents = prng.bytes(600_000);
    const begun = await first.upload(addressOf(contents), contents.length, "a");
    await begun.write(contents.subarray(0, 300_001));
    const other = await first.upload(addressOf(contents), contents.length, "b");
    expect(other.offset).toBe(0);
    await other.write(prng.bytes(10));
    await first.close();
    const store = await openStore({}, folder);
    const resumed = await store.upload(addressOf(contents), contents.length, "a");
    expect(resumed.offset).toBe(300_001);
    await resumed.write(contents.subarray(300_001));
    await resumed.finish();
    sameBytes(await store.read(addressOf(contents)), contents);
  });

  it("holds every owner to its quota, uploads under way included, and makes room at that owner's cost alone", async () => {
    const store = await openStore({ limits: { ownerBytes: 3_000 } });
    const theirs = await bring(store, prng.bytes(2_000), "b");
    const old = await bring(store, prng.bytes(1_000), "a");
    const pinned = await bring(store, prng.bytes(1_000), "a");
    await store.pin(pinned, "job 1");
    await bring(store, prng.bytes(1_500), "a");
    expect([store.has(old), store.has(pinned), store.has(theirs)]).toEqual([false, true, true]);
    const wide = prng.bytes(2_000);
    const begun = await store.upload(addressOf(wide), wide.length, "a");
    await expect(bring(store, prng.bytes(100), "a")).rejects.toMatchObject({ code: "BLOB_QUOTA" });
    await begun.abandon();
    await bring(store, prng.bytes(100), "a");
  });

  it("holds all together to the total, and strangers push out nothing of the operator's", async () => {
    const store = await openStore({ limits: { totalBytes: 4_000 } });
    const own = await store.put(prng.bytes(2_000));
    const stranger = await bring(store, prng.bytes(1_500), "a");
    const next = await bring(store, prng.bytes(2_000), "b");
    expect([store.has(own), store.has(stranger), store.has(next)]).toEqual([true, false, true]);
    await expect(bring(store, prng.bytes(2_001), "c")).rejects.toMatchObject({ code: "BLOB_QUOTA" });
    await expect(store.put(prng.bytes(4_001))).rejects.toMatchObject({ code: "BLOB_QUOTA" });
    await store.put(prng.bytes(3_000));
    expect(store.bytes).toBeLessThanOrEqual(4_000);
  });

  it("collects what nobody pinned or used for long, and nothing else", async () => {
    let now = 1_000_000;
    const store = await openStore({ now: () => now, limits: { keptMilliseconds: 100 } });
    const [loose, pinned, used] = [
      await store.put(prng.bytes(10)),
      await store.put(prng.bytes(20), "x"),
      await store.put(prng.bytes(30)),
    ];
    now += 90;
    await store.read(used);
    now += 20;
    expect(await store.collect()).toBe(10);
    expect([store.has(loose), store.has(pinned), store.has(used)]).toEqual([false, true, true]);
    await store.unpin(pinned, "x");
    now += 200;
    expect(await store.collect()).toBe(50);
  });

  it("bounds uploads under way and blobs, and refuses what is too long", async () => {
    const store = await openStore({ limits: { ownerUploads: 2, uploads: 3, blobBytes: 5_000 } });
    const begin = (owner: string): Promise<unknown> => {
      const contents = prng.bytes(100);
      return store.upload(addressOf(contents), 100, owner);
    };
    await begin("a");
    await begin("a");
    await expect(begin("a")).rejects.toMatchObject({ code: "BLOB_BUSY" });
    await begin("b");
    await expect(begin("c")).rejects.toMatchObject({ code: "BLOB_BUSY" });
    await expect(store.upload(addressOf(prng.bytes(3)), 5_001, "d")).rejects.toMatchObject({ code: "BLOB_TOO_LARGE" });
  });
});
