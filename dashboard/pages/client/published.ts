import type { Hex } from "viem";

/** A program on the chain, with what was chosen for its inputs. */
export interface Published {
  readonly program: Hex;
  /** Content addresses; empty where no file was chosen. */
  readonly inputs: readonly string[];
}
