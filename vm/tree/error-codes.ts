/** Every code that the state tree throws. Codes are stable once released. */
export type TreeErrorCode =
  /** Bytes that are not a page as `encodePage` writes it: the database is damaged. */
  | "PAGE_DAMAGED"
  /** A proof that does not show what it claims, or is not well formed. */
  | "PROOF_INVALID";
