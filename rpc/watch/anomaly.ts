/** What monitors look for, and what they look at. Pure: time comes in as data, so a recorded history gives the same findings. */

export const SEVERITIES = ["notice", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a detector has found. `data` is for programs, `message` for people. */
export interface Finding {
  readonly kind: string;
  readonly severity: Severity;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | boolean>>;
}

export interface Anomaly extends Finding {
  /** Counts up from 1 since the node's RPC began. */
  readonly id: number;
  /** The last block when it was found. */
  readonly blockNumber: number;
  /** Since 1970, by the clock of whoever watches. */
  readonly milliseconds: number;
}

/** An event of a native module, decoded by its ABI. */
export interface ModuleEvent {
  readonly module: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A final block as detectors see it. */
export interface WatchedBlock {
  readonly number: number;
  /** When its proposer made it, and when the watcher saw it final. */
  readonly milliseconds: number;
  readonly finalMilliseconds: number | undefined;
  readonly epoch: number;
  readonly view: number;
  readonly baseFeePerGas: bigint;
  /** Weights by position in the epoch's set, and who of them signed the certificate. */
  readonly weights: readonly bigint[];
  readonly signers: ReadonlySet<number>;
  readonly events: readonly ModuleEvent[];
}

/**
 * The hook for further monitors: one object that hears of every block and of time passing, and says what it finds. It may
 * keep what it needs between blocks, within a bound of its own.
 */
export interface Detector {
  onBlock(block: WatchedBlock): readonly Finding[];
  /** Every few seconds: for what shows by its absence. */
  onTime?(milliseconds: number): readonly Finding[];
}
