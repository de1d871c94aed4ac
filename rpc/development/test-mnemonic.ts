/**
 * The mnemonic that development tools for Ethereum share: everybody knows its keys. Funded on the devnet alone;
 * whatever is sent to its accounts on a public network is taken at once.
 */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** How many of its accounts the devnet funds. */
export const TEST_ACCOUNTS = 20;
