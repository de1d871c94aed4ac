/**
 * In place of @noble/curves/secp256k1, which viem fetches to find out who signed an EIP-7702 authorization before it sends one.
 * The page sends none: wallets sign, and 10 KB less is 10 KB less.
 */
export const secp256k1: undefined = undefined;
