/** The verification module: whether what workers commit is true. docs/spec/verification.md. */
import type { Hex } from "../../../base/bytes.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { registerCanary, revealCanary } from "./canary.ts";
import { challengeCheckpoint, challengeOutput } from "./false-output.ts";
import { absencesOf } from "./freeze.ts";
import { challenge, challengeBond, challengeView, judge, openChallenged, stage } from "./referee.ts";
import { inputsOf, outputsOf, requireFacts, roundCount } from "./round-record.ts";
import { revealVotes, sealVotes } from "./tier-one.ts";
import { open, publishSeed, reveal, seal } from "./tier-zero.ts";
import { assuranceOf, disputeView, phasesOf, roundView, seatViews, voteViews } from "./views.ts";

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

export function createVerificationModule(parameters: ParameterStore): NativeModule {
  return defineModule({
    name: "verification",
    address: VERIFICATION_ADDRESS,
    abi: verificationAbi,
    parameters,
    handlers: {
      seal,
      open,
      reveal,
      publishSeed,
      sealVotes,
      revealVotes,
      challenge,
      openChallenged,
      stage,
      judge,
      challengeOutput,
      challengeCheckpoint,
      challengeBond,
      challengeOf: (call, round, launch, tile, challenger) =>
        challengeView(call, { round, launch, tile, challenger: lower(challenger) }),
      registerCanary,
      revealCanary: (call, round, sponsor, nonce) => revealCanary(call, round, lower(sponsor), nonce),
      roundCount,
      roundOf: roundView,
      phasesOf,
      addressesOf: (call, round) => [inputsOf(call, requireFacts(call, round).job), outputsOf(call, round)],
      seatsOf: seatViews,
      disputeOf: (call, round, account) => disputeView(call, round, lower(account)),
      votesOf: voteViews,
      assuranceOf,
      absencesOf: (call, verifier) => absencesOf(call, lower(verifier)),
    },
  });
}
