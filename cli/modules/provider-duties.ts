/** What a provider has taken on and is not through with: the reason to let it run, or to start it again. */
import type { Hex } from "../../base/bytes.ts";
import { isOver, type MarketJob, statusName } from "../../rpc/client/market-answers.ts";
import { readModule } from "./module-commands.ts";

export interface ProviderDuty {
  readonly job: bigint;
  readonly what: string;
}

/** Jobs that are looked at of each kind, the newest. */
const LOOKED_AT = 64n;
const AUCTIONS = [1, 2] as const;

export async function dutiesOf(rpc: string, account: Hex): Promise<readonly ProviderDuty[]> {
  const ids = await readModule(rpc, "market", "jobsOfWorker", [account, 0n, LOOKED_AT]);
  const jobs = await Promise.all(ids.map((id) => readModule(rpc, "market", "jobOf", [id])));
  const taken = jobs.flatMap((job) => dutyOf(job, account) ?? []);
  return [...taken, ...(await bidsOf(rpc, account, new Set(taken.map(({ job }) => job))))];
}

function dutyOf(job: MarketJob, account: Hex): ProviderDuty | undefined {
  const isWorker = job.worker.toLowerCase() === account;
  const { id, status, reserved, segment, segments } = job;
  if (isOver(status)) {
    const isLiable = statusName(status) === "settled" && isWorker && reserved > 0n;
    return isLiable ? { job: id, what: "paid; it still has to show outputs that somebody demands" } : undefined;
  }
  const part = segments > 1 ? `, segment ${segment + 1} of ${segments}` : "";
  if (isWorker) return { job: id, what: `${statusName(status)}${part}` };
  const races = job.racers.some(({ worker, failed }) => worker.toLowerCase() === account && !failed);
  return races ? { job: id, what: `${statusName(status)}, it has a place in the race` } : undefined;
}

/** A bid that is not revealed loses its lock, whether it would have won or not. */
async function bidsOf(rpc: string, account: Hex, known: ReadonlySet<bigint>): Promise<readonly ProviderDuty[]> {
  const lists = await Promise.all(
    AUCTIONS.map((status) => readModule(rpc, "market", "jobsByStatus", [status, 0n, LOOKED_AT])),
  );
  const ids = lists.flat().filter((id) => !known.has(id));
  const bids = await Promise.all(
    ids.map(async (job) => ({ job, bids: await readModule(rpc, "market", "bidsOf", [job]) })),
  );
  return bids.flatMap(({ job, bids: all }) => {
    const own = all.find(({ bidder }) => bidder.toLowerCase() === account);
    if (own === undefined) return [];
    return [{ job, what: own.revealed ? "it has bid and revealed" : "it has bid, and must reveal" }];
  });
}
