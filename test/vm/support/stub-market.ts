/**
 * A module that does what the market and the verification module will: it calls the functions that other modules have
 * for them, and decides nothing. For tests of those modules by real transactions.
 */
import { type ParseAbi, parseAbi } from "viem";
import type { Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { MODULE_ADDRESS_PREFIX } from "../../../genesis/reserved-addresses.ts";
import { defineModule, type NativeModule } from "../../../vm/modules/module.ts";
import type { ModuleCall } from "../../../vm/modules/module-call.ts";
import {
  releaseCollateral,
  reserveCollateral,
  takeCollateral,
  takeReserved,
} from "../../../vm/modules/providers/collateral.ts";
import { recordSettlement, type SettlementOutcome } from "../../../vm/modules/providers/reputation.ts";
import {
  allocateTrust,
  breachTrust,
  type CommitmentKey,
  extendTrust,
  increaseTrust,
  releaseTrust,
} from "../../../vm/modules/trust-lock/commitments.ts";
import {
  freezeStake,
  jailVerifier,
  releaseFrozen,
  takeFrozen,
  takeStake,
} from "../../../vm/modules/verifiers/stake.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { EconomyChain, Target } from "./economy-chain.ts";

export const MARKET_ADDRESS: Address = `${MODULE_ADDRESS_PREFIX}${"ff".padStart(20, "0")}`;

const SIGNATURES = [
  "function allocate(bytes32 commitment, uint256 amount, uint256 deadline)",
  "function increase(bytes32 commitment, uint256 amount)",
  "function extend(bytes32 commitment, uint256 deadline)",
  "function release(address owner, bytes32 commitment, uint256 amount)",
  "function breach(address owner, bytes32 commitment, uint32 reason, address[] to, uint256[] amounts)",
  "function reserve(address provider, uint256 amount)",
  "function releaseReserved(address provider, uint256 amount)",
  "function takeReserved(address provider, uint256 amount, uint32 reason, address to)",
  "function takeCollateral(address provider, uint256 amount, uint32 reason, address to) returns (uint256)",
  "function settle(address provider, string outcome, uint256 computeUnits, uint256 busySeconds, uint256 earned)",
  "function freeze(address verifier, uint256 amount) returns (uint256)",
  "function takeFrozen(address verifier, uint256 amount, uint32 reason, address to)",
  "function releaseFrozen(address verifier, uint256 amount)",
  "function takeStake(address verifier, uint256 amount, uint32 reason, address to) returns (uint256)",
  "function jail(address verifier, uint256 until)",
  // What those functions revert with.
  "error NoCommitment(address owner, address controller, bytes32 commitment)",
  "error CommitmentClosed(address owner, address controller, bytes32 commitment)",
  "error CommitmentUsed(address owner, address controller, bytes32 commitment)",
  "error NotEnoughLeft(uint256 left, uint256 wanted)",
  "error NotEnoughFree(uint256 free, uint256 wanted)",
  "error BadDeadline(uint256 deadline, uint256 earliest, uint256 latest)",
  "error ZeroAmount()",
  "error NotAvailable(address account)",
] as const;

export const MARKET: Target<ParseAbi<typeof SIGNATURES>> = { address: MARKET_ADDRESS, abi: parseAbi(SIGNATURES) };

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

function key(owner: Hex, commitment: Hex): CommitmentKey {
  return { owner: lower(owner), controller: MARKET_ADDRESS, commitment };
}

function ownKey({ message }: ModuleCall, commitment: Hex): CommitmentKey {
  return key(message.caller, commitment);
}

/** Puts the stub among the chain's modules. */
export function installStubMarket(chain: EconomyChain): void {
  const modules = chain.rules.modules as Map<Address, NativeModule>;
  const parameters = [...modules.values()].find((module) => module.parameters !== undefined)?.parameters;
  assert(parameters !== undefined, "a module has parameters");
  const market = defineModule({
    name: "market",
    address: MARKET_ADDRESS,
    abi: MARKET.abi,
    parameters,
    handlers: {
      allocate: (call, commitment, amount, deadline) => allocateTrust(call, ownKey(call, commitment), amount, deadline),
      increase: (call, commitment, amount) => increaseTrust(call, ownKey(call, commitment), amount),
      extend: (call, commitment, deadline) => extendTrust(call, ownKey(call, commitment), deadline),
      release: (call, owner, commitment, amount) => releaseTrust(call, key(owner, commitment), amount),
      breach: (call, owner, commitment, reason, to, amounts) => {
        const parts = to.map((account, index) => ({ to: lower(account), amount: amounts[index] ?? 0n }));
        breachTrust(call, key(owner, commitment), reason, parts);
      },
      reserve: (call, provider, amount) => reserveCollateral(call, lower(provider), amount),
      releaseReserved: (call, provider, amount) => releaseCollateral(call, lower(provider), amount),
      takeReserved: (call, provider, amount, reason, to) =>
        takeReserved(call, lower(provider), amount, reason, lower(to)),
      takeCollateral: (call, provider, amount, reason, to) =>
        takeCollateral(call, lower(provider), amount, reason, lower(to)),
      settle: (call, provider, outcome, computeUnits, busySeconds, earned) => {
        const settlement = { outcome: outcome as SettlementOutcome, computeUnits, busySeconds, earned };
        recordSettlement(call, lower(provider), settlement);
      },
      freeze: (call, verifier, amount) => freezeStake(call, lower(verifier), amount),
      takeFrozen: (call, verifier, amount, reason, to) => takeFrozen(call, lower(verifier), amount, reason, lower(to)),
      releaseFrozen: (call, verifier, amount) => releaseFrozen(call, lower(verifier), amount),
      takeStake: (call, verifier, amount, reason, to) => takeStake(call, lower(verifier), amount, reason, lower(to)),
      jail: (call, verifier, until) => jailVerifier(call, lower(verifier), until),
    },
  });
  modules.set(MARKET_ADDRESS, market);
}
