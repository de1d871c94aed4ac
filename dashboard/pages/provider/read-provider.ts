/** A provider as the chain knows it. */
import type { Hex } from "viem";
import { readContract } from "viem/actions";
import { market } from "../../state/modules.ts";
import { node } from "../../state/node.ts";

export const KINDS = ["—", "CPU", "CUDA"] as const;
export const STATUS = ["None", "Active", "Paused", "Leaving"] as const;
export const ACTIVE = 1;
export const PAUSED = 2;

export async function readProvider(account: Hex) {
  const ask = { module: "providers" } as const;
  const [provider, reputation, devices, withdrawals] = await Promise.all([
    node.readModule({ ...ask, functionName: "providerOf", args: [account] }),
    node.readModule({ ...ask, functionName: "reputationOf", args: [account] }),
    node.readModule({ ...ask, functionName: "devicesOf", args: [account, 0n, 100n] }),
    node.readModule({ ...ask, functionName: "withdrawalsOf", args: [account] }),
  ]);
  const [amounts, dues] = withdrawals;
  return {
    provider,
    reputation,
    devices,
    withdrawals: amounts.map((amount, index) => ({ amount, due: dues[index] ?? 0n })),
  };
}

export type ProviderFacts = Awaited<ReturnType<typeof readProvider>>;

export async function readLock(account: Hex) {
  const [[total, free, allocated, unlocking], commitments] = await Promise.all([
    node.readModule({ module: "trustLock", functionName: "accountOf", args: [account] }),
    node.readModule({ module: "trustLock", functionName: "commitmentsOf", args: [account, 0n, 50n] }),
  ]);
  return { total, free, allocated, unlocking, commitments };
}

/** Jobs open to bids, and those that the account works on; `undefined` where the chain has no market. */
export async function readWork(account: Hex | undefined) {
  const read = (functionName: "jobsByStatus" | "jobsOfWorker", args: readonly unknown[]) =>
    readContract(node, { ...market, functionName, args } as never) as Promise<readonly bigint[]>;
  const jobOf = (id: bigint) => readContract(node, { ...market, functionName: "jobOf", args: [id] });
  try {
    const [open, own] = await Promise.all([
      read("jobsByStatus", [1, 0n, 50n]),
      account === undefined ? [] : read("jobsOfWorker", [account, 0n, 50n]),
    ]);
    const [openJobs, ownJobs] = await Promise.all([Promise.all(open.map(jobOf)), Promise.all(own.map(jobOf))]);
    return { open: openJobs.filter(({ source }) => source === 0n), own: ownJobs };
  } catch {
    return { open: undefined, own: undefined };
  }
}
