/** Sealed bids of a job's auctions: who bids, what was revealed, in the order in which they came. */
import type { Hex } from "../../../base/bytes.ts";
import { bytes32, bytesToHex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { recordSpace, slotOf } from "../storage.ts";

export interface Bid {
  readonly index: bigint;
  readonly bidder: Address;
  readonly seal: bigint;
  readonly price: bigint;
  readonly secondsTaken: bigint;
  readonly region: bigint;
  /** 0 for a bid that cannot win, or was not revealed. */
  readonly score: bigint;
  readonly isRevealed: boolean;
}

const words = recordSpace("bid", ["bidder", "seal", "price", "terms", "score"]);
const counts = recordSpace("bids", ["count", "revealed"]);
const REGION_BITS = 128n;
const REVEALED = 1n << 255n;

/** Holds the index plus one. */
function indexSlot(job: bigint, attempt: bigint, bidder: Address): Hex {
  return slotOf("bid index", job, attempt, bidder);
}

export function bidCount(call: ModuleCall, job: bigint, attempt: bigint): bigint {
  return counts.get(call, "count", job, attempt);
}

export function revealedCount(call: ModuleCall, job: bigint, attempt: bigint): bigint {
  return counts.get(call, "revealed", job, attempt);
}

export function bidAt(call: ModuleCall, job: bigint, attempt: bigint, index: bigint): Bid {
  const get = (field: "bidder" | "seal" | "price" | "terms" | "score"): bigint =>
    words.get(call, field, job, attempt, index);
  const terms = get("terms");
  return {
    index,
    bidder: wordToAddress(get("bidder")),
    seal: get("seal"),
    price: get("price"),
    secondsTaken: BigInt.asUintN(64, terms >> REGION_BITS),
    region: BigInt.asUintN(128, terms),
    score: get("score"),
    isRevealed: (terms & REVEALED) > 0n,
  };
}

export function bidsOf(call: ModuleCall, job: bigint, attempt: bigint): readonly Bid[] {
  const count = Number(bidCount(call, job, attempt));
  return Array.from({ length: count }, (_, index) => bidAt(call, job, attempt, BigInt(index)));
}

export function findBid(call: ModuleCall, job: bigint, attempt: bigint, bidder: Address): Bid | undefined {
  const index = call.read(indexSlot(job, attempt, bidder));
  return index === 0n ? undefined : bidAt(call, job, attempt, index - 1n);
}

export function addBid(call: ModuleCall, job: bigint, attempt: bigint, bidder: Address, seal: Hex): void {
  const index = counts.add(call, "count", 1n, job, attempt) - 1n;
  words.set(call, "bidder", addressToWord(bidder), job, attempt, index);
  words.set(call, "seal", BigInt(seal), job, attempt, index);
  call.write(indexSlot(job, attempt, bidder), index + 1n);
}

export interface Revelation {
  readonly price: bigint;
  readonly secondsTaken: bigint;
  readonly region: Hex;
  readonly score: bigint;
}

export function revealOfBid(call: ModuleCall, job: bigint, attempt: bigint, bid: Bid, revealed: Revelation): void {
  const { price, secondsTaken, region, score } = revealed;
  const terms = REVEALED | (secondsTaken << REGION_BITS) | BigInt(region);
  words.set(call, "price", price, job, attempt, bid.index);
  words.set(call, "terms", terms, job, attempt, bid.index);
  words.set(call, "score", score, job, attempt, bid.index);
  counts.add(call, "revealed", 1n, job, attempt);
}

export function regionText(region: bigint): Hex {
  return bytesToHex(bytes32(region).subarray(16));
}
