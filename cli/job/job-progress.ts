/** How far the workers of a job say that they are. Nobody checks that: it is for people who wait. */
import { NodeSubscription } from "../agent/node-subscription.ts";

const WIDTH = 30;

/** Until it is ended: `onShare` hears of each report, from 0 to 1. */
export function watchProgress(rpc: string, job: bigint, onShare: (share: number) => void): () => void {
  const subscription = new NodeSubscription(rpc, {
    ...{ method: "ogpu_subscribe", params: ["progress", { job: `0x${job.toString(16)}` }] },
    onMessage: (report) => {
      const share = shareOf(report);
      if (share !== undefined) onShare(share);
    },
  });
  return () => subscription.close();
}

function shareOf(report: unknown): number | undefined {
  const { done, total } = (report ?? {}) as { readonly done?: unknown; readonly total?: unknown };
  const share = Number(done) / Number(total);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : undefined;
}

export function progressBar(share: number): string {
  const full = Math.floor(share * WIDTH);
  return `[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${Math.floor(100 * share)} % computed`;
}
