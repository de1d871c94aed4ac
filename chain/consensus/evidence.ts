/** What is slashable: pairs of votes by one validator in one view that no honest validator signs. */
import type { Crypto } from "./crypto.ts";
import { voteMessage } from "./messages.ts";
import type { Evidence, VoteContent } from "./types.ts";
import type { ValidatorSet } from "./validator-set.ts";

export type Offence = "double-propose" | "double-notarize" | "double-finalize" | "nullify-finalize" | "finalize-other";

const SAME_KIND: Readonly<Record<string, Offence>> = {
  PROPOSE: "double-propose",
  NOTARIZE: "double-notarize",
  FINALIZE: "double-finalize",
};

/** The offence of having signed both, or `undefined`. The order does not matter. NOTARIZE with NULLIFY is none. */
export function offenceOf(a: VoteContent, b: VoteContent): Offence | undefined {
  if (a.epoch !== b.epoch || a.view !== b.view) return undefined;
  if (a.kind === b.kind) return a.hash === b.hash ? undefined : SAME_KIND[a.kind];
  const other = a.kind === "FINALIZE" ? b : b.kind === "FINALIZE" ? a : undefined;
  if (other?.kind === "NULLIFY") return "nullify-finalize";
  return other?.kind === "NOTARIZE" && a.hash !== b.hash ? "finalize-other" : undefined;
}

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
