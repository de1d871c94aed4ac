/**
 * The chain spec: everything that makes one network differ from another, and its first state. It is JSON for
 * people and tools; `parse-chain-spec.ts` reads it, `verify-parameters.ts` says what must hold.
 * docs/spec/genesis.md explains each field.
 */
import type { Hex } from "../base/bytes.ts";
import type { EmissionSchedule } from "./emission.ts";

/** Ethereum's forks that a network may start with. */
export const SPEC_FORKS = ["cancun", "prague", "osaka"] as const;
export type SpecFork = (typeof SPEC_FORKS)[number];

export interface BlockParameters {
  /** The pace that the proposers aim at. */
  readonly intervalMilliseconds: number;
  readonly gasLimit: bigint;
  /** Wei per gas of the genesis block, from which it moves (EIP-1559). */
  readonly initialBaseFee: bigint;
  readonly maxTransactionBytes: number;
  /** Whether legacy transactions without a chain id are accepted. */
  readonly allowUnprotected: boolean;
}

export interface TokenSpec {
  /** The most that will ever exist, in wei. */
  readonly cap: bigint;
  readonly emission: EmissionSchedule;
}

/** One entry per native module that has parameters, under the module's name. */
export interface ModuleParameters {
  readonly token: TokenSpec;
}

export interface GenesisAccount {
  /** Lower-case hex. */
  readonly address: Hex;
  /** Who or what this is, for people. Not part of the chain. */
  readonly note: string;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  /** 32 bytes to a non-zero value of at most 32 bytes in shortest form. */
  readonly storage: ReadonlyMap<Hex, Uint8Array>;
}

export interface ChainSpec {
  readonly name: string;
  readonly chainId: bigint;
  readonly fork: SpecFork;
  /** Seconds since 1970 of the genesis block. */
  readonly genesisTime: bigint;
  readonly block: BlockParameters;
  readonly modules: ModuleParameters;
  readonly accounts: readonly GenesisAccount[];
}

/** What the genesis block allocates. */
export function allocatedSupply(spec: ChainSpec): bigint {
  return spec.accounts.reduce((sum, { balance }) => sum + balance, 0n);
}
