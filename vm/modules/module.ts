/**
 * The one interface of native modules: protocol logic in TypeScript behind a Solidity ABI at a system address.
 * A module is its ABI and one handler per function; the compiler checks that they fit. It reads and writes the
 * slots of its own account, moves money through the state, emits ordinary logs, and pays gas for each.
 *
 * A block runs the hooks of all modules in their order: `beginBlock`, the transactions, `endEpoch` if the block ends an
 * epoch, `endBlock`. Hooks pay no gas, so what they do is bounded by the protocol and never by what users have made.
 */
import type { Abi, ContractFunctionArgs, ContractFunctionName } from "viem";
import type { Address } from "../state/account.ts";
import type { ModuleCall } from "./module-call.ts";
import type { ParameterStore } from "./parameter-store.ts";

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

/** The protocol's own work. The call has no caller, no value and no end of gas; its logs go to the block's own receipt. */
export type ModuleHook = (call: ModuleCall) => void;

interface ModuleOptions {
  /** For a module that has parameters of the economy, or works with one that has. */
  readonly parameters?: ParameterStore;
  /** Called once, when the genesis state is built. Its logs are dropped. */
  readonly genesis?: ModuleHook;
  readonly beginBlock?: ModuleHook;
  readonly endEpoch?: ModuleHook;
  readonly endBlock?: ModuleHook;
}

/** A module with its handlers' types forgotten: what the executor dispatches to. */
export interface NativeModule extends ModuleOptions {
  readonly name: string;
  readonly address: Address;
  readonly abi: Abi;
  readonly handlers: Readonly<Record<string, (call: ModuleCall, ...args: never[]) => unknown>>;
}

export function defineModule<const A extends Abi>(
  definition: ModuleOptions & {
    readonly name: string;
    readonly address: Address;
    readonly abi: A;
    readonly handlers: ModuleHandlers<A>;
  },
): NativeModule {
  return definition as unknown as NativeModule;
}

/** Code of a module's account, so that Solidity's extcodesize check passes; it never runs (INVALID if it did). */
export const MODULE_CODE: Uint8Array = new Uint8Array([0xfe]);
