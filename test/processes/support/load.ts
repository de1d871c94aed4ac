/**
 * Clients that send transfers without a pause and remember what was acknowledged. Each has one account and sends its
 * next transfer only when the one before is acknowledged or final, so that nothing ever waits for a nonce that no node
 * has promised to keep. Half of them stay with one node, as a wallet does; the others go to the next when theirs fails.
 */
import { setTimeout as delay } from "node:timers/promises";
import { bytesToHex, EMPTY_BYTES, type Hex } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { GWEI } from "../../../base/units.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import type { Address } from "../../../vm/state/account.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { request } from "./json-rpc.ts";

export interface LoadOptions {
  readonly chainId: bigint;
  readonly nodes: number;
  readonly clients: number;
  /** Milliseconds from an acknowledgement to the client's next transfer. */
  readonly pause: number;
  /** `undefined` while it does not run. */
  url(node: number): string | undefined;
}

/** What a node may answer to an honest client while the network has trouble. */
const TEMPORARY: ReadonlySet<string> = new Set([
  "NODE_BUSY",
  "NODE_STOPPING",
  "MEMPOOL_KNOWN",
  "MEMPOOL_NONCE_TOO_LOW",
  "MEMPOOL_NONCE_TOO_FAR",
  "TX_NONCE_TOO_LOW",
]);
const RETRY_PAUSE = 50;
const RECEIVER: Address = "0x00000000000000000000000000000000000c0ffe";

export class Load {
  /** By transaction; the node that acknowledged it. */
  readonly acknowledged: Map<Hex, number> = new Map();
  /** Answers that no honest client should get. */
  readonly refusals: string[] = [];
  readonly #options: LoadOptions;
  readonly #nonces: bigint[];
  #isStopped = true;
  #clients: readonly Promise<void>[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#nonces = Array.from({ length: options.clients }, () => 0n);
  }

  start(): void {
    this.#isStopped = false;
    this.#clients = this.#nonces.map((_, client) => this.#run(client));
  }

  /** What is under way and not acknowledged is given up, and sent again first when the load goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(client: number): Promise<void> {
    while (!this.#isStopped) {
      if (!(await this.#deliver(client, this.#nonces[client] ?? 0n))) return;
      this.#nonces[client] = (this.#nonces[client] ?? 0n) + 1n;
      await delay(this.#options.pause);
    }
  }

  /** Until somebody has acknowledged it or it is final; false when the load was stopped before. */
  async #deliver(client: number, nonce: bigint): Promise<boolean> {
    const raw = this.#transfer(client, nonce);
    const hash = bytesToHex(keccak256(raw));
    const isFaithful = client % 2 === 0;
    for (let attempt = 0; !this.#isStopped; attempt++) {
      const home = Math.floor(client / 2);
      const node = (isFaithful ? home : home + attempt) % this.#options.nodes;
      const url = this.#options.url(node);
      if (url !== undefined && (await this.#send(url, node, raw, hash))) return true;
      await delay(RETRY_PAUSE);
    }
    return false;
  }

  async #send(url: string, node: number, raw: Uint8Array, hash: Hex): Promise<boolean> {
    try {
      const answer = await request<Hex>(url, "eth_sendRawTransaction", [bytesToHex(raw)]);
      if ("result" in answer) {
        if (answer.result !== hash) this.refusals.push(`another hash: ${answer.result}`);
        this.acknowledged.set(hash, node);
        return true;
      }
      const { error } = answer;
      if (!TEMPORARY.has(error.data?.code ?? "")) this.refusals.push(`${error.code} ${error.message}`);
      const receipt = await request(url, "eth_getTransactionReceipt", [hash]);
      return "result" in receipt && receipt.result !== null;
    } catch {
      // Killed, or on its way down or up.
      return false;
    }
  }

  #transfer(client: number, nonce: bigint): Uint8Array {
    const transfer = {
      type: 2,
      chainId: this.#options.chainId,
      nonce,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: 21_000n,
      to: RECEIVER,
      value: 1n + nonce,
      data: EMPTY_BYTES,
      accessList: [],
    } as const;
    return signTransaction(transfer, testAccount(client).privateKey);
  }
}
