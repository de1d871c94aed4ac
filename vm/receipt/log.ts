/** A log: what a contract or a native module tells the world. */
import type { Hex } from "../../base/bytes.ts";
import type { Address } from "../state/account.ts";

export interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Uint8Array;
}
