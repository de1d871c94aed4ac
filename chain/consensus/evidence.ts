/** Evidence: whether two votes of one validator prove that it broke the rules. */
import { type Offence, offenceOf, voteMessage } from "../../base/votes.ts";
import type { Crypto } from "./crypto.ts";
import type { Evidence } from "./types.ts";
import type { ValidatorSet } from "./validator-set.ts";

/** The offence that the evidence proves against a validator of that set, or `undefined`. Needs nothing but the set. */
export function verifyEvidence(
  { first, second }: Evidence,
  set: ValidatorSet,
  chainId: bigint,
  crypto: Crypto,
): Offence | undefined {
  const id = set.ids[first.validator];
  if (id === undefined || first.validator !== second.validator) return undefined;
  const offence = offenceOf(first, second);
  if (offence === undefined) return undefined;
  const signed = [first, second].every((vote) => crypto.verify(id, voteMessage(chainId, vote), vote.signature));
  return signed ? offence : undefined;
}
