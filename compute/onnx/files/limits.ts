/** Bounds on files of tensors. */

/** Characters of the header of an npy file: numpy itself refuses more. */
export const MAX_NPY_HEADER = 10_000;
/** Pixels of an image; decoded they take 4 bytes each. */
export const MAX_PIXELS: number = 1 << 26;
/** Bytes of any file that is read. */
export const MAX_FILE_BYTES: number = 1 << 30;
