import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { getBalance } from "viem/actions";
import { shortHex } from "../format/hex.ts";
import { status } from "../state/live.ts";
import { node } from "../state/node.ts";
import { useQuery } from "../state/use-query.ts";
import { useStore } from "../state/use-store.ts";
import { type InjectedWallet, injectedWallets } from "../wallet/injected.ts";
import { showToast } from "../wallet/toasts.ts";
import { chooseTestAccount, connectInjected, disconnect, testAccounts, wallet } from "../wallet/wallet.ts";
import { describeProblem } from "../words/problem.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icons.tsx";
import { Address, Amount } from "./values.tsx";

export function WalletButton(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const connected = useStore(wallet);
  return (
    <>
      <button type="button" class={connected === undefined ? "button primary" : "button"} onClick={() => setOpen(true)}>
        <Icon name="wallet" />
        {connected === undefined ? "Connect wallet" : <span class="mono">{shortHex(connected.address, 4, 4)}</span>}
      </button>
      {isOpen && (
        <Dialog title={connected === undefined ? "Connect a wallet" : "Your wallet"} onClose={() => setOpen(false)}>
          {connected === undefined ? (
            <Choices onChosen={() => setOpen(false)} />
          ) : (
            <Connected onClose={() => setOpen(false)} />
          )}
        </Dialog>
      )}
    </>
  );
}

function Connected({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
  const connected = useStore(wallet);
  const address = connected?.address;
  const balance = useQuery(`balance ${address}`, async () => address && (await getBalance(node, { address })), true);
  if (connected === undefined) return null;
  return (
    <>
      <p class="soft">{connected.name}</p>
      <p>
        <Address of={connected.address} />
      </p>
      <p>{balance.value === undefined ? <span class="skeleton" /> : <Amount wei={balance.value} />}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          disconnect();
          onClose();
        }}
      >
        Disconnect
      </button>
    </>
  );
}

function Choices({ onChosen }: { readonly onChosen: () => void }): JSX.Element {
  const injected = useStore(injectedWallets);
  const isDevelopment = useStore(status)?.development === true;
  const accounts = useQuery(`accounts ${isDevelopment}`, async () => (isDevelopment ? await testAccounts() : []));
  const connect = async (choice: InjectedWallet) => {
    try {
      await connectInjected(choice);
      onChosen();
    } catch (error) {
      onChosen();
      showToast({ tone: "bad", ...describeProblem(error) });
    }
  };
  return (
    <>
      {injected.length === 0 && (
        <p class="soft">
          No browser wallet was found. Any wallet for Ethereum works: install one and load this page again.
        </p>
      )}
      {injected.map((choice) => (
        <button type="button" key={choice.id} class="choice" onClick={() => void connect(choice)}>
          {choice.icon === undefined ? <Icon name="wallet" /> : <img src={choice.icon} alt="" />}
          <span class="spread">{choice.name}</span>
        </button>
      ))}
      {(accounts.value ?? []).length > 0 && (
        <>
          <h3>Test accounts</h3>
          <p class="soft small">
            On this development chain the node signs for these. Everybody has their keys: use them to try things.
          </p>
          {(accounts.value ?? []).slice(0, 10).map((address, index) => (
            <button
              type="button"
              key={address}
              class="choice"
              onClick={() => {
                chooseTestAccount(address, `Test account ${index}`);
                onChosen();
              }}
            >
              <span class="spread">Test account {index}</span>
              <span class="mono soft">{shortHex(address)}</span>
            </button>
          ))}
        </>
      )}
    </>
  );
}
