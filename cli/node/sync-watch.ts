/** Tells the RPC's subscribers when the node begins and ends to catch up, in the form of Ethereum's clients. */
import { quantityText } from "../../rpc/format.ts";
import type { Readiness } from "./readiness.ts";

const LOOK_INTERVAL = 1_000;

/** The returned function ends it. */
export function watchSyncing(
  situation: () => Readiness & { readonly target: number },
  tell: (status: unknown) => void,
): () => void {
  let wasBehind = false;
  const timer = setInterval(() => {
    const { reason, height, target } = situation();
    const isBehind = reason === "behind";
    if (isBehind === wasBehind) return;
    wasBehind = isBehind;
    const status = { currentBlock: quantityText(height), highestBlock: quantityText(Math.max(height, target)) };
    tell(isBehind ? { syncing: true, status } : false);
  }, LOOK_INTERVAL);
  return () => clearInterval(timer);
}
