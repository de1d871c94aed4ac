/** Every bound of keys and keystores, in one place. */

/** A keystore has about one kilobyte. */
export const MAX_KEYSTORE_BYTES: number = 64 * 1024;

/** What scrypt may take: four times the memory of a common keystore. */
export const MAX_SCRYPT_BYTES: number = 2 ** 30;
export const MAX_SCRYPT_PARALLEL = 16;
export const MAX_SCRYPT_N: number = 2 ** 24;
export const MAX_SCRYPT_R = 64;

export const MAX_PBKDF2_ROUNDS = 10_000_000;
export const MAX_DERIVED_BYTES = 64;
export const MAX_SALT_BYTES = 256;
export const MAX_DESCRIPTION = 500;
export const MAX_PATH = 255;

/** Characters of a new password. */
export const MIN_PASSWORD = 8;
