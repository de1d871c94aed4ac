/** What the node answers, as programs want it: quantities are bigints. docs/rpc.md says what each thing is. */
import type { Hex } from "viem";

export interface NodeStatus {
  readonly network: string;
  readonly chainId: number;
  readonly development: boolean;
  readonly clientVersion: string;
  readonly role: "validator" | "follower";
  /** Position in the epoch's set. */
  readonly validator: number | null;
  readonly epoch: number;
  readonly view: number;
  readonly head: { readonly number: bigint; readonly hash: Hex; readonly milliseconds: number };
  readonly oldestBlock: bigint;
  readonly archive: boolean;
  readonly peers: number;
}

export interface ValidatorWeight {
  readonly index: number;
  /** BLS, 48 bytes. */
  readonly publicKey: Hex;
  readonly weight: bigint;
}

export interface EpochValidators {
  readonly epoch: number;
  readonly totalWeight: bigint;
  readonly validators: readonly ValidatorWeight[];
}

export interface FinalityCertificate {
  readonly kind: string;
  readonly epoch: number;
  readonly view: number;
  /** May be of a later block, with which the one asked for became final. */
  readonly blockNumber: bigint | null;
  readonly blockHash: Hex;
  readonly signature: Hex;
  readonly encoded: Hex;
  readonly signers: readonly ValidatorWeight[];
  readonly signedWeight: bigint;
  readonly totalWeight: bigint;
}

export interface Finality {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** None for genesis. */
  readonly certificate: FinalityCertificate | null;
}

/** For a light client: bytes as chain/light-client reads them. */
export interface LightClientProof {
  readonly blockNumber: bigint;
  readonly header: Hex;
  readonly certificate: Hex;
  readonly validators: readonly ValidatorWeight[];
  readonly nextValidators?: readonly ValidatorWeight[];
  readonly ancestors: readonly Hex[];
  readonly seals: readonly {
    readonly header: Hex;
    readonly certificate: Hex;
    readonly nextValidators: readonly ValidatorWeight[];
  }[];
}

export interface Supply {
  readonly total: bigint;
  readonly genesis: bigint;
  readonly minted: bigint;
  readonly burned: bigint;
  readonly cap: bigint;
  /** What modules hold for others. */
  readonly locked: Readonly<Record<LockedIn, bigint>>;
}

export type LockedIn =
  | "staked"
  | "unbonding"
  | "rewards"
  | "trust"
  | "collateral"
  | "verifiers"
  | "deposits"
  | "treasury";

export interface Peer {
  readonly id: string;
  readonly height: bigint;
}

export interface Evidence {
  readonly offence: string;
  readonly publicKey: Hex;
  readonly epoch: number;
  readonly view: number;
  /** Signed votes, as the slashing module takes them. */
  readonly first: Hex;
  readonly second: Hex;
}

/** A block at a glance. */
export interface RecentBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly milliseconds: number;
  /** When the node saw it final; null for blocks from before it started. */
  readonly finalMilliseconds: number | null;
  readonly epoch: number;
  readonly view: number;
  /** Position of its proposer in the epoch's set. */
  readonly proposer: number;
  readonly coinbase: Hex;
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** Positions of those whose signatures are in the certificate. */
  readonly signers: readonly number[];
  readonly signedWeight: bigint;
  readonly totalWeight: bigint;
}

/** Something unusual that a node has found. docs/monitoring.md lists the kinds. */
export interface Anomaly {
  readonly id: number;
  readonly kind: string;
  readonly severity: "notice" | "warning" | "critical";
  readonly blockNumber: number;
  readonly milliseconds: number;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | boolean>>;
}
