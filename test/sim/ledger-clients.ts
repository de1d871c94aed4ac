/**
 * Clients of whole nodes: each signs transfers and calls of the token module in order of its nonces, and sends them to a
 * node or two. What a node acknowledges they believe: it is not sent again, unless that node loses its disk.
 */
import { encodeFunctionData } from "viem";
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { Prng } from "../../base/prng.ts";
import { sha256 } from "../../base/sha256.ts";
import { splitBlock } from "../../chain/blocks/block.ts";
import type { Block } from "../../chain/consensus/types.ts";
import { tokenAbi } from "../../vm/interfaces/abi/token.ts";
import { TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import type { UnsignedTransaction } from "../../vm/transaction/transaction.ts";
import { chance, exponential, integerBetween, pick } from "./chance.ts";
import type { EventQueue } from "./event-queue.ts";
import { LedgerNode } from "./ledger-node.ts";
import type { ClientAccount, LedgerWorld } from "./ledger-world.ts";
import type { SimNode } from "./sim-node.ts";
import type { Workload } from "./workload.ts";

const RETRY_EVERY = 2_000;
const GWEI = 10n ** 9n;
const SMALL = 10n ** 12n;

export const BURN_CALL: Uint8Array = hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: "burn" }));

interface Sent {
  readonly raw: Uint8Array;
  readonly hash: Hex;
  /** Nodes that said they would not lose it. */
  readonly acknowledgedBy: Set<LedgerNode>;
}

interface Client {
  readonly account: ClientAccount;
  nonce: bigint;
}

export class LedgerClients implements Workload {
  readonly #queue: EventQueue;
  readonly #prng: Prng;
  readonly #honest: readonly LedgerNode[];
  readonly #chainId: bigint;
  readonly #clients: readonly Client[];
  readonly #every: number;
  readonly #unfinal = new Map<Hex, Sent>();
  readonly #onRefused: (reason: string) => void;

  constructor(
    queue: EventQueue,
    prng: Prng,
    nodes: readonly LedgerNode[],
    { spec, accounts }: LedgerWorld,
    options: { readonly every: number; readonly onRefused: (reason: string) => void },
  ) {
    this.#queue = queue;
    this.#prng = prng;
    this.#honest = nodes.filter(({ isHonest }) => isHonest);
    this.#chainId = spec.chainId;
    this.#clients = accounts.map((account) => ({ account, nonce: 0n }));
    this.#every = options.every;
    this.#onRefused = options.onRefused;
  }

  get total(): number {
    return Number(this.#clients.reduce((sum, { nonce }) => sum + nonce, 0n));
  }

  /** Acknowledged by a node that still has its disk, and not final. */
  get acknowledgedUnfinal(): readonly { readonly hash: Hex; readonly nodes: readonly number[] }[] {
    return [...this.#unfinal.values()]
      .map(({ hash, acknowledgedBy }) => ({ hash, nodes: keepers(acknowledgedBy).map(({ index }) => index) }))
      .filter(({ nodes }) => nodes.length > 0);
  }

  start(until: number): void {
    this.#issue(until);
    this.#retry();
  }

  unfinishedOn(node: SimNode): number {
    if (!(node instanceof LedgerNode)) return 0;
    const missing = this.#clients.map(({ account, nonce }) => nonce - (node.nonceOf(account.address) ?? 0n));
    return Number(missing.reduce((sum, count) => sum + count, 0n));
  }

  /** The block is final on some node. */
  onBlock({ body }: Block): void {
    for (const raw of splitBlock(body).transactions) this.#unfinal.delete(bytesToHex(keccak256(raw)));
  }

  #issue(until: number): void {
    if (this.#queue.now > until) return;
    const client = pick(this.#prng, this.#clients);
    const raw = signTransaction(this.#nextTransaction(client), client.account.privateKey);
    const sent = { raw, hash: bytesToHex(keccak256(raw)), acknowledgedBy: new Set<LedgerNode>() };
    this.#unfinal.set(sent.hash, sent);
    this.#submit(sent);
    if (chance(this.#prng, 0.3)) this.#submit(sent);
    this.#queue.after(exponential(this.#prng, this.#every), () => this.#issue(until));
  }

  #nextTransaction(client: Client): UnsignedTransaction {
    const prng = this.#prng;
    const tip = BigInt(integerBetween(prng, 0, 3)) * GWEI;
    const common = {
      type: 2,
      chainId: this.#chainId,
      nonce: client.nonce++,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: tip,
      accessList: [],
    } as const;
    const value = BigInt(prng.below(1_000_000)) * SMALL;
    // A burn of nothing fails, and is in the block all the same.
    if (chance(prng, 0.2)) return { ...common, to: TOKEN_ADDRESS, value, data: BURN_CALL, gasLimit: 100_000n };
    const to = chance(prng, 0.7)
      ? pick(prng, this.#clients).account.address
      : bytesToHex(sha256(utf8(`stranger ${prng.below(40)}`)).subarray(0, 20));
    return { ...common, to, value, data: new Uint8Array(), gasLimit: 21_000n };
  }

  #submit(sent: Sent): void {
    const up = this.#honest.filter(({ node }) => node !== undefined);
    if (up.length === 0) return;
    const node = pick(this.#prng, up);
    node.submit(sent.raw)?.then(
      () => sent.acknowledgedBy.add(node),
      (error: unknown) => {
        // Sent again to a node that has it, or after it was included.
        if (isCoded(error, "MEMPOOL_KNOWN", "MEMPOOL_NONCE_TOO_LOW", "TX_NONCE_TOO_LOW", "NODE_STOPPING")) return;
        this.#onRefused(error instanceof Error ? error.message : String(error));
      },
    );
  }

  #retry(): void {
    this.#queue.after(RETRY_EVERY, () => {
      for (const sent of this.#unfinal.values()) if (keepers(sent.acknowledgedBy).length === 0) this.#submit(sent);
      this.#retry();
    });
  }
}

/** A node that lost its disk forgot what it acknowledged. */
function keepers(nodes: ReadonlySet<LedgerNode>): LedgerNode[] {
  return [...nodes].filter(({ isValidator }) => isValidator);
}
