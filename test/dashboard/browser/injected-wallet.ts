/** A browser wallet as extensions are: announced in the page (EIP-6963), signing outside of it with a key of its own. */
import type { Page } from "playwright-core";
import { type Chain, createWalletClient, type Hex, http, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

interface Request {
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface TransactionRequest {
  readonly to?: Hex;
  readonly data?: Hex;
  readonly value?: Hex;
}

export class InjectedWallet {
  readonly address: Hex;
  /** What its owner answers when asked to sign. */
  refuses = false;
  readonly asked: string[] = [];
  private readonly chain: Chain;
  private readonly key: Hex;

  constructor(key: Hex, chain: Chain) {
    this.key = key;
    this.chain = chain;
    this.address = privateKeyToAccount(key).address;
  }

  async install(page: Page, name: string): Promise<void> {
    await page.exposeFunction("walletOutside", (request: Request) => this.answer(request));
    await page.addInitScript((walletName) => {
      const outside = (globalThis as unknown as { walletOutside(request: unknown): Promise<Answer> }).walletOutside;
      interface Answer {
        readonly result?: unknown;
        readonly error?: unknown;
      }
      const provider = {
        request: async (request: unknown) => {
          const { result, error } = await outside(request);
          if (error !== undefined) throw Object.assign(new Error("wallet"), error);
          return result;
        },
        on: () => undefined,
      };
      const detail = {
        info: { uuid: walletName, name: walletName, icon: "data:image/svg+xml,<svg/>", rdns: "test" },
        provider,
      };
      const world = globalThis as unknown as EventTarget;
      const announce = () => world.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      world.addEventListener("eip6963:requestProvider", announce);
      announce();
    }, name);
  }

  private async answer({ method, params = [] }: Request): Promise<object> {
    this.asked.push(method);
    if (method === "eth_sendTransaction" && this.refuses) {
      return { error: { code: 4001, message: "User rejected the request." } };
    }
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return { result: [this.address] };
      case "eth_chainId":
        return { result: numberToHex(this.chain.id) };
      case "eth_sendTransaction":
        return { result: await this.send(params[0] as TransactionRequest) };
      default:
        return { error: { code: 4200, message: `${method} is not offered` } };
    }
  }

  private async send({ to, data, value }: TransactionRequest): Promise<Hex> {
    const account = privateKeyToAccount(this.key);
    const client = createWalletClient({ account, chain: this.chain, transport: http() });
    return await client.sendTransaction({
      ...(to !== undefined && { to }),
      ...(data !== undefined && { data }),
      value: BigInt(value ?? 0),
    });
  }
}
