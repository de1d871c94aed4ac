/**
 * Sustained transfers as clients see them: presigned, from ten accounts, until the last one is final on every node.
 * Single requests over one connection of each account and over four, and batches of 100. With one, ten requests are under
 * way in all, and how long each takes decides; with four, how much work it is does. Beside it, in the same run and under
 * the same load generator, Foundry's anvil with blocks of a second.
 *
 * All share the machine with the load generator, and with nobody else: the verifiers of a devnet, which ask their nodes
 * three questions after every block, are left out. Four validators do the work of one four times, and agree on it. What is
 * measured is what goes on: each has taken half as many before, because compiling the hot functions of a node that has
 * just started takes seconds of processor time, once. Processor time of all processes is told besides: on a
 * machine that does other things too it says more than the clock.
 */
import type { BenchCase, BenchResult } from "../case.ts";
import { median } from "../interleave.ts";
import { type RunningChain, startAnvil } from "../network/anvil.ts";
import { rpc } from "../network/http-client.ts";
import { startDevnet } from "../network/our-network.ts";
import { processorSeconds } from "../network/processor-time.ts";
import { type LoadResult, type Pace, runLoad, signLoad, splitLoad } from "../network/transfer-load.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly transfers: number;
  /** Before, and not measured. */
  readonly warmUp: number;
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

export const benchCase: BenchCase<Params> = {
  name: "load",
  description: "transfers from clients to finality on one and on four validators, beside anvil",
  sizes: {
    smoke: { rounds: 1, transfers: 200, warmUp: 20, accounts: 10, paces: 1 },
    full: { rounds: 3, transfers: 20_000, warmUp: 10_000, accounts: 10, paces: 3 },
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
  const all = signLoad(CHAIN_ID, params.accounts, params.warmUp + params.transfers);
  const [warmUp, load] = splitLoad(all, params.warmUp);
  const paces = PACES.slice(0, params.paces);
  /** Of each round: what they are beside each other, the machine being as fast for both, is the middle of the rounds. */
  const rates = new Map<string, number[]>();
  const processor = new Map<string, number>();
  let agreed = true;
  for (let round = 0; round < params.rounds; round++) {
    for (const { name, start } of CONTESTANTS) {
      for (const pace of paces) {
        const chain = await start(`${folder}/${round} ${name} ${pace.name}`);
        try {
          await runLoad(chain.url, chain.urls, warmUp, pace);
          const before = await processorSeconds(chain.processes);
          const result = await runLoad(chain.url, chain.urls, load, pace);
          const spent = (await processorSeconds(chain.processes)) - before;
          const key = `${name}, ${pace.name}`;
          rates.set(key, [...(rates.get(key) ?? []), rateOf(result)]);
          processor.set(key, Math.min(processor.get(key) ?? Number.POSITIVE_INFINITY, spent / result.transfers));
          agreed &&= await isEverywhere(chain, load.addresses, params);
        } finally {
          await chain.stop();
        }
      }
    }
  }
  const pairs = CONTESTANTS.flatMap(({ name }) => paces.map((pace) => `${name}, ${pace.name}`));
  return {
    measurements: pairs.flatMap((key) => [
      { name: key, value: median(rates.get(key) ?? []), unit: "transfers/s" },
      { name: `${key}, processor`, value: 1e6 * (processor.get(key) ?? 0), unit: "us/transfer" },
    ]),
    comparisons: paces.flatMap((pace) => [
      ratio("one validator", pace, { atLeast: 1 }),
      ratio("four validators", pace, { atLeast: 0.35 }),
    ]),
    agreed,
  };

  function ratio(name: string, pace: { readonly name: string }, target: { readonly atLeast: number }) {
    const anvil = rates.get(`anvil, ${pace.name}`) ?? [];
    const ours = rates.get(`${name}, ${pace.name}`) ?? [];
    const ratios = ours.map((rate, round) => rate / (anvil[round] ?? Number.NaN));
    return { name: `${name}, ${pace.name} / anvil`, ratio: median(ratios), target };
  }
}

function rateOf({ transfers, seconds }: LoadResult): number {
  return transfers / seconds;
}

/** The sum of what the accounts have used: every node has the same, and all of it. */
async function isEverywhere(chain: RunningChain, addresses: readonly string[], params: Params): Promise<boolean> {
  const expected = Math.floor((params.warmUp + params.transfers) / params.accounts);
  for (const url of chain.urls) {
    for (const address of addresses) {
      const nonce = await rpc<string>(url, "eth_getTransactionCount", address, "latest");
      if (Number(nonce) !== expected) return false;
    }
  }
  return true;
}
