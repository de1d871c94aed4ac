/**
 * The chain spec: everything that makes one network differ from another, and its first state. It is JSON for
 * people and tools; `parse-chain-spec.ts` reads it, `verify-parameters.ts` says what must hold.
 * docs/spec/genesis.md explains each field.
 */
import type { Hex } from "../base/bytes.ts";
import type { EconomyParameters } from "./economy.ts";
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

/** How the validators come to agree (docs/spec/proof-of-sync.md). */
export interface ConsensusSpec {
  /** How long a view is given after a final one, what each further view adds, and the most that comes to. */
  readonly viewTimeoutMilliseconds: number;
  readonly viewTimeoutStepMilliseconds: number;
  readonly viewTimeoutCapMilliseconds: number;
  /** An idle chain makes a block so long after the last one. */
  readonly heartbeatMilliseconds: number;
  /** Without progress for so long, a node says everything again. */
  readonly resendMilliseconds: number;
  /** What is missing is asked for again, from somebody else, after so long. */
  readonly fetchMilliseconds: number;
  /** How far a block's time may be ahead of the local clock. */
  readonly maxSkewMilliseconds: number;
  /** So many blocks above the final one only empty ones are valid. */
  readonly maxUnfinalBlocks: number;
  /** No validator weighs more than one part in so many. */
  readonly weightCapDivisor: number;
  /** Blocks of an epoch, its seal included. */
  readonly epochBlocks: number;
  /** How long a light client may rely on a header. Shorter than unbonding. */
  readonly trustingPeriodSeconds: number;
}

export interface GenesisValidator {
  /** BLS, 48 bytes in lower-case hex. */
  readonly publicKey: Hex;
  /** That the maker of the key has its private half (verify-validators.ts checks it). */
  readonly proofOfPossession: Hex;
  /** Wei that genesis makes and stakes for the operator. */
  readonly stake: bigint;
  /** The account that acts for the validator. */
  readonly operator: Hex;
}

export interface GenesisVerifier {
  readonly account: Hex;
  /** Wei that genesis makes and stakes for it. */
  readonly stake: bigint;
}

/** As many as an epoch may have: a certificate then has a bitmap of 512 bytes. */
export const MAX_SPEC_VALIDATORS = 4096;
export const MAX_SPEC_VERIFIERS = 1000;

export interface TokenSpec {
  /** The most that will ever exist, in wei. */
  readonly cap: bigint;
  readonly emission: EmissionSchedule;
}

/** One entry per native module that has parameters, under the module's name. */
export interface ModuleParameters extends EconomyParameters {
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
  /** A chain to play with: its keys are known, its nodes give test accounts away, and its rules are looser. */
  readonly development: boolean;
  readonly fork: SpecFork;
  /** Seconds since 1970 of the genesis block. */
  readonly genesisTime: bigint;
  readonly block: BlockParameters;
  readonly consensus: ConsensusSpec;
  readonly modules: ModuleParameters;
  /** Of the first epoch. A network without any is not launched. */
  readonly validators: readonly GenesisValidator[];
  /** Who can be drawn in the first epoch to check work; later on everybody who has registered. */
  readonly verifiers: readonly GenesisVerifier[];
  readonly accounts: readonly GenesisAccount[];
}

/** What the genesis block allocates: balances, and what its validators and verifiers have staked. */
export function allocatedSupply(spec: ChainSpec): bigint {
  const staked = [...spec.validators, ...spec.verifiers].reduce((sum, { stake }) => sum + stake, 0n);
  return spec.accounts.reduce((sum, { balance }) => sum + balance, staked);
}
