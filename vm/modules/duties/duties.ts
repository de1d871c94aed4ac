/**
 * Whose turn it is. A duty is a call that somebody owes in the state as it is, and loses money by not making: to seal, open,
 * reveal, publish, commit, or answer. The handlers' own conditions decide, asked without gas; what only executing the
 * call can tell (a wrong seal, a false proof) is found out once, for a call that fails is not taken for a duty again.
 * docs/spec/execution.md, "Reserved gas".
 */
import type { Abi } from "viem";
import { WHOLE } from "../../../genesis/economy.ts";
import type { Duty, DutyRules } from "../../execution/duties.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import type { WorkingState } from "../../state/working-state.ts";
import type { UnsignedTransaction } from "../../transaction/transaction.ts";
import { decodeCall, selectorIn, selectorOf } from "../abi-codec.ts";
import { MARKET_ADDRESS, VERIFICATION_ADDRESS } from "../addresses.ts";
import { MARKET_DUTIES } from "../market/duties.ts";
import { ModuleCall } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { slotOf } from "../storage.ts";
import { VERIFICATION_DUTIES } from "../verification/duties.ts";
import { DutyArguments } from "./duty-check.ts";

/** What one of them may ask for: more than the costliest turn takes, and not all that is kept of a block. */
export const MAX_DUTY_GAS = 3_000_000n;
/** What its call data may have, for nobody pays for decoding it: more than a call that stages chunks or opens tiles brings. */
export const MAX_DUTY_BYTES = 81_920;
/** Nobody pays for the asking. */
const ASKING_GAS = 1n << 128n;

const MODULES = [
  { address: VERIFICATION_ADDRESS, abi: verificationAbi, checks: VERIFICATION_DUTIES },
  { address: MARKET_ADDRESS, abi: marketAbi, checks: MARKET_DUTIES },
].map(({ address, abi, checks }) => ({
  address,
  abi,
  bySelector: new Map(Object.entries(checks).map(([name, check]) => [selectorOf(abi, name), { name, check }])),
}));

export function createDutyRules(parameters: ParameterStore): DutyRules {
  return {
    terms: (state, gasLimit) => {
      const { reservedShare, reservedBaseFee } = parameters.current(state).verification;
      return { reservedGas: (gasLimit * reservedShare) / WHOLE, baseFeePerGas: reservedBaseFee };
    },
    find: (state, environment, transaction, sender) => findDuty(parameters, state, environment, transaction, sender),
  };
}

function findDuty(
  parameters: ParameterStore,
  state: WorkingState,
  environment: BlockEnvironment,
  { to, value, data, gasLimit, accessList }: UnsignedTransaction,
  caller: Address,
): Duty | undefined {
  const module = MODULES.find(({ address }) => address === to);
  if (module === undefined || value > 0n || accessList.length > 0 || gasLimit > MAX_DUTY_GAS) return undefined;
  if (data.length > MAX_DUTY_BYTES) return undefined;
  const { abi, address, bySelector } = module;
  const found = bySelector.get(selectorIn(data));
  if (found === undefined) return undefined;
  const message = { caller, value, data, gasLimit: ASKING_GAS, isStatic: true };
  const call = ModuleCall.of({ address, parameters }, message, state, environment);
  const args = new DutyArguments(data, () => decodedOnce(abi, data));
  let duty: Duty | undefined;
  // A bug of ours met in asking is the same on every node, like one met in the call, and does not end the block either.
  call.attempt(() => {
    const failedSlot = slotOf("failed duty", address, found.name, args.integer(0, 256), caller);
    if (state.storage(VERIFICATION_ADDRESS, failedSlot).length > 0 || !found.check(call, args)) return;
    // What is not as the ABI encodes it is no call of the function, whosever turn it is.
    args.decoded();
    duty = { account: VERIFICATION_ADDRESS, failedSlot };
  });
  return duty;
}

/** What waits is asked about after every block: it is decoded the first time. */
const DECODED = new WeakMap<Uint8Array, readonly unknown[]>();

function decodedOnce(abi: Abi, data: Uint8Array): readonly unknown[] | undefined {
  const known = DECODED.get(data);
  if (known !== undefined) return known;
  const args = decodeCall(abi, data)?.args;
  if (args !== undefined) DECODED.set(data, args);
  return args;
}
