/** The networks that ship with the node. */
import type { ChainSpec } from "./chain-spec.ts";
import { parseChainSpec } from "./parse-chain-spec.ts";
import devnet from "./specs/devnet.json" with { type: "json" };
import mainnet from "./specs/mainnet.json" with { type: "json" };
import testnet from "./specs/testnet.json" with { type: "json" };

export type NetworkName = "devnet" | "testnet" | "mainnet";

const DOCUMENTS: Readonly<Record<NetworkName, unknown>> = { devnet, testnet, mainnet };

export const NETWORK_NAMES: readonly NetworkName[] = ["devnet", "testnet", "mainnet"];

export function networkSpec(name: NetworkName): ChainSpec {
  return parseChainSpec(DOCUMENTS[name]);
}
