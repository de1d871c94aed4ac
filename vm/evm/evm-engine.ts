/**
 * The EVM behind a narrow port: one message in, one outcome out, so that another engine can take its place without
 * touching anything else.
 */

import type { BlockEnvironment } from "../execution/environment.ts";
import type { Log } from "../receipt/log.ts";
import type { Address } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";
import type { AccessListEntry } from "../transaction/transaction.ts";

/** The outermost message of a transaction. Gas is paid for and the nonce raised before it runs. */
export interface EvmMessage {
  readonly from: Address;
  /** `undefined`: create a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  readonly gasPrice: bigint;
  readonly accessList: readonly AccessListEntry[];
}

export interface EvmOutcome {
  readonly succeeded: boolean;
  /** Before refunds. */
  readonly gasUsed: bigint;
  readonly gasRefund: bigint;
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
  /** Why it did not succeed, in the words of Ethereum's clients. */
  readonly failure?: string | undefined;
  readonly createdAddress: Address | undefined;
  /** Contracts that destroyed themselves in the transaction that created them (EIP-6780). */
  readonly destroyed: readonly Address[];
}

export interface EvmEngine {
  /** One message at a time: an engine holds the state of the message it runs. */
  execute(message: EvmMessage, state: WorkingState, environment: BlockEnvironment): EvmOutcome;
  isPrecompile(address: Address): boolean;
}
