import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { type BlockHeader, hashHeader } from "../../../chain/blocks/header.ts";
import { buildGenesisBlock } from "../../../chain/genesis-block.ts";
import { finalBase } from "../../../chain/runtime/final-blocks.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { importState } from "../../../chain/store/import-state.ts";
import { clusterSpec } from "./support/cluster.ts";

const spec = clusterSpec(4, { epochBlocks: 3600 });
const { header: genesis, executed } = buildGenesisBlock(spec);
let folder = "";
let store: ChainStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-final-base-"));
  const chain = { chainId: spec.chainId, genesisHash: hashHeader(genesis) };
  store = await ChainStore.open(folder, { chain, forImport: true });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it("is genesis in a new store", async () => {
  await store.commit({ header: genesis, hash: hashHeader(genesis), executed });
  const { final, epoch, certificate } = finalBase(store, spec);
  expect(final.hash).toBe(bytesToHex(hashHeader(genesis)));
  expect(epoch.root.hash).toBe(final.hash);
  expect(certificate).toBeUndefined();
});

it("has genesis as the root of the first epoch also after a snapshot, which does not bring it", async () => {
  await store.commit({ header: genesis, hash: hashHeader(genesis), executed });
  const expected = finalBase(store, spec).epoch;
  await store.close();
  const other = join(folder, "late");
  store = await ChainStore.open(other, {
    chain: { chainId: spec.chainId, genesisHash: hashHeader(genesis) },
    forImport: true,
  });
  const header = (stateRoot: Uint8Array): BlockHeader => {
    return { ...genesis, number: 1_000n, stateRoot, extra: { ...genesis.extra, view: 1_007 } };
  };
  await importState(store, { items: [], header });
  const { final, epoch } = finalBase(store, spec);
  expect(final.height).toBe(1_000);
  expect(epoch).toEqual(expected);
});
