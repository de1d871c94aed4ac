/**
 * The validators of the next epoch as a seal carries them:
 *
 *   [[public key, weight], ...]    keys of 48 bytes, ascending; weights positive
 *
 * Weights, not stakes: capped already. The header's next validator-set hash is the hash of exactly this list, so a seal has one body only, and checking that takes no parameter of the chain.
 */
import { BLS_PUBLIC_KEY_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { type ValidatorSet, type ValidatorStake, validatorSetHash, weightAt } from "../consensus/validator-set.ts";
import { blockError } from "./errors.ts";
import { MAX_VALIDATORS } from "./limits.ts";

/** More than all the money there can be. */
const MAX_WEIGHT_BYTES = 16;

/** What a seal says of the set: the list that `nextValidatorsHash` gives the set's hash for. */
export function nextValidatorsOf(set: ValidatorSet): readonly ValidatorStake[] {
  return set.ids.map((id, index) => ({ id, stake: weightAt(set, index) }));
}

/** What the header of a seal with this list has as its next validator-set hash; empty for no seal. */
export function nextValidatorsHash(validators: readonly ValidatorStake[] | undefined): Uint8Array {
  if (validators === undefined) return new Uint8Array(0);
  const ids = validators.map(({ id }) => id);
  const weights = validators.map(({ stake }) => stake);
  return hexToBytes(validatorSetHash(ids, weights));
}

export function validatorsItem(validators: readonly ValidatorStake[] | undefined): RlpItem {
  return (validators ?? []).map(({ id, stake }) => [hexToBytes(id), rlpOfInteger(stake)]);
}

/** `undefined` for the empty list. Throws RLP_INVALID, BLOCK_MALFORMED or BLOCK_TOO_LARGE. */
export function validatorsOfItem(item: RlpItem): readonly ValidatorStake[] | undefined {
  const items = rlpList(item);
  if (items.length > MAX_VALIDATORS) {
    throw blockError("BLOCK_TOO_LARGE", `there are at most ${MAX_VALIDATORS} validators`, { validators: items.length });
  }
  if (items.length === 0) return undefined;
  const validators = items.map(validatorOfItem);
  for (const [index, { id }] of validators.entries()) {
    // Lower-case text of equal length has the order of its bytes.
    const before = validators[index - 1];
    if (before !== undefined && before.id >= id) {
      throw blockError("BLOCK_MALFORMED", "the validators in a seal ascend by key", { index });
    }
  }
  return validators;
}

function validatorOfItem(item: RlpItem): ValidatorStake {
  const [key, weight] = rlpList(item, 2);
  const stake = rlpInteger(weight as RlpItem, MAX_WEIGHT_BYTES);
  if (stake === 0n) throw blockError("BLOCK_MALFORMED", "a validator in a seal has weight");
  return { id: bytesToHex(rlpBytes(key as RlpItem, BLS_PUBLIC_KEY_LENGTH)), stake };
}
