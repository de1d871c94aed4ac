/** Jobs, sources and prices as the market has them. */
import type { Hex } from "viem";
import { readContract } from "viem/actions";
import { market, pricing } from "../../state/modules.ts";
import { node } from "../../state/node.ts";

export function readJob(id: bigint) {
  return readContract(node, { ...market, functionName: "jobOf", args: [id] });
}

export type Job = Awaited<ReturnType<typeof readJob>>;

export function readReceipt(id: bigint) {
  return readContract(node, { ...market, functionName: "receiptOf", args: [id] });
}

const PAGE = 50n;

export async function readJobsOf(client: Hex): Promise<readonly Job[]> {
  const ids = await readContract(node, { ...market, functionName: "jobsOfClient", args: [client, 0n, PAGE] });
  return await Promise.all(ids.map(readJob));
}

export function readSources() {
  return readContract(node, { ...market, functionName: "openSources", args: [0n, PAGE] });
}

export type Source = Awaited<ReturnType<typeof readSources>>[number];

export function readTiers() {
  return readContract(node, { ...pricing, functionName: "tiers" });
}

/** In a status from open to accepted; `undefined` where the chain has no market. */
export async function readInFlight(): Promise<bigint | undefined> {
  try {
    const counts = await Promise.all(
      [1, 2, 3, 4, 5].map((status) => readContract(node, { ...market, functionName: "countByStatus", args: [status] })),
    );
    return counts.reduce((sum, count) => sum + count, 0n);
  } catch {
    return undefined;
  }
}

export function readSummary(program: Hex) {
  return node.readModule({ module: "programs", functionName: "summaryOf", args: [program] });
}

export type Summary = Awaited<ReturnType<typeof readSummary>>;
