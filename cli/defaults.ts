/** The port that Ethereum's nodes answer JSON-RPC on. */
export const DEFAULT_RPC_PORT = 8545;

/** Where other nodes find this one. */
export const DEFAULT_P2P_PORT = 30_333;

/** Whoever reaches the RPC may use it, so by default only this machine does. */
export const DEFAULT_RPC_HOST = "127.0.0.1";
