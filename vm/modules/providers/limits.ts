/** The bounds of what providers say of themselves and of their devices. */

/** Bytes of UTF-8. */
export const MAX_NAME_BYTES = 64;
export const MAX_ENDPOINT_BYTES = 256;

/** Tiers are priced one by one, so there are few. */
export const MAX_TIER = 15;
