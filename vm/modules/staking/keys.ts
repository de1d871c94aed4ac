/**
 * The validators' BLS keys. A key belongs to the operator who first showed it, for ever: a key that was rotated out
 * still convicts its operator. A new key takes effect when the epoch ends.
 */
import { bls } from "../../../base/bls.ts";
import { BLS_PUBLIC_KEY_LENGTH, type BlsPublicKey } from "../../../base/bls-types.ts";
import { bytes32, bytesToBigint, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import { currentEpoch } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { recordSpace } from "../storage.ts";
import { POSSESSION_GAS } from "./limits.ts";
import { packedWord } from "./packed-word.ts";

/** A key is a word and a half. The next one is the validator's from the epoch `from` on. */
const WORD_BYTES = 32;
const HALF_WORD = 16;
const nextLowWord = packedWord({ low: 128, from: 48 });

const keys = recordSpace("validator key", ["high", "low", "nextHigh", "nextLow"]);
const owners = recordSpace("key owner", ["operator"]);

/** Whose key it is or ever was. */
export function operatorOfKey(call: ModuleCall, publicKey: Hex): Address | undefined {
  const operator = owners.get(call.in(STAKING_ADDRESS), "operator", publicKey);
  return operator === 0n ? undefined : wordToAddress(operator);
}

/** The key that the validator signs with in that epoch, if it is this one or the next. */
export function keyInEpoch(call: ModuleCall, operator: Address, epoch: bigint): Hex {
  const next = nextLowWord.unpack(keys.get(call, "nextLow", operator));
  if (next.from > 0n && next.from <= epoch) return joinKey(keys.get(call, "nextHigh", operator), next.low);
  return joinKey(keys.get(call, "high", operator), keys.get(call, "low", operator));
}

/** The key that is to come when this epoch ends. */
export function pendingKey(call: ModuleCall, operator: Address): Hex | undefined {
  const next = nextLowWord.unpack(keys.get(call, "nextLow", operator));
  return next.from > currentEpoch(call) ? joinKey(keys.get(call, "nextHigh", operator), next.low) : undefined;
}

/** Throws BadPublicKey, BadProof or KeyTaken. */
export function checkNewKey(call: ModuleCall, publicKey: Hex, proof: Hex): void {
  const owner = operatorOfKey(call, publicKey);
  if (owner !== undefined) throw revertWith(stakingAbi, "KeyTaken", [owner]);
  call.charge(POSSESSION_GAS);
  if (!bls.verifyPossession(parseKey(publicKey), hexToBytes(proof))) throw revertWith(stakingAbi, "BadProof", []);
}

function parseKey(publicKey: Hex): BlsPublicKey {
  const bytes = hexToBytes(publicKey);
  if (bytes.length !== BLS_PUBLIC_KEY_LENGTH) throw revertWith(stakingAbi, "BadPublicKey", []);
  try {
    return bls.publicKey(bytes);
  } catch (error) {
    if (isCoded(error, "BAD_PUBLIC_KEY")) throw revertWith(stakingAbi, "BadPublicKey", []);
    throw error;
  }
}

/** The first key of a validator. */
export function writeFirstKey(call: ModuleCall, operator: Address, publicKey: Hex): void {
  owners.set(call, "operator", addressToWord(operator), publicKey);
  writeKey(call, operator, publicKey);
}

/** The key from the next epoch on, which it returns. The caller has made sure that none is pending. */
export function writeNextKey(call: ModuleCall, operator: Address, publicKey: Hex): bigint {
  const epoch = currentEpoch(call);
  writeKey(call, operator, keyInEpoch(call, operator, epoch));
  owners.set(call, "operator", addressToWord(operator), publicKey);
  const { high, low } = splitKey(publicKey);
  keys.set(call, "nextHigh", high, operator);
  keys.set(call, "nextLow", nextLowWord.pack({ low, from: epoch + 1n }), operator);
  return epoch + 1n;
}

function writeKey(call: ModuleCall, operator: Address, publicKey: Hex): void {
  const { high, low } = splitKey(publicKey);
  keys.set(call, "high", high, operator);
  keys.set(call, "low", low, operator);
}

function splitKey(publicKey: Hex): { high: bigint; low: bigint } {
  const bytes = hexToBytes(publicKey);
  return { high: bytesToBigint(bytes.subarray(0, WORD_BYTES)), low: bytesToBigint(bytes.subarray(WORD_BYTES)) };
}

function joinKey(high: bigint, low: bigint): Hex {
  return bytesToHex(concatBytes(bytes32(high), bytes32(low).subarray(WORD_BYTES - HALF_WORD)));
}
