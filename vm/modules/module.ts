/**
 * The one interface of native modules: protocol logic in TypeScript behind a Solidity ABI at a system address.
 * A module is its ABI and one handler per function; the compiler checks that they fit. It reads and writes the
 * slots of its own account, moves money through the state, emits ordinary logs, and pays gas for each.
 */
import type { Abi, ContractFunctionArgs, ContractFunctionName } from "viem";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Address } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";
import type { ModuleCall } from "./module-call.ts";

type Mutability = "pure" | "view" | "nonpayable" | "payable";

/** One function per ABI function. What it returns is encoded by the ABI: a value, or an array for several. */
export type ModuleHandlers<A extends Abi> = {
  readonly [Name in ContractFunctionName<A>]: (
    call: ModuleCall,
    ...args: ContractFunctionArgs<A, Mutability, Name> extends readonly unknown[]
      ? ContractFunctionArgs<A, Mutability, Name>
      : never
  ) => unknown;
};

/** A module with its handlers' types forgotten: what the executor dispatches to. */
export interface NativeModule {
  readonly name: string;
  readonly address: Address;
  readonly abi: Abi;
  readonly handlers: Readonly<Record<string, (call: ModuleCall, ...args: never[]) => unknown>>;
  /** Work of the protocol itself after a block's last transaction. */
  readonly endBlock?: (state: WorkingState, environment: BlockEnvironment) => void;
}

export function defineModule<const A extends Abi>(definition: {
  readonly name: string;
  readonly address: Address;
  readonly abi: A;
  readonly handlers: ModuleHandlers<A>;
  readonly endBlock?: NativeModule["endBlock"];
}): NativeModule {
  return definition as unknown as NativeModule;
}

/** Code of a module's account, so that Solidity's extcodesize check passes; it never runs (INVALID if it did). */
export const MODULE_CODE: Uint8Array = new Uint8Array([0xfe]);
