/**
 * Brings outputs to the blobs of the provider's node as well, once they are computed: pages can talk to no machine but their
 * node, and clients may not reach the provider's. Nobody finds them there before the commitment has told their addresses.
 */
import type { Hex } from "../../base/bytes.ts";
import { eitherSignal } from "../../base/either-signal.ts";
import type { BlobPort } from "../../compute/agent/ports.ts";
import type { SegmentOutcome, SegmentRunner } from "../../compute/agent/provider/segment-runner.ts";
import { MAX_OFFERED_BYTES, OFFER_MILLISECONDS } from "./limits.ts";

/** What the node does not take stays with the provider, whose endpoint everybody knows. */
export function offeringRunner(runner: SegmentRunner, blobs: BlobPort, place: string): SegmentRunner {
  return {
    run: async (task, onProgress, signal) => {
      const outcome = await runner.run(task, onProgress, signal);
      void offer(outcome, blobs, place, signal);
      return outcome;
    },
    open: (task, places, signal) => runner.open(task, places, signal),
    inputs: (task, at, signal) => runner.inputs(task, at, signal),
  };
}

async function offer({ commitment }: SegmentOutcome, blobs: BlobPort, place: string, stop: AbortSignal): Promise<void> {
  const signal = eitherSignal(stop, AbortSignal.timeout(OFFER_MILLISECONDS));
  try {
    for (const address of commitment.outputs) await bring(address, blobs, place, signal);
  } catch {
    // The node is away, or the provider stops.
  }
}

async function bring(address: Hex, blobs: BlobPort, place: string, signal: AbortSignal): Promise<void> {
  const body = new Uint8Array(await blobs.get(address, MAX_OFFERED_BYTES, [], signal));
  const { body: answer } = await fetch(`${place.replace(/\/+$/, "")}/blobs/${address}`, {
    method: "PUT",
    body,
    signal,
  });
  await answer?.cancel();
}
