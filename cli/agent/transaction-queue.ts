/**
 * The transactions of one account: nonces in their order, fees that rise until a block takes them, and what came of each.
 * Whatever happens, a call is at most one transaction on chain: every version of it has the same nonce.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { oneByOne } from "../../base/one-by-one.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { ClockPort } from "../../compute/agent/ports.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import { callQuantity, callRpc, quantity } from "../json-rpc-client.ts";
import type { Receipt } from "../transaction-sender.ts";
import type { BlockSignal } from "./block-signal.ts";
import {
  GAS_EXTRA,
  GAS_PERCENT,
  GIVE_UP_MILLISECONDS,
  MAX_GAS,
  MAX_IN_FLIGHT,
  MAX_RAISES,
  MAX_TRIES,
  RAISE_PERCENT,
  RESEND_MILLISECONDS,
} from "./limits.ts";

export interface QueuedCall {
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Uint8Array;
}

export type CallOutcome =
  | { readonly kind: "done"; readonly hash: Hex; readonly receipt: Receipt }
  /** `data` is what the chain reverted with, or 0x. */
  | { readonly kind: "reverted"; readonly data: Hex; readonly message: string };

interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface Flight {
  readonly call: QueuedCall;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly hashes: Hex[];
  fees: Fees;
  raises: number;
  /** Of the last version, or of the last time that it was sent again. */
  sentAt: number;
}

const REVERTED = 3;

export class TransactionQueue {
  readonly account: Hex;
  readonly #rpc: string;
  readonly #key: Uint8Array;
  readonly #blocks: BlockSignal;
  readonly #clock: ClockPort;
  /** Nonces are given out one after the other. */
  readonly #inTurn = oneByOne();
  #next = 0n;
  #chainId: bigint | undefined;
  #inFlight = 0;
  /** Transactions that the node has taken and that have not landed. */
  #flying = 0;

  constructor(rpc: string, key: Uint8Array, blocks: BlockSignal, clock: ClockPort) {
    this.#rpc = rpc;
    this.#key = key;
    this.#blocks = blocks;
    this.#clock = clock;
    this.account = bytesToHex(privateKeyToAddress(key));
  }

  /** Resolves when a block has it and is final. Throws TX_UNCERTAIN when nobody can tell, and what the node refuses. */
  async send(call: QueuedCall): Promise<CallOutcome> {
    while (this.#inFlight >= MAX_IN_FLIGHT) await this.#blocks.wait(this.#blocks.heard);
    this.#inFlight++;
    try {
      for (let tries = 1; ; tries++) {
        const estimate = await this.#estimate(call);
        if (typeof estimate !== "bigint") return estimate;
        const gas = tries === 1 ? withRoom(estimate) : larger(estimate, MAX_GAS);
        const outcome = await this.#fly(call, gas);
        // What fails in its block for no reason of its own met more work than it had gas for, such as a phase that it ended.
        if (outcome.kind === "done" || outcome.data !== "0x" || tries === MAX_TRIES) return outcome;
      }
    } finally {
      this.#inFlight--;
    }
  }

  async #fly(call: QueuedCall, gas: bigint): Promise<CallOutcome> {
    const flight = await this.#inTurn(() => this.#launch(call, gas));
    try {
      return await this.#land(flight);
    } finally {
      this.#flying--;
    }
  }

  /**
   * In the next block, where it can be at the earliest: what the last one would refuse as too early, such as revealing a
   * seal of that block, no other block comes for. An idle chain waits for this transaction.
   */
  async #estimate({ to, value, data }: QueuedCall): Promise<bigint | CallOutcome> {
    const request = { from: this.account, to, value: quantity(value), data: bytesToHex(data) };
    const head = await callQuantity(this.#rpc, "eth_blockNumber", []);
    try {
      return await callQuantity(this.#rpc, "eth_estimateGas", [request, "latest", {}, { number: quantity(head + 1n) }]);
    } catch (error) {
      const reverted = revertOf(error);
      if (reverted === undefined) throw error;
      return reverted;
    }
  }

  async #launch(call: QueuedCall, gasLimit: bigint): Promise<Flight> {
    const [counted, fees] = await Promise.all([
      callQuantity(this.#rpc, "eth_getTransactionCount", [this.account, "pending"]),
      this.#suggestedFees(),
    ]);
    // The node may not have the last one in its pool yet; somebody else may use the account. Where nothing flies, the node
    // knows best: of what was given up it may have lost something, and nothing after it would ever land.
    const nonce = this.#flying > 0 ? larger(counted, this.#next) : counted;
    const flight: Flight = { call, nonce, gasLimit, hashes: [], fees, raises: 0, sentAt: 0 };
    await this.#submit(flight);
    this.#flying++;
    this.#next = nonce + 1n;
    return flight;
  }

  async #suggestedFees(): Promise<Fees> {
    const [gasPrice, maxPriorityFeePerGas] = await Promise.all([
      callQuantity(this.#rpc, "eth_gasPrice", []),
      callQuantity(this.#rpc, "eth_maxPriorityFeePerGas", []),
    ]);
    // Twice today's price lasts through six full blocks; what is not needed is not paid.
    return { maxFeePerGas: 2n * gasPrice, maxPriorityFeePerGas };
  }

  async #submit(flight: Flight): Promise<void> {
    this.#chainId ??= await callQuantity(this.#rpc, "eth_chainId", []);
    const { call, nonce, gasLimit, fees } = flight;
    const raw = signTransaction(
      { type: 2, chainId: this.#chainId, nonce, gasLimit, ...fees, ...call, accessList: [] },
      this.#key,
    );
    const hash = await callRpc<Hex>(this.#rpc, "eth_sendRawTransaction", [bytesToHex(raw)]).catch((error: unknown) => {
      if (poolCode(error) === "MEMPOOL_KNOWN") return undefined;
      throw error;
    });
    flight.sentAt = this.#clock.now();
    if (hash !== undefined && !flight.hashes.includes(hash)) flight.hashes.push(hash);
  }

  async #land(flight: Flight): Promise<CallOutcome> {
    const deadline = this.#clock.now() + GIVE_UP_MILLISECONDS;
    while (this.#clock.now() < deadline) {
      const heard = this.#blocks.heard;
      const outcome = await this.#look(flight).catch(unlessUnreachable);
      if (outcome !== undefined) return outcome;
      if (this.#clock.now() - flight.sentAt > RESEND_MILLISECONDS) {
        await this.#sendAgain(flight).catch(unlessLater);
      }
      await this.#blocks.wait(heard);
    }
    throw uncertain(flight, "no block has taken it in a long time");
  }

  async #look(flight: Flight): Promise<CallOutcome | undefined> {
    for (const hash of flight.hashes) {
      const receipt = await callRpc<Receipt | null>(this.#rpc, "eth_getTransactionReceipt", [hash]);
      if (receipt === null) continue;
      if (receipt.status === "0x1") return { kind: "done", hash, receipt };
      return await this.#whyReverted(flight, receipt);
    }
    return undefined;
  }

  /** Asked of the state now, which is near the one that it failed in. */
  async #whyReverted({ call }: Flight, { blockNumber }: Receipt): Promise<CallOutcome> {
    const again = await this.#estimate(call).catch(() => undefined);
    if (typeof again === "object") return again;
    return { kind: "reverted", data: "0x", message: `reverted in block ${BigInt(blockNumber)}` };
  }

  /** The same again, for more as long as that may help. */
  async #sendAgain(flight: Flight): Promise<void> {
    const used = await callQuantity(this.#rpc, "eth_getTransactionCount", [this.account, "latest"]);
    if (used > flight.nonce) {
      // Its receipt may have come in the meantime; if not, another transaction has the nonce.
      if ((await this.#look(flight)) !== undefined) return;
      throw uncertain(flight, "another transaction of the account took its place");
    }
    if (flight.raises < MAX_RAISES) {
      const now = await this.#suggestedFees();
      flight.fees = {
        maxFeePerGas: larger(raised(flight.fees.maxFeePerGas), now.maxFeePerGas),
        maxPriorityFeePerGas: larger(raised(flight.fees.maxPriorityFeePerGas), now.maxPriorityFeePerGas),
      };
      flight.raises++;
    }
    await this.#submit(flight).catch((error: unknown) => {
      const code = poolCode(error);
      // It was taken while this one was made.
      if (code === "MEMPOOL_NONCE_TOO_LOW" || code === "TX_NONCE_TOO_LOW" || code === "MEMPOOL_UNDERPRICED") return;
      throw error;
    });
  }
}

function withRoom(estimate: bigint): bigint {
  const gas = (estimate * GAS_PERCENT) / 100n + GAS_EXTRA;
  return gas > MAX_GAS ? larger(estimate, MAX_GAS) : gas;
}

function raised(fee: bigint): bigint {
  return (fee * RAISE_PERCENT) / 100n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function revertOf(error: unknown): CallOutcome | undefined {
  if (!isCoded(error, "RPC_REFUSED") || error.data["rpcCode"] !== REVERTED) return undefined;
  const { reason } = error.data;
  const data = typeof reason === "string" && reason.startsWith("0x") ? (reason as Hex) : "0x";
  return { kind: "reverted", data, message: error.message };
}

/** The node's own code of a refusal. */
function poolCode(error: unknown): unknown {
  if (!isCoded(error, "RPC_REFUSED")) return undefined;
  const { reason } = error.data;
  return typeof reason === "object" && reason !== null && "code" in reason ? reason.code : undefined;
}

/** A node that is away for a moment comes back; anything else is told. */
function unlessUnreachable(error: unknown): undefined {
  if (isCoded(error, "RPC_UNREACHABLE", "RPC_BAD_ANSWER")) return undefined;
  throw error;
}

/** Also a pool that is full, or money that is not there yet: what was sent before may land all the same. */
function unlessLater(error: unknown): undefined {
  if (isCoded(error, "RPC_UNREACHABLE", "RPC_BAD_ANSWER", "RPC_REFUSED")) return undefined;
  throw error;
}

function uncertain({ nonce, hashes }: Flight, why: string): CodedError {
  return new CodedError("TX_UNCERTAIN", `nobody can tell what became of transaction ${nonce}: ${why}`, { hashes });
}
