/** Every bound of the store's memory, in one place. */
export interface StoreLimits {
  /** Decoded accounts; about 300 bytes each. */
  readonly cachedAccounts: number;
  /** Slots; about 300 bytes each. */
  readonly cachedSlots: number;
  /** Decoded pages of the tree, in bytes. */
  readonly cachedPageBytes: number;
  readonly cachedCodeBytes: number;
  /** LevelDB's cache of blocks of its files, in bytes. */
  readonly databaseCacheBytes: number;
  /** LevelDB's memory table, in bytes; there may be two. What is in it is also in the log, and is read at start. */
  readonly writeBufferBytes: number;
  /**
   * Blocks before the head that are checked at start. As many as the log may hold: LevelDB skips a damaged part of its
   * log and goes on after it, so that a block may be missing among its successors.
   */
  readonly checkedBlocks: number;
  /**
   * Versions of the state that stay readable after newer ones are final: a minute of blocks that follow each other every
   * 200 ms. Wallets ask about a block that they have heard of so long ago. What they cost is not measurable.
   */
  readonly retainedVersions: number;
  /** Blocks that wait for the disk; the next one has to wait itself. */
  readonly blocksInFlight: number;
  /** Leaves of one batch of a state import. */
  readonly importBatchLeaves: number;
}

export const DEFAULT_LIMITS: StoreLimits = {
  cachedAccounts: 200_000,
  cachedSlots: 200_000,
  cachedPageBytes: 128 * 1024 * 1024,
  cachedCodeBytes: 16 * 1024 * 1024,
  databaseCacheBytes: 64 * 1024 * 1024,
  writeBufferBytes: 32 * 1024 * 1024,
  checkedBlocks: 32_768,
  retainedVersions: 320,
  blocksInFlight: 4,
  importBatchLeaves: 8_192,
};
