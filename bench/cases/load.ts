/**
 * Sustained transfers as clients see them: presigned, from ten accounts over ten connections, single requests and
 * batches of 100, until the last one is final on every node. Beside it, in the same run and under the same load
 * generator, Foundry's anvil with blocks of a second.
 *
 * All share the machine with the load generator. Four validators do the work of one four times, and agree on it.
 */
import type { BenchCase, BenchResult } from "../case.ts";
import { type RunningChain, startAnvil } from "../network/anvil.ts";
import { rpc } from "../network/http-client.ts";
import { startDevnet } from "../network/our-network.ts";
import { type LoadResult, runLoad, signLoad } from "../network/transfer-load.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly transfers: number;
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
    smoke: { rounds: 1, transfers: 200, accounts: 10, kinds: 1, batch: 100 },
    full: { rounds: 2, transfers: 20_000, accounts: 10, kinds: 2, batch: 100 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

interface Contestant {
  readonly name: string;
  start(folder: string): Promise<RunningChain>;
}

const CONTESTANTS: readonly Contestant[] = [
  { name: "anvil", start: () => startAnvil(CHAIN_ID) },
  { name: "one validator", start: (folder) => startDevnet(folder, 1) },
  { name: "four validators", start: (folder) => startDevnet(folder, 4) },
];

async function measure(params: Params, folder: string): Promise<BenchResult> {
  const load = signLoad(CHAIN_ID, params.accounts, params.transfers);
  const batches = [1, params.batch].slice(0, params.kinds);
  const best = new Map<string, number>();
  let agreed = true;
  for (let round = 0; round < params.rounds; round++) {
    for (const { name, start } of CONTESTANTS) {
      for (const batch of batches) {
        const chain = await start(`${folder}/${round} ${name} ${batch}`);
        try {
          const result = await runLoad(chain.url, chain.urls, load, batch);
          const key = keyOf(name, batch);
          best.set(key, Math.max(best.get(key) ?? 0, rateOf(result)));
          agreed &&= await isEverywhere(chain, load.addresses, params);
        } finally {
          await chain.stop();
        }
      }
    }
  }
  const rate = (name: string, batch: number): number => best.get(keyOf(name, batch)) ?? 0;
  return {
    measurements: CONTESTANTS.flatMap(({ name }) =>
      batches.map((batch) => ({ name: keyOf(name, batch), value: rate(name, batch), unit: "transfers/s" })),
    ),
    comparisons: batches.flatMap((batch) => [
      ratio("one validator", batch, { atLeast: 1 }),
      ratio("four validators", batch, { atLeast: 0.35 }),
    ]),
    agreed,
  };

  function ratio(name: string, batch: number, target: { readonly atLeast: number }) {
    return { name: `${keyOf(name, batch)} / anvil`, ratio: rate(name, batch) / rate("anvil", batch), target };
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
  const expected = Math.floor(params.transfers / params.accounts);
  for (const url of chain.urls) {
    for (const address of addresses) {
      const nonce = await rpc<string>(url, "eth_getTransactionCount", address, "latest");
      if (Number(nonce) !== expected) return false;
    }
  }
  return true;
}
