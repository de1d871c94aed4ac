/**
 * The ledger once more, in the plainest words: a map of balances and nonces, and the rules of Ethereum's
 * transactions as one list of questions. Written from the rules, not from vm/: it shares no code with it
 * beyond names. It knows plain transfers, money sent to a module, and the token module's burn().
 */

export interface NaiveAccount {
  balance: bigint;
  nonce: bigint;
}

/** A transaction before it is encoded, with what the signer did wrong. */
export interface NaiveTransaction {
  readonly kind: "legacy" | "accessList" | "dynamicFee";
  readonly from: string;
  readonly to: string;
  readonly nonce: bigint;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly maxFee: bigint;
  readonly maxPriorityFee: bigint;
  readonly chainId: bigint | undefined;
  /** Call data: none, or the four bytes of burn(). */
  readonly isBurn: boolean;
  readonly hasHighS: boolean;
}

export interface NaiveChain {
  readonly chainId: bigint;
  readonly token: string;
  readonly cap: bigint;
  readonly blockGasLimit: bigint;
  /** Emission of a block, by number. */
  emission(number: bigint): bigint;
}

/** What any call costs: dispatch, and one word of input. */
const CALL_GAS = 1_000n + 400n;
/** What burn() costs: the call, the write, the log with two topics and 32 bytes. */
const BURN_GAS = CALL_GAS + 5_000n + 375n + 2n * 375n + 32n * 8n;
/** Four non-zero bytes of call data. */
const BURN_DATA_GAS = 4n * 16n;
/** EIP-7623: ten gas per token, four tokens per non-zero byte. */
const BURN_FLOOR_GAS = 4n * 4n * 10n;

export class NaiveLedger {
  readonly accounts: Map<string, NaiveAccount> = new Map();
  readonly chain: NaiveChain;
  genesis = 0n;
  minted = 0n;
  burned = 0n;

  constructor(chain: NaiveChain) {
    this.chain = chain;
  }

  fund(address: string, balance: bigint): void {
    this.accounts.set(address, { balance, nonce: 0n });
    this.genesis += balance;
  }

  account(address: string): NaiveAccount {
    let account = this.accounts.get(address);
    if (account === undefined) {
      account = { balance: 0n, nonce: 0n };
      this.accounts.set(address, account);
    }
    return account;
  }

  sumOfBalances(): bigint {
    let sum = 0n;
    for (const { balance } of this.accounts.values()) sum += balance;
    return sum;
  }

  /** "ok", "failed" (included, but its call reverted) or the code of the rule it breaks. */
  apply(
    tx: NaiveTransaction,
    block: { baseFee: bigint; coinbase: string; gasLeft: bigint },
  ): {
    verdict: string;
    gasUsed: bigint;
  } {
    const error = this.ruleBroken(tx, block);
    if (error !== undefined) return { verdict: error, gasUsed: 0n };
    const dynamicPrice = block.baseFee + tx.maxPriorityFee;
    const price = dynamicPrice < tx.maxFee ? dynamicPrice : tx.maxFee;
    const { gasUsed, succeeded, toBurn } = this.run(tx);
    const sender = this.account(tx.from);
    sender.nonce += 1n;
    sender.balance -= gasUsed * price;
    this.account(block.coinbase).balance += gasUsed * (price - block.baseFee);
    this.burned += gasUsed * block.baseFee;
    if (succeeded) {
      sender.balance -= tx.value;
      if (toBurn) this.burned += tx.value;
      else this.account(tx.to).balance += tx.value;
    }
    return { verdict: succeeded ? "ok" : "failed", gasUsed };
  }

  endBlock(number: bigint, coinbase: string): void {
    const reward = this.chain.emission(number);
    this.minted += reward;
    this.account(coinbase).balance += reward;
  }

  private run(tx: NaiveTransaction): { gasUsed: bigint; succeeded: boolean; toBurn: boolean } {
    if (!tx.isBurn) return { gasUsed: 21_000n, succeeded: true, toBurn: false };
    const intrinsic = 21_000n + BURN_DATA_GAS;
    const floor = 21_000n + BURN_FLOOR_GAS;
    const atLeastFloor = (gas: bigint): bigint => (gas > floor ? gas : floor);
    if (tx.to !== this.chain.token) return { gasUsed: atLeastFloor(intrinsic), succeeded: true, toBurn: false };
    const left = tx.gasLimit - intrinsic;
    // Sending nothing is refused after the call's own price was paid.
    if (tx.value === 0n) {
      const spent = left < CALL_GAS ? left : CALL_GAS;
      return { gasUsed: atLeastFloor(intrinsic + spent), succeeded: false, toBurn: false };
    }
    if (left < BURN_GAS) return { gasUsed: tx.gasLimit, succeeded: false, toBurn: false };
    return { gasUsed: atLeastFloor(intrinsic + BURN_GAS), succeeded: true, toBurn: true };
  }

  private ruleBroken(tx: NaiveTransaction, block: { baseFee: bigint; gasLeft: bigint }): string | undefined {
    const sender = this.accounts.get(tx.from) ?? { balance: 0n, nonce: 0n };
    const intrinsic = 21_000n + (tx.isBurn ? BURN_DATA_GAS : 0n);
    const floor = 21_000n + (tx.isBurn ? BURN_FLOOR_GAS : 0n);
    const questions: readonly (readonly [broken: boolean, code: string])[] = [
      [tx.hasHighS, "TX_SIGNATURE_HIGH_S"],
      [tx.chainId === undefined, "TX_UNPROTECTED"],
      [tx.chainId !== this.chain.chainId, "TX_WRONG_CHAIN"],
      [tx.maxPriorityFee > tx.maxFee, "TX_PRIORITY_FEE_ABOVE_MAX_FEE"],
      [tx.gasLimit * tx.maxFee >= 2n ** 256n, "TX_FEE_OVERFLOW"],
      [tx.gasLimit > 2n ** 24n, "TX_GAS_LIMIT_ABOVE_CAP"],
      [tx.gasLimit < intrinsic, "TX_INTRINSIC_GAS_TOO_LOW"],
      [tx.gasLimit < floor, "TX_CALLDATA_FLOOR_TOO_LOW"],
      [tx.gasLimit > block.gasLeft, "TX_GAS_LIMIT_ABOVE_BLOCK"],
      [tx.maxFee < block.baseFee, "TX_FEE_BELOW_BASE_FEE"],
      [tx.nonce < sender.nonce, "TX_NONCE_TOO_LOW"],
      [tx.nonce > sender.nonce, "TX_NONCE_TOO_HIGH"],
      [tx.gasLimit * tx.maxFee + tx.value > sender.balance, "TX_INSUFFICIENT_FUNDS"],
    ];
    return questions.find(([broken]) => broken)?.[1];
  }
}
