/**
 * Contracts that are at the same address on every chain, because nobody has the key of their maker: the signature of the
 * transaction was made up, and its sender is whoever it would be the signature of. It names no chain (before EIP-155).
 */
import { type Address, getContractAddress, type Hex, recoverTransactionAddress, serializeTransaction } from "viem";

/** What deploys under addresses made of code and salt, at 0x4e59b44847b379578588920cA78FbF26c0B4956C on many chains. */
export const CREATE2_FACTORY: {
  readonly address: Address;
  readonly sender: Address;
  /** 100 gwei for each unit of gas. */
  readonly cost: bigint;
  readonly raw: Hex;
} = {
  address: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
  sender: "0x3fAB184622Dc19b6109349B94811493BF2a45362",
  cost: 10n ** 16n,
  raw: `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7f${"ff".repeat(31)}e03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${"22".repeat(32)}a0${"22".repeat(32)}`,
};

export interface Keyless {
  readonly raw: Hex;
  readonly sender: Address;
  readonly address: Address;
  readonly cost: bigint;
}

/** The same for any creation code. */
export async function keylessCreation(code: Hex, gas: bigint): Promise<Keyless> {
  const gasPrice = 100n * 10n ** 9n;
  const word: Hex = `0x${"22".repeat(32)}`;
  const transaction = { type: "legacy", nonce: 0, gasPrice, gas, data: code } as const;
  const raw = serializeTransaction(transaction, { r: word, s: word, v: 27n });
  const sender = await recoverTransactionAddress({ serializedTransaction: raw });
  return { raw, sender, address: getContractAddress({ from: sender, nonce: 0n }), cost: gas * gasPrice };
}
