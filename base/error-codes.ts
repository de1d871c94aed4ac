/** Every code that `base` throws. Other layers have a list of their own; codes are stable once released. */
export type BaseErrorCode =
  /** Text that is not hexadecimal with `0x`. */
  | "BAD_HEX"
  /** Bytes that do not fit in the width asked for. */
  | "TOO_LONG"
  /** Bytes that are not canonical RLP, or not the shape that the reader asked for. */
  | "RLP_INVALID"
  /** Text that is not an address, or whose capitals are not its EIP-55 checksum. */
  | "BAD_ADDRESS"
  /** Text that is not an amount in the unit asked for. */
  | "BAD_AMOUNT"
  /** A private key that is zero, not below the order of its group, or of the wrong length. */
  | "BAD_PRIVATE_KEY"
  /** A public key that is no point of its group; for BLS also infinity. */
  | "BAD_PUBLIC_KEY"
  /** A signature that cannot be read as a point of its group. */
  | "BAD_SIGNATURE"
  /** Seed material too short to make a key from. */
  | "BAD_SEED"
  /** Bytes that are no vote: of unknown kind, or with a hash where there is none or none where there is one. */
  | "VOTE_MALFORMED";
