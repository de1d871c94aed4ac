/** Four validators with equal stake, and what they sign. */

import { assert } from "../../../../base/errors.ts";
import { type VoteContent, voteMessage } from "../../../../base/votes.ts";
import type { Signer } from "../../../../chain/consensus/crypto.ts";
import type { Vote } from "../../../../chain/consensus/types.ts";
import { makeValidatorSet, type ValidatorSet, type ValidatorStake } from "../../../../chain/consensus/validator-set.ts";
import type { KeyMaker } from "../../../sim/sim-crypto.ts";

export const CHAIN_ID = 5n;

export interface TestValidators {
  readonly stakes: readonly ValidatorStake[];
  readonly set: ValidatorSet;
  /** In the order of the set. */
  readonly signers: readonly Signer[];
  vote(validator: number, content: VoteContent): Vote;
}

export function testValidators(keys: KeyMaker, count = 4, prefix = "validator"): TestValidators {
  const made = Array.from({ length: count }, (_, index) => keys.signer(`${prefix} ${index}`));
  const stakes = made.map(({ id }) => ({ id, stake: 10n }));
  const set = makeValidatorSet(stakes);
  const signers = set.ids.map((id) => {
    const signer = made.find((one) => one.id === id);
    assert(signer !== undefined, "every validator of the set has a key");
    return signer;
  });
  return {
    stakes,
    set,
    signers,
    vote: (validator, content) => {
      const signer = signers[validator];
      assert(signer !== undefined, "the validator is in the set");
      return { ...content, validator, signature: signer.sign(voteMessage(CHAIN_ID, content)) };
    },
  };
}
