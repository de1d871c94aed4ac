/** One thing that somebody does, as it is written down: enough to do it again in a history from which others were cut. */
import { type Abi, encodeFunctionData, type ParseAbi, parseAbi } from "viem";
import { EMPTY_BYTES, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { governanceAbi } from "../../../vm/interfaces/abi/governance.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { slashingAbi } from "../../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { tokenAbi } from "../../../vm/interfaces/abi/token.ts";
import { treasuryAbi } from "../../../vm/interfaces/abi/treasury.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import { verifiersAbi } from "../../../vm/interfaces/abi/verifiers.ts";
import {
  GOVERNANCE_ADDRESS,
  PROVIDERS_ADDRESS,
  SLASHING_ADDRESS,
  STAKING_ADDRESS,
  TOKEN_ADDRESS,
  TREASURY_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import type { Address } from "../../../vm/state/account.ts";
import { MARKET } from "../../vm/support/stub-market.ts";
import type { BlockPlan, Message } from "./economy-world.ts";

export type ModuleName =
  | "staking"
  | "slashing"
  | "trustLock"
  | "providers"
  | "verifiers"
  | "governance"
  | "treasury"
  | "token"
  | "market";

export const MODULES: Readonly<Record<ModuleName, { readonly address: Address; readonly abi: Abi }>> = {
  staking: { address: STAKING_ADDRESS, abi: stakingAbi },
  slashing: { address: SLASHING_ADDRESS, abi: slashingAbi },
  trustLock: { address: TRUST_LOCK_ADDRESS, abi: trustLockAbi },
  providers: { address: PROVIDERS_ADDRESS, abi: providersAbi },
  verifiers: { address: VERIFIERS_ADDRESS, abi: verifiersAbi },
  governance: { address: GOVERNANCE_ADDRESS, abi: governanceAbi },
  treasury: { address: TREASURY_ADDRESS, abi: treasuryAbi },
  token: { address: TOKEN_ADDRESS, abi: tokenAbi },
  market: { address: MARKET.address, abi: MARKET.abi },
};

export interface Operation {
  /** In whose name. */
  readonly actor: Address;
  /** Who sends the transaction, when the actor is a contract. */
  readonly via: Address | undefined;
  /** `transfer`: money for `to` without a call. */
  readonly module: ModuleName | "transfer";
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly to: Address;
  readonly value: bigint;
  /** Instead of what the ABI would encode. */
  readonly garbage: Hex | undefined;
}

export interface PlannedBlock {
  readonly plan: BlockPlan;
  readonly operations: readonly Operation[];
}

const actorAbi: ParseAbi<readonly ["function run(address to, uint256 value, bytes data) payable returns (bytes)"]> =
  parseAbi(["function run(address to, uint256 value, bytes data) payable returns (bytes)"]);

export function messageOf({ actor, via, module, functionName, args, to, value, garbage }: Operation): Message {
  const hex =
    garbage ??
    (module === "transfer" ? "0x" : encodeFunctionData({ abi: MODULES[module].abi, functionName, args: [...args] }));
  if (via === undefined) return { sender: actor, to, data: hex === "0x" ? EMPTY_BYTES : hexToBytes(hex), value };
  const data = encodeFunctionData({ abi: actorAbi, functionName: "run", args: [to, value, hex] });
  // What the contract gives is its own: it was given money when it was made.
  return { sender: via, to: actor, data: hexToBytes(data), value: 0n };
}

export function describeOperation({ actor, via, module, functionName, args, to, value, garbage }: Operation): string {
  const what = module === "transfer" ? `sends to ${to}` : `${module}.${functionName}(${args.map(String).join(", ")})`;
  const through = via === undefined ? "" : ` by ${via}`;
  return `${actor}${through} ${garbage === undefined ? what : `garbage ${garbage} to ${module}`} value ${value}`;
}
