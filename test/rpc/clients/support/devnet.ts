/** A devnet of one validator for the tests of one file, and the accounts that everybody knows. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, defineChain, type HDAccount } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { networkSpec } from "../../../../genesis/networks.ts";
import { TEST_MNEMONIC } from "../../../../rpc/development/test-mnemonic.ts";
import { Running, startDevnet } from "../../../cli/support/ogpu-process.ts";

export const CHAIN_ID: number = Number(networkSpec("devnet").chainId);

export interface Devnet {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly chain: Chain;
  /** For what a test writes; gone with the devnet. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function openDevnet(): Promise<Devnet> {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-clients-"));
  const running = await startDevnet(join(folder, "devnet"));
  const webSocketUrl = running.url.replace("http:", "ws:");
  return {
    url: running.url,
    webSocketUrl,
    folder,
    chain: defineChain({
      id: CHAIN_ID,
      name: "devnet",
      nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
      rpcUrls: { default: { http: [running.url], webSocket: [webSocketUrl] } },
    }),
    close: async () => {
      await running.stop("SIGTERM");
      await Running.endAll(folder);
    },
  };
}

/** Of the test mnemonic; the devnet funds the first twenty. */
export function account(index: number): HDAccount {
  return mnemonicToAccount(TEST_MNEMONIC, { addressIndex: index });
}
