/**
 * Sustained transfers as clients see them: presigned, from ten accounts over ten connections, single requests and
 * batches of 100, until the last one is final on every node. Beside it, in the same run and under the same load
 * generator, Foundry's anvil with blocks of a second.
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
import { type LoadResult, runLoad, signLoad, splitLoad } from "../network/transfer-load.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly transfers: number;
  /** Before, and not measured. */
  readonly warmUp: number;
  readonly accounts: number;
  /** Single requests, and from 2 on batches too. */
  readonly kinds: number;
  readonly batch: number;
}

const CHAIN_ID = 0x6f677064n;

export const benchCase: BenchCase<Params> = {
  name: "load",
  description: "transfers from clients to finality on one and on four validators, beside anvil",
  sizes: {
    smoke: { rounds: 1, transfers: 200, warmUp: 20, accounts: 10, kinds: 1, batch: 100 },
    full: { rounds: 3, transfers: 20_000, warmUp: 10_000, accounts: 10, kinds: 2, batch: 100 },
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
  const batches = [1, params.batch].slice(0, params.kinds);
  /** Of each round: what they are beside each other, the machine being as fast for both, is the middle of the rounds. */
  const rates = new Map<string, number[]>();
  const processor = new Map<string, number>();
  let agreed = true;
  for (let round = 0; round < params.rounds; round++) {
    for (const { name, start } of CONTESTANTS) {
      for (const batch of batches) {
        const chain = await start(`${folder}/${round} ${name} ${batch}`);
        try {
          await runLoad(chain.url, chain.urls, warmUp, batch);
          const before = await processorSeconds(chain.processes);
          const result = await runLoad(chain.url, chain.urls, load, batch);
          const spent = (await processorSeconds(chain.processes)) - before;
          const key = keyOf(name, batch);
          rates.set(key, [...(rates.get(key) ?? []), rateOf(result)]);
          processor.set(key, Math.min(processor.get(key) ?? Number.POSITIVE_INFINITY, spent / result.transfers));
          agreed &&= await isEverywhere(chain, load.addresses, params);
        } finally {
          await chain.stop();
        }
      }
    }
  }
  const ratesOf = (name: string, batch: number): readonly number[] => rates.get(keyOf(name, batch)) ?? [];
  return {
    measurements: CONTESTANTS.flatMap(({ name }) =>
      batches.flatMap((batch) => [
        { name: keyOf(name, batch), value: median(ratesOf(name, batch)), unit: "transfers/s" },
        {
          name: `${keyOf(name, batch)}, processor`,
          value: 1e6 * (processor.get(keyOf(name, batch)) ?? 0),
          unit: "us/transfer",
        },
      ]),
    ),
    comparisons: batches.flatMap((batch) => [
      ratio("one validator", batch, { atLeast: 1 }),
      ratio("four validators", batch, { atLeast: 0.35 }),
    ]),
    agreed,
  };

  function ratio(name: string, batch: number, target: { readonly atLeast: number }) {
    const anvil = ratesOf("anvil", batch);
    const ratios = ratesOf(name, batch).map((rate, round) => rate / (anvil[round] ?? Number.NaN));
    return { name: `${keyOf(name, batch)} / anvil`, ratio: median(ratios), target };
  }
}

function keyOf(name: string, batch: number): string {
  return `${name}, ${batch === 1 ? "single requests" : `batches of ${batch}`}`;
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
