/**
 * Sustained transfers as clients see them: presigned, from ten accounts, until the last one is final on every node.
 * Single requests over one connection of each account and over four, and batches of 100. With one, ten requests are under
 * way in all, and how long each takes decides; with four, how much work it is does. Beside it, in the same run and under
 * the same load generator, Foundry's anvil with blocks of a second.
 *
 * All share the machine with the load generator, and with nobody else: the verifiers of a devnet, which ask their nodes
 * three questions after every block, are left out. Four validators do the work of one four times, and agree on it. What is
 * compared is what goes on: each has taken as many before, because compiling the hot functions of a node that has
 * just started takes seconds of processor time, once. How fast it took those is told too. Contestants at the same pace
 * follow each other at once, because machines change their speed from one minute to the next. Anvil has the last transfers
 * with the block that ends their second: were each round to begin with a second, it would lose nearly nothing or nearly a
 * whole second in all of them, so each begins at another part of one. Processor time of all processes is told besides: on a
 * machine that does other things too it says more than the clock.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { BenchCase, BenchResult } from "../case.ts";
import { median } from "../interleave.ts";
import { type RunningChain, startAnvil } from "../network/anvil.ts";
import { rpc } from "../network/http-client.ts";
import { startDevnet } from "../network/our-network.ts";
import { processorSeconds } from "../network/processor-time.ts";
import {
  type LoadResult,
  type Pace,
  runLoad,
  signLoad,
  splitLoad,
  type TransferLoad,
} from "../network/transfer-load.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly transfers: number;
  /** Taken before, by processes that have just started. */
  readonly first: number;
  readonly accounts: number;
  /** The first so many of PACES. */
  readonly paces: number;
}

const PACES: readonly (Pace & { readonly name: string })[] = [
  { name: "single requests", batch: 1, connections: 1 },
  { name: "single requests over four connections", batch: 1, connections: 4 },
  { name: "batches of 100", batch: 100, connections: 1 },
];

const CHAIN_ID = 0x6f677064n;
/** Milliseconds. */
const ANVIL_BLOCK = 1_000;

export const benchCase: BenchCase<Params> = {
  name: "load",
  description: "transfers from clients to finality on one and on four validators, beside anvil",
  sizes: {
    smoke: { rounds: 1, transfers: 200, first: 20, accounts: 10, paces: 1 },
    full: { rounds: 3, transfers: 20_000, first: 20_000, accounts: 10, paces: 3 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

interface Contestant {
  readonly name: string;
  start(folder: string): Promise<RunningChain>;
}

const CONTESTANTS: readonly Contestant[] = [
  { name: "anvil", start: () => startAnvil(CHAIN_ID) },
  { name: "one validator", start: (folder) => startDevnet(folder, 1, "validators alone") },
  { name: "four validators", start: (folder) => startDevnet(folder, 4, "validators alone") },
];

async function measure(params: Params, folder: string): Promise<BenchResult> {
  const all = signLoad(CHAIN_ID, params.accounts, params.first + params.transfers);
  const loads = splitLoad(all, params.first);
  const paces = PACES.slice(0, params.paces);
  /** Of each round: what they are beside each other, the machine being as fast for both, is the middle of the rounds. */
  const runs = new Map<string, Run[]>();
  for (let round = 0; round < params.rounds; round++) {
    for (const pace of paces) {
      for (const contestant of CONTESTANTS) {
        const key = `${contestant.name}, ${pace.name}`;
        const wait = (ANVIL_BLOCK * round) / params.rounds;
        const run = await measureOne(contestant, `${folder}/${round} ${key}`, loads, pace, wait);
        runs.set(key, [...(runs.get(key) ?? []), run]);
      }
    }
  }
  return {
    measurements: [...runs].flatMap(([key, own]) => [
      { name: key, value: median(own.map(({ rate }) => rate)), unit: "transfers/s" },
      { name: `${key}, just started`, value: median(own.map(({ firstRate }) => firstRate)), unit: "transfers/s" },
      { name: `${key}, processor`, value: Math.min(...own.map(({ processor }) => processor)), unit: "us/transfer" },
    ]),
    comparisons: paces.flatMap((pace) => [
      ratio("one validator", pace, { atLeast: 1 }),
      ratio("four validators", pace, { atLeast: 0.35 }),
    ]),
    agreed: [...runs.values()].flat().every(({ agreed }) => agreed),
  };

  function ratio(name: string, pace: { readonly name: string }, target: { readonly atLeast: number }) {
    const anvil = runs.get(`anvil, ${pace.name}`) ?? [];
    const ours = runs.get(`${name}, ${pace.name}`) ?? [];
    const ratios = ours.map(({ rate }, round) => rate / (anvil[round]?.rate ?? Number.NaN));
    return { name: `${name}, ${pace.name} / anvil`, ratio: median(ratios), target };
  }
}

interface Run {
  readonly firstRate: number;
  readonly rate: number;
  /** Microseconds of all its processes for a transfer. */
  readonly processor: number;
  readonly agreed: boolean;
}

async function measureOne(
  { start }: Contestant,
  folder: string,
  [first, load]: readonly [TransferLoad, TransferLoad],
  pace: Pace,
  wait: number,
): Promise<Run> {
  const chain = await start(folder);
  try {
    const firstRate = rateOf(await runLoad(chain.url, chain.urls, first, pace));
    // A block has just been made.
    await delay(wait);
    const before = await processorSeconds(chain.processes);
    const result = await runLoad(chain.url, chain.urls, load, pace);
    const spent = (await processorSeconds(chain.processes)) - before;
    const agreed = await isEverywhere(chain, load);
    return { firstRate, rate: rateOf(result), processor: (1e6 * spent) / result.transfers, agreed };
  } finally {
    await chain.stop();
  }
}

function rateOf({ transfers, seconds }: LoadResult): number {
  return transfers / seconds;
}

/** What the accounts have used: every node has the same, and all of it. */
async function isEverywhere(chain: RunningChain, { addresses, raws, firstNonce }: TransferLoad): Promise<boolean> {
  for (const url of chain.urls) {
    for (const [index, address] of addresses.entries()) {
      const nonce = await rpc<string>(url, "eth_getTransactionCount", address, "latest");
      if (Number(nonce) !== firstNonce + (raws[index]?.length ?? 0)) return false;
    }
  }
  return true;
}
