/** Every bound of the consensus log, in one place. */

/** Records that go to the disk in one frame, in bytes; one append may go above when it is alone. */
export const MAX_GROUP_BYTES: number = 16 * 1024 * 1024;

/** Bytes that wait for the disk. A node whose disk is that far behind stops. */
export const MAX_PENDING_BYTES: number = 256 * 1024 * 1024;

/** Votes in an exported guard: more than any node holds above its final view. */
export const MAX_EXPORTED_VOTES = 100_000;
