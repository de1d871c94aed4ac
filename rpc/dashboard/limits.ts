/** What the dashboard's files may take in memory: it is smaller, and a folder that is not it is not read. */
export const MAX_FILES = 512;
/** The largest has the PTX of all operators of models. */
export const MAX_FILE_BYTES: number = 3 * 1024 * 1024;
export const MAX_TOTAL_BYTES: number = 8 * 1024 * 1024;
