/** Who signs: an account of a browser wallet, or on a development chain one that the node signs for. */
import { type Client, createClient, custom, type EIP1193Provider, type Hex, numberToHex } from "viem";
import { status } from "../state/live.ts";
import { ask, chainOf, connection } from "../state/node.ts";
import { Store } from "../state/store.ts";
import { nameAddress } from "../words/names.ts";
import type { InjectedWallet } from "./injected.ts";

export interface ConnectedWallet {
  readonly address: Hex;
  readonly name: string;
  /** Of a browser wallet. */
  readonly provider: EIP1193Provider | undefined;
}

export const wallet: Store<ConnectedWallet | undefined> = new Store<ConnectedWallet | undefined>(undefined);

/** EIP-3085 and EIP-3326: the wallet does not know the chain yet. */
const UNKNOWN_CHAIN = 4902;

/** Accounts that the node signs for; none but on development chains. */
export async function testAccounts(): Promise<readonly Hex[]> {
  const accounts = await ask<readonly Hex[]>("eth_accounts");
  for (const [index, address] of accounts.entries()) nameAddress(address, `Test account ${index}`);
  return accounts;
}

export function chooseTestAccount(address: Hex, name: string): void {
  wallet.set({ address, name, provider: undefined });
}

export async function connectInjected({ provider, name }: InjectedWallet): Promise<void> {
  const accounts = await provider.request({ method: "eth_requestAccounts" });
  const [address] = accounts;
  if (address === undefined) throw new Error("The wallet gave no account.");
  await enterChain(provider);
  wallet.set({ address, name, provider });
  provider.on?.("accountsChanged", ([next]) => {
    if (wallet.value?.provider !== provider) return;
    wallet.set(next === undefined ? undefined : { address: next, name, provider });
  });
}

export function disconnect(): void {
  wallet.set(undefined);
}

/** Asks the wallet to be on this chain, and to learn of it first where it must. */
async function enterChain(provider: EIP1193Provider): Promise<void> {
  const current = status.value;
  if (current === undefined) throw new Error("The node has not answered yet.");
  const chain = chainOf(current);
  const chainId = numberToHex(chain.id);
  if (Number(await provider.request({ method: "eth_chainId" })) === chain.id) return;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if ((error as { readonly code?: number }).code !== UNKNOWN_CHAIN) throw error;
    const { name: chainName, nativeCurrency } = chain;
    await provider.request({
      method: "wallet_addEthereumChain",
      params: [{ chainId, chainName, nativeCurrency, rpcUrls: [location.origin] }],
    });
  }
}

/** Throws where nobody is connected. */
export async function signer(): Promise<Client> {
  const connected = wallet.value;
  const current = status.value;
  if (connected === undefined || current === undefined) throw new Error("Connect a wallet first.");
  if (connected.provider !== undefined) await enterChain(connected.provider);
  return createClient({
    account: connected.address,
    chain: chainOf(current),
    transport: custom(connected.provider ?? connection, { retryCount: 0 }),
  });
}
