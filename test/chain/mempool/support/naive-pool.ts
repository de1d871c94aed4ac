/**
 * The rules of the pool once more, from docs/spec/mempool.md and with nothing but lists: everything is sorted and summed
 * anew at every question.
 */
import type { Hex } from "../../../../base/bytes.ts";
import type { MempoolErrorCode } from "../../../../chain/mempool/errors.ts";
import type { MempoolLimits } from "../../../../chain/mempool/limits.ts";
import type { SelectOptions } from "../../../../chain/mempool/select.ts";
import type { RecoveredTransaction } from "../../../../vm/execution/execute-block.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { hashOf } from "./offer.ts";

interface Guest {
  readonly entry: RecoveredTransaction;
  readonly time: number;
}

interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
}

function costOf({ transaction }: RecoveredTransaction): bigint {
  return transaction.gasLimit * transaction.maxFeePerGas + transaction.value;
}

function tipAt({ transaction }: RecoveredTransaction, baseFee: bigint): bigint {
  const left = transaction.maxFeePerGas - baseFee;
  return left < transaction.maxPriorityFeePerGas ? left : transaction.maxPriorityFeePerGas;
}

export class NaivePool {
  /** In order of arrival. */
  guests: readonly Guest[] = [];
  private readonly accounts = new Map<Address, Account>();
  private readonly limits: MempoolLimits;
  private time = Number.NEGATIVE_INFINITY;
  private baseFee = 0n;

  constructor(limits: MempoolLimits) {
    this.limits = limits;
  }

  get bytes(): number {
    return this.guests.reduce((sum, { entry }) => sum + entry.transaction.raw.length, 0);
  }

  get senders(): Address[] {
    return [...new Set(this.guests.map(({ entry }) => entry.sender))];
  }

  get readySize(): number {
    return this.senders.reduce((sum, sender) => sum + this.ready(this.guests, sender).length, 0);
  }

  nextNonce(sender: Address, from: bigint): bigint {
    let next = from;
    while (this.guests.some(({ entry }) => entry.sender === sender && entry.transaction.nonce === next)) next++;
    return next;
  }

  /** The code of the refusal, if it is one. */
  add(entry: RecoveredTransaction, account: Account, now: number): MempoolErrorCode | undefined {
    this.time = Math.max(this.time, now);
    if (this.guests.some((guest) => hashOf(guest.entry) === hashOf(entry))) return "MEMPOOL_KNOWN";
    this.setAccount(entry.sender, account);
    if (entry.transaction.nonce < account.nonce) return "MEMPOOL_NONCE_TOO_LOW";
    if (costOf(entry) > account.balance) return "MEMPOOL_INSUFFICIENT_FUNDS";
    const own = this.queue(this.guests, entry.sender);
    const replaced = own.find((guest) => guest.entry.transaction.nonce === entry.transaction.nonce);
    const code =
      replaced === undefined ? this.newcomerCode(entry, account) : this.replacementCode(entry, replaced.entry);
    if (code !== undefined) return code;
    const others = this.guests.filter((guest) => guest !== replaced);
    const ownBytes = [...own.filter((guest) => guest !== replaced), { entry }];
    if (ownBytes.length > this.limits.senderTransactions) return "MEMPOOL_SENDER_FULL";
    if (ownBytes.reduce((sum, guest) => sum + guest.entry.transaction.raw.length, 0) > this.limits.senderBytes)
      return "MEMPOOL_SENDER_FULL";
    const newcomer = { entry, time: this.time };
    const left = this.afterEviction([...others, newcomer], newcomer);
    if (left === undefined) return "MEMPOOL_FULL";
    this.guests = left;
    return undefined;
  }

  private newcomerCode(entry: RecoveredTransaction, account: Account): MempoolErrorCode | undefined {
    const bound = BigInt(this.limits.noncesBeyondReady);
    const { nonce } = entry.transaction;
    if (nonce > this.nextNonce(entry.sender, account.nonce) + bound) return "MEMPOOL_NONCE_TOO_FAR";
    const ready = BigInt(this.ready(this.guests, entry.sender).length);
    return nonce > account.nonce + ready + bound ? "MEMPOOL_INSUFFICIENT_FUNDS" : undefined;
  }

  private replacementCode(entry: RecoveredTransaction, old: RecoveredTransaction): MempoolErrorCode | undefined {
    const isEnough = (fee: "maxFeePerGas" | "maxPriorityFeePerGas"): boolean =>
      100n * entry.transaction[fee] >= this.limits.replacementPercent * old.transaction[fee];
    return isEnough("maxFeePerGas") && isEnough("maxPriorityFeePerGas") ? undefined : "MEMPOOL_UNDERPRICED";
  }

  private afterEviction(guests: readonly Guest[], newcomer: Guest): readonly Guest[] | undefined {
    const { transactions, bytes, victims } = this.limits;
    let left = guests;
    for (let evicted = 0; ; evicted++) {
      const total = left.reduce((sum, { entry }) => sum + entry.transaction.raw.length, 0);
      if (left.length <= transactions && total <= bytes) return left;
      const worst = this.worst(left);
      if (worst === newcomer || evicted === victims) return undefined;
      left = left.filter((guest) => guest !== worst);
    }
  }

  private worst(guests: readonly Guest[]): Guest | undefined {
    const lasts = [...new Set(guests.map(({ entry }) => entry.sender))].map((sender) => {
      const own = this.queue(guests, sender);
      const worth = own.map(({ entry }) => tipAt(entry, this.baseFee)).reduce((a, b) => (a < b ? a : b));
      return { last: own.at(-1) as Guest, isReady: this.ready(guests, sender).length === own.length, worth };
    });
    lasts.sort((a, b) => {
      if (a.isReady !== b.isReady) return a.isReady ? 1 : -1;
      if (a.worth !== b.worth) return a.worth < b.worth ? -1 : 1;
      return guests.indexOf(b.last) - guests.indexOf(a.last);
    });
    return lasts[0]?.last;
  }

  select(options: SelectOptions): RecoveredTransaction[] {
    const { baseFee, gasLimit, maxBytes, maxCount, nonceOf } = options;
    this.baseFee = baseFee;
    const turns = this.senders.map((sender) => this.ready(this.guests, sender)).filter((turn) => turn.length > 0);
    const begun = new Set<readonly Guest[]>();
    const chosen: RecoveredTransaction[] = [];
    let [gas, bytes, misfits] = [0n, 0, 0];
    while (chosen.length < maxCount && gasLimit - gas >= 21_000n && misfits <= this.limits.misfits) {
      const candidates = turns.filter((turn) => turn.length > 0);
      candidates.sort(([a], [b]) => this.compare(a as Guest, b as Guest, baseFee));
      const turn = candidates[0];
      const first = turn?.[0];
      if (turn === undefined || first === undefined || tipAt(first.entry, baseFee) < 0n) break;
      const { transaction, sender } = first.entry;
      const ahead = begun.has(turn) ? 0n : nonceOf(sender) - transaction.nonce;
      begun.add(turn);
      if (ahead < 0n) turn.length = 0;
      else if (ahead > 0n) turn.splice(0, Number(ahead));
      else if (transaction.gasLimit > gasLimit - gas || transaction.raw.length > maxBytes - bytes) {
        misfits++;
        turn.length = 0;
      } else {
        gas += transaction.gasLimit;
        bytes += transaction.raw.length;
        chosen.push(first.entry);
        turn.shift();
      }
    }
    return chosen;
  }

  private compare(a: Guest, b: Guest, baseFee: bigint): number {
    const [tipA, tipB] = [tipAt(a.entry, baseFee), tipAt(b.entry, baseFee)];
    return tipA === tipB ? this.guests.indexOf(a) - this.guests.indexOf(b) : tipA > tipB ? -1 : 1;
  }

  onBlock(affected: readonly Address[], accountOf: (address: Address) => Account | undefined, now: number): void {
    this.time = Math.max(this.time, now);
    for (const address of affected) this.setAccount(address, accountOf(address) ?? { nonce: 0n, balance: 0n });
  }

  remove(hash: Hex): void {
    this.guests = this.guests.filter(({ entry }) => hashOf(entry) !== hash);
  }

  expire(now: number): Hex[] {
    this.time = Math.max(this.time, now);
    const isOld = ({ time }: Guest): boolean => this.time - time >= this.limits.lifetimeMilliseconds;
    const expired = this.guests.filter(isOld).map(({ entry }) => hashOf(entry));
    this.guests = this.guests.filter((guest) => !isOld(guest));
    return expired;
  }

  private setAccount(sender: Address, account: Account): void {
    this.accounts.set(sender, account);
    const isUsed = ({ entry }: Guest): boolean => entry.sender === sender && entry.transaction.nonce < account.nonce;
    this.guests = this.guests.filter((guest) => !isUsed(guest));
  }

  private queue(guests: readonly Guest[], sender: Address): Guest[] {
    const own = guests.filter(({ entry }) => entry.sender === sender);
    return own.sort((a, b) => Number(a.entry.transaction.nonce - b.entry.transaction.nonce));
  }

  private ready(guests: readonly Guest[], sender: Address): Guest[] {
    const { nonce, balance } = this.accounts.get(sender) ?? { nonce: 0n, balance: 0n };
    const ready: Guest[] = [];
    let sum = 0n;
    for (const guest of this.queue(guests, sender)) {
      sum += costOf(guest.entry);
      if (guest.entry.transaction.nonce !== nonce + BigInt(ready.length) || sum > balance) break;
      ready.push(guest);
    }
    return ready;
  }
}
