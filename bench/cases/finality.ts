/**
 * How long a client waits at light load: from sending a transfer to one of four validators until that validator shows
 * its receipt, which is when the block is final and on its disk. Transfers come at random moments, further apart than
 * blocks, so that each finds a chain that rests.
 *
 * The targets are times, since the protocol's own pace of 200 ms per block is one; they hold on a machine that has
 * nothing else to do.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "../../base/prng.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { rpc } from "../network/http-client.ts";
import { startDevnet } from "../network/our-network.ts";
import { signLoad } from "../network/transfer-load.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly transfers: number;
  readonly validators: number;
}

const CHAIN_ID = 0x6f677064n;
const P50_TARGET = 300;
const IDLE_TARGET = 1_000;
const POLL_MILLISECONDS = 4;

export const benchCase: BenchCase<Params> = {
  name: "finality",
  description: "from sending a transfer until it is final, at light load on four validators",
  sizes: {
    smoke: { transfers: 5, validators: 4 },
    full: { transfers: 150, validators: 4 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

async function measure({ transfers, validators }: Params, folder: string): Promise<BenchResult> {
  const [raws = []] = signLoad(CHAIN_ID, 1, transfers).raws;
  const prng = new Prng("finality");
  const chain = await startDevnet(folder, validators);
  const times: number[] = [];
  try {
    for (const raw of raws) {
      await delay(300 + prng.below(400));
      times.push(await timeToFinality(chain.urls[times.length % validators] as URL, raw));
    }
  } finally {
    await chain.stop();
  }
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    measurements: [
      { name: "p50", value: at(0.5), unit: "ms" },
      { name: "p95", value: at(0.95), unit: "ms" },
      { name: "longest", value: at(1), unit: "ms" },
    ],
    comparisons: [
      { name: `p50 / ${P50_TARGET} ms`, ratio: at(0.5) / P50_TARGET, target: { atMost: 1 } },
      { name: `longest / ${IDLE_TARGET} ms`, ratio: at(1) / IDLE_TARGET, target: { atMost: 1 } },
    ],
    agreed: undefined,
  };
}

async function timeToFinality(url: URL, raw: string): Promise<number> {
  const start = performance.now();
  const hash = await rpc<string>(url, "eth_sendRawTransaction", raw);
  while ((await rpc<object | null>(url, "eth_getTransactionReceipt", hash)) === null) await delay(POLL_MILLISECONDS);
  return performance.now() - start;
}
