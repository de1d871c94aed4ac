/** The read side of a state: implemented by the store on disk, by memory, and by overlays over either. */
import type { Hex } from "../../base/bytes.ts";
import type { Account, Address } from "./account.ts";

/** Reads are synchronous: an awaited read costs 0.7 us against 10 ns (measured), and the VM reads a lot. */
export interface StateReader {
  account(address: Address): Account | undefined;
  /** Shortest big-endian form, empty for zero. `slot` is 32 bytes of lower-case hex. */
  storage(address: Address, slot: Hex): Uint8Array;
  /** True when any slot of the account is not zero (EIP-7610 asks). */
  hasStorage(address: Address): boolean;
  /** The code with that keccak-256 hash. */
  code(codeHash: Hex): Uint8Array;
}

/** What a block changed: the last value of everything it wrote. */
export interface StateChanges {
  /** `undefined`: the account is gone. */
  readonly accounts: ReadonlyMap<Address, Account | undefined>;
  readonly storage: ReadonlyMap<Address, ReadonlyMap<Hex, Uint8Array>>;
  /** New code by its hash. */
  readonly code: ReadonlyMap<Hex, Uint8Array>;
}
