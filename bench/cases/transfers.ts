/**
 * Transfers from signed bytes to committed state on disk: decode, recover senders on worker threads, execute, hash the
 * state tree, write a synced batch, all overlapping. Half of them are legacy (EIP-155), half EIP-1559; senders and
 * recipients are drawn from one set of accounts, and every block burns fees through the token module.
 *
 * It stands on SenderPool and FinalisedChain, as a node does; what consensus, gossip and RPC add is measured by `load`.
 *
 * Beside it: one core recovering the senders of the same transactions and doing nothing else, which is the limit of a
 * core; and @ethereumjs/vm's runTx on the same transfers, from bytes, in memory.
 */
import { recoverAddress } from "../../base/secp256k1.ts";
import { SenderPool } from "../../chain/senders/sender-pool.ts";
import type { ChainStore } from "../../chain/store/chain-store.ts";
import { decodeTransaction, signingHash } from "../../vm/transaction/transaction.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { withScratchFolder } from "../scratch.ts";
import { executeInMemory, openChain, processBlocks } from "../transfers/our-chain.ts";
import { createPeer, type Peer } from "../transfers/peer.ts";
import { makeWorkload, type Workload } from "../transfers/workload.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly accounts: number;
  readonly blocks: number;
  readonly transfersPerBlock: number;
  /** The peer is so much slower that it gets the first of them only. */
  readonly peerTransfers: number;
}

export const benchCase: BenchCase<Params> = {
  name: "transfers",
  description: "transfers from signed bytes to state on disk, beside one core recovering senders and @ethereumjs/vm",
  sizes: {
    smoke: { rounds: 1, accounts: 50, blocks: 2, transfersPerBlock: 40, peerTransfers: 20 },
    full: { rounds: 5, accounts: 10_000, blocks: 20, transfersPerBlock: 2_000, peerTransfers: 500 },
  },
  run,
};

function run(params: Params): Promise<BenchResult> {
  return withScratchFolder((folder) => measure(params, folder));
}

async function measure(params: Params, folder: string): Promise<BenchResult> {
  const workload = makeWorkload(params);
  const pool = new SenderPool();
  const peer = await createPeer(workload, "default");
  const tunedPeer = await createPeer(workload, "tuned");
  const ourTime = new ProcessorTime();
  const recoveryTime = new ProcessorTime();
  let store: ChainStore | undefined;
  let round = 0;
  const rates = await interleave(params.rounds, [
    {
      name: "ours",
      prepare: async () => {
        await store?.close();
        store = await openChain(`${folder}/${round++}`, workload);
      },
      run: ourTime.around(() => processBlocks(store as ChainStore, pool, workload)),
    },
    { name: "recover", run: recoveryTime.around(recoverOnOneCore(workload)) },
    ...[peer, tunedPeer].map((contestant) => ({
      name: contestant.name,
      prepare: () => contestant.reset(),
      run: () => contestant.run(params.peerTransfers),
    })),
  ]);
  const agreed = (await sameBalances(workload, peer, params)) && (await sameBalances(workload, tunedPeer, params));
  await store?.close();
  await pool.close();
  return {
    measurements: [
      { name: "ours, bytes to disk", value: rates.rate("ours"), unit: "transfers/s" },
      { name: "one core, recovery alone", value: rates.rate("recover"), unit: "transfers/s" },
      { name: "ours, processor time of all threads", value: ourTime.perOperation(), unit: "us/transfer" },
      { name: "recovery, processor time", value: recoveryTime.perOperation(), unit: "us/transfer" },
      { name: "runTx, default", value: rates.rate(peer.name), unit: "transfers/s" },
      { name: "runTx, with caches and our cryptography", value: rates.rate(tunedPeer.name), unit: "transfers/s" },
    ],
    comparisons: [
      { name: "ours / recovery on one core", ratio: rates.ratio("ours", "recover"), target: { atLeast: 0.9 } },
      { name: "ours / runTx", ratio: rates.ratio("ours", peer.name), target: { atLeast: 5 } },
      { name: "ours / runTx tuned", ratio: rates.ratio("ours", tunedPeer.name), target: { atLeast: 2 } },
    ],
    agreed,
  };
}

/**
 * Processor time that all threads of this process spend. Rates on a busy machine say little about a pipeline that
 * wants two cores; this says what it costs wherever it runs. The least over the rounds, since compiling counts too.
 */
class ProcessorTime {
  #least = Number.POSITIVE_INFINITY;

  around(run: () => number | Promise<number>): () => Promise<number> {
    return async () => {
      const before = process.cpuUsage();
      const operations = await run();
      const { user, system } = process.cpuUsage(before);
      this.#least = Math.min(this.#least, (user + system) / operations);
      return operations;
    };
  }

  /** Microseconds. */
  perOperation(): number {
    return this.#least;
  }
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

/** Whether the peer's accounts are ours after the transfers that it ran. */
async function sameBalances(workload: Workload, peer: Peer, { peerTransfers }: Params): Promise<boolean> {
  const state = await executeInMemory(workload, workload.blocks.flat().slice(0, peerTransfers));
  for (const address of workload.addresses) {
    const ours = state.account(address);
    const theirs = await peer.account(address);
    if (ours?.balance !== theirs.balance || ours.nonce !== theirs.nonce) return false;
  }
  return true;
}
