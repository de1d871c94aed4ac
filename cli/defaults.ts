/** The port that Ethereum's nodes answer JSON-RPC on. */
export const DEFAULT_RPC_PORT = 8545;
