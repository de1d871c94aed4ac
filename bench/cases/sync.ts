/**
 * Catching up: a snapshot of many accounts from serving to import (with the wire's encoding, proofs and files, in one
 * process on one thread), and blocks of transfers from their bytes to the disk.
 *
 * Beside the snapshot: copying the same number of bytes from file to file with a SHA-256 of each piece. An account is
 * 45 bytes on the way, and eight hashes, four records and a place in the tree at its end, so this is no race but a
 * measure of distance. Beside the blocks: one core recovering the senders of the same transfers and nothing else.
 */
import { equalBytes } from "../../base/bytes.ts";
import { recoverAddress } from "../../base/secp256k1.ts";
import { SenderPool } from "../../chain/senders/sender-pool.ts";
import type { ChainStore } from "../../chain/store/chain-store.ts";
import { decodeTransaction, signingHash } from "../../vm/transaction/transaction.ts";
import type { BenchCase, BenchResult, Measurement } from "../case.ts";
import { interleave, median } from "../interleave.ts";
import { withScratchFolder } from "../scratch.ts";
import { type Fetched, fetchSnapshot } from "../sync/fetch-snapshot.ts";
import { openSnapshot } from "../sync/large-snapshot.ts";
import { copyHashed, writeSample } from "../sync/plain-copy.ts";
import { encodedBlocks, replayBlocks } from "../sync/replay-blocks.ts";
import { openChain, processBlocks } from "../transfers/our-chain.ts";
import { makeWorkload, type Workload } from "../transfers/workload.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  /** In the snapshot. */
  readonly accounts: number;
  readonly blocks: number;
  readonly transfersPerBlock: number;
}

export const benchCase: BenchCase<Params> = {
  name: "sync",
  description: "a snapshot from peer to state on disk, and blocks replayed, beside a hashed copy and sender recovery",
  sizes: {
    smoke: { rounds: 1, accounts: 2_000, blocks: 4, transfersPerBlock: 10 },
    full: { rounds: 5, accounts: 200_000, blocks: 300, transfersPerBlock: 50 },
  },
  run,
};

function run(params: Params): Promise<BenchResult> {
  return withScratchFolder(async (folder) => {
    const snapshot = await measureSnapshot(params, `${folder}/snapshot`);
    const blocks = await measureBlocks(params, `${folder}/blocks`);
    return {
      measurements: [...snapshot.measurements, ...blocks.measurements],
      comparisons: [...snapshot.comparisons, ...blocks.comparisons],
      agreed: snapshot.agreed === true && blocks.agreed === true,
    };
  });
}

async function measureSnapshot({ rounds, accounts }: Params, folder: string): Promise<BenchResult> {
  const origin = await openSnapshot(`${folder}/origin`, accounts);
  const fetched: Fetched[] = [];
  const sample = `${folder}/sample`;
  // As many bytes as the accounts take on the way.
  await writeSample(sample, accounts * 45);
  const rates = await interleave(rounds, [
    {
      name: "snapshot",
      prepare: async () => void (await fetched.at(-1)?.store.close()),
      run: async () => {
        fetched.push(await fetchSnapshot(origin, `${folder}/${fetched.length}`));
        return fetched.at(-1)?.bytes ?? 0;
      },
    },
    { name: "copy", run: () => copyHashed(sample, `${folder}/copy`) },
  ]);
  const agreed = fetched.every(({ store }) => isSameHead(store, origin));
  await fetched.at(-1)?.store.close();
  await origin.close();
  const mid = (name: string, unit: string, value: (one: Fetched) => number): Measurement => ({
    name,
    value: median(fetched.slice(1).map(value)),
    unit,
  });
  return {
    measurements: [
      { name: "snapshot, peer to disk", value: rates.rate("snapshot") / 1e6, unit: "MB/s" },
      mid("snapshot, peer to disk", "accounts/s", (one) => one.leaves / (one.fetchSeconds + one.importSeconds)),
      mid("fetching, with proofs", "accounts/s", (one) => one.leaves / one.fetchSeconds),
      mid("importing", "accounts/s", (one) => one.leaves / one.importSeconds),
      { name: "hashed copy", value: rates.rate("copy") / 1e6, unit: "MB/s" },
    ],
    comparisons: [
      { name: "snapshot / hashed copy", ratio: rates.ratio("snapshot", "copy"), target: { atLeast: 0.005 } },
    ],
    agreed,
  };
}

async function measureBlocks(params: Params, folder: string): Promise<BenchResult> {
  const { rounds, transfersPerBlock } = params;
  const workload = makeWorkload({ ...params, accounts: 1_000 });
  const pool = new SenderPool();
  const origin = await openChain(`${folder}/origin`, workload);
  await processBlocks(origin, pool, workload);
  const blocks = encodedBlocks(origin);
  let store: ChainStore | undefined;
  let round = 0;
  const rates = await interleave(rounds, [
    {
      name: "replay",
      prepare: async () => {
        await store?.close();
        store = await openChain(`${folder}/${round++}`, workload);
      },
      run: async () => (await replayBlocks(store as ChainStore, pool, blocks)) * transfersPerBlock,
    },
    { name: "recover", run: recoverOnOneCore(workload) },
  ]);
  const agreed = store !== undefined && isSameHead(store, origin);
  await Promise.all([store?.close(), origin.close(), pool.close()]);
  return {
    measurements: [
      {
        name: `blocks of ${transfersPerBlock} replayed`,
        value: rates.rate("replay") / transfersPerBlock,
        unit: "blocks/s",
      },
      { name: "transfers replayed", value: rates.rate("replay"), unit: "transfers/s" },
      { name: "one core, recovery alone", value: rates.rate("recover"), unit: "transfers/s" },
    ],
    comparisons: [
      { name: "replay / recovery on one core", ratio: rates.ratio("replay", "recover"), target: { atLeast: 0.35 } },
    ],
    agreed,
  };
}

function isSameHead(store: ChainStore, origin: ChainStore): boolean {
  const [ours, theirs] = [store.head, origin.head];
  return ours !== undefined && theirs !== undefined && equalBytes(ours.hash, theirs.hash);
}

/** Everything but recovery is done beforehand. */
function recoverOnOneCore({ blocks }: Workload): () => number {
  const signed = blocks.flat().map((raw) => {
    const transaction = decodeTransaction(raw);
    return { hash: signingHash(transaction), r: transaction.r, s: transaction.s, yParity: transaction.yParity };
  });
  return () => {
    for (const { hash, r, s, yParity } of signed) recoverAddress(hash, r, s, yParity);
    return signed.length;
  };
}
