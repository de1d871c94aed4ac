/** Verifiers that run in the process of a node, over its own RPC. What goes wrong with them never ends the node. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bytesToHex } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { Logger } from "../../chain/observe/logger.ts";
import { runVerifier } from "../agent/run-verifier.ts";
import { verifierText } from "../agent/verifier-text.ts";

export interface NodeVerifiers {
  readonly keys: readonly Uint8Array[];
  readonly rpc: string;
  readonly dataDir: string;
  readonly log: Logger;
}

/** Milliseconds until a verifier that failed is started again. */
const PAUSE = 10_000;

/** Until the signal. */
export async function runVerifiers({ keys, rpc, dataDir, log }: NodeVerifiers, signal: AbortSignal): Promise<void> {
  const folder = join(dataDir, "verifier");
  await Promise.all(keys.map((key) => keepRunning(key, { rpc, folder, log }, signal)));
}

async function keepRunning(
  key: Uint8Array,
  { rpc, folder, log }: { readonly rpc: string; readonly folder: string; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const account = bytesToHex(privateKeyToAddress(key));
  while (!signal.aborted) {
    try {
      const setup = { rpc, key, dataDir: folder, stake: undefined, challenges: true, allowInternal: false };
      await runVerifier({ ...setup, tell: (event) => log.info({ account, ...event }, verifierText(event)) }, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ account, error: error instanceof Error ? error.message : String(error) }, "the verifier has stopped");
      await delay(PAUSE, undefined, { signal }).catch(() => undefined);
    }
  }
}
