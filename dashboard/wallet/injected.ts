/** Wallets that a browser extension puts into the page: announced as EIP-6963 says, or as `window.ethereum` alone. */
import type { EIP1193Provider } from "viem";
import { Store } from "../state/store.ts";

export interface InjectedWallet {
  readonly id: string;
  readonly name: string;
  /** A data URI; anything else is not shown. */
  readonly icon: string | undefined;
  readonly provider: EIP1193Provider;
}

const MAX_WALLETS = 20;

export const injectedWallets: Store<readonly InjectedWallet[]> = new Store<readonly InjectedWallet[]>([]);

interface Announcement {
  readonly info?: { readonly uuid?: unknown; readonly name?: unknown; readonly icon?: unknown };
  readonly provider?: EIP1193Provider;
}

function add(wallet: InjectedWallet): void {
  injectedWallets.update((known) =>
    known.length >= MAX_WALLETS || known.some(({ id }) => id === wallet.id) ? known : [...known, wallet],
  );
}

/** Once, when the page starts. */
export function discoverWallets(): void {
  addEventListener("eip6963:announceProvider", (event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail ?? {};
    if (provider === undefined || typeof info?.name !== "string") return;
    const icon = typeof info.icon === "string" && info.icon.startsWith("data:image/") ? info.icon : undefined;
    add({ id: String(info.uuid ?? info.name), name: info.name, icon, provider });
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  const { ethereum } = globalThis as { readonly ethereum?: EIP1193Provider };
  // Those that announce themselves do so at once.
  setTimeout(() => {
    if (ethereum !== undefined && injectedWallets.value.length === 0) {
      add({ id: "window.ethereum", name: "Browser wallet", icon: undefined, provider: ethereum });
    }
  }, 200);
}
