/**
 * The parameters of the economy: one table, from which everything else follows. The chain spec gives their first
 * values, its parser, schema and hash are made from the table, `verify-economy.ts` says what must hold among them, and
 * governance may change each of them while the chain runs. docs/spec/parameters.md is made from it too.
 */
import { OGPU } from "../base/units.ts";

/** `amount` in wei, `share` in millionths, `seconds` of protocol time, `count` of anything. */
export type ParameterUnit = "amount" | "share" | "seconds" | "count";

export interface ParameterDefinition {
  readonly unit: ParameterUnit;
  readonly least: bigint;
  readonly most: bigint;
  /** For people: what it is. */
  readonly about: string;
}

/** All of something, in millionths. */
export const WHOLE = 1_000_000n;

const YEAR = 31_536_000n;
const SUPPLY = 21_000_000n * OGPU;

const amount = (about: string, least = 0n): ParameterDefinition => ({ unit: "amount", least, most: SUPPLY, about });
const share = (about: string): ParameterDefinition => ({ unit: "share", least: 0n, most: WHOLE, about });
const seconds = (about: string): ParameterDefinition => ({ unit: "seconds", least: 1n, most: YEAR, about });
const count = (about: string, least: bigint, most: bigint): ParameterDefinition => ({
  unit: "count",
  least,
  most,
  about,
});

type Values<Name extends string> = Readonly<Record<Name, bigint>>;

/** All values. Every unit is a bigint. */
export interface EconomyParameters {
  readonly staking: Values<
    | "minSelfStake"
    | "minDelegation"
    | "maxValidators"
    | "unbondingSeconds"
    | "commissionChangeSeconds"
    | "finaliserShare"
    | "proposerShare"
  >;
  readonly slashing: Values<
    | "evidenceWindowSeconds"
    | "doubleSignShare"
    | "downtimeShare"
    | "minSignedShare"
    | "minCountedBlocks"
    | "jailSeconds"
    | "reporterShare"
    | "treasuryShare"
  >;
  readonly trustLock: Values<"minLock" | "unlockSeconds">;
  readonly verifiers: Values<"minStake" | "unitStake" | "exitSeconds" | "maxVerifiers">;
  readonly providers: Values<"minCollateral" | "maxDevices" | "exitSeconds">;
  readonly governance: Values<
    | "deposit"
    | "votingSeconds"
    | "timelockSeconds"
    | "quorumShare"
    | "thresholdShare"
    | "vetoShare"
    | "maxOpenProposals"
  >;
  readonly treasury: Values<"baseFeeShare">;
  readonly pricing: Values<"initialPrice" | "minPrice" | "minCharge" | "periodSeconds" | "maxChangeShare">;
  readonly market: Values<
    | "feeShare"
    | "burnShare"
    | "seatFee"
    | "clientLockShare"
    | "workerLockShare"
    | "lateShare"
    | "victimShare"
    | "treasuryShare"
    | "drawBlocks"
    | "waitSeconds"
    | "maxTaskSeconds"
    | "revealSeconds"
    | "maxAttempts"
    | "maxMisses"
    | "maxBids"
    | "minBidSeconds"
    | "maxJobSeconds"
    | "segmentSeconds"
    | "attestSeconds"
    | "demandBond"
    | "answerSeconds"
    | "liableSeconds"
    | "timeWeight"
    | "distanceShare"
    | "newcomerShare"
    | "catcherShare"
  >;
  readonly verification: Values<
    | "drawDelay"
    | "sealSeconds"
    | "openSeconds"
    | "revealSeconds"
    | "voteSeconds"
    | "countSeconds"
    | "publishSeconds"
    | "challengeSeconds"
    | "refereeSeconds"
    | "pollSize"
    | "lead"
    | "maxDraws"
    | "smallSet"
    | "penaltyMultiple"
    | "jailAfter"
    | "jailSeconds"
    | "silenceWindowSeconds"
    | "canaryPrize"
    | "canaryBudget"
    | "reservedShare"
    | "reservedBaseFee"
  >;
}

export type EconomyModule = keyof EconomyParameters;

type Definitions = {
  readonly [Module in EconomyModule]: Readonly<Record<keyof EconomyParameters[Module], ParameterDefinition>>;
};

/** The order never changes: the spec's hash and governance count on it. New ones come last in their module. */
export const ECONOMY: Definitions = {
  staking: {
    minSelfStake: amount("What an operator stakes on its own validator, at least.", 1n),
    minDelegation: amount("What a delegation has, at least.", 1n),
    maxValidators: count("Validators of an epoch, at most.", 1n, 4096n),
    unbondingSeconds: seconds("How long stake that leaves stays liable before it is paid out."),
    commissionChangeSeconds: seconds("How long an operator waits between two changes of its commission."),
    finaliserShare: share(
      "The part of the emission that is for those who finalise blocks; the rest is for verified work.",
    ),
    proposerShare: share("The part of that which is for whoever puts the votes into a block."),
  },
  slashing: {
    evidenceWindowSeconds: seconds("How long after an epoch its offences are punished."),
    doubleSignShare: share("What a double signature takes of all stake that is liable."),
    downtimeShare: share("What an epoch of absence takes of the validator's stake."),
    minSignedShare: share("Who signs less of an epoch's blocks was absent."),
    minCountedBlocks: count("An epoch with fewer blocks that could be signed jails nobody.", 1n, 1_000_000n),
    jailSeconds: seconds("How long whoever was absent waits before it may come back."),
    reporterShare: share("The part of a slash that is for whoever sent the evidence."),
    treasuryShare: share("The part of a slash that is for the treasury; the rest is burned."),
  },
  trustLock: {
    minLock: amount("What a lock has, at least.", 1n),
    unlockSeconds: seconds("How long locked money that leaves stays where it is."),
  },
  verifiers: {
    minStake: amount("What a verifier stakes, at least.", 1n),
    unitStake: amount("One unit in the draw of seats.", 1n),
    exitSeconds: seconds("How long a verifier's stake stays liable after it has left."),
    maxVerifiers: count("Verifiers at the same time, at most: the end of an epoch weighs each of them.", 1n, 100_000n),
  },
  providers: {
    minCollateral: amount("What a provider stakes, at least.", 1n),
    maxDevices: count("Devices of one provider, at most.", 1n, 100_000n),
    exitSeconds: seconds("How long a provider's collateral stays liable after it has left."),
  },
  governance: {
    deposit: amount("What a proposal costs until it is decided.", 1n),
    votingSeconds: seconds("How long votes are counted."),
    timelockSeconds: seconds("How long after that an accepted proposal is carried out."),
    quorumShare: share("Of all stake, so much must vote."),
    thresholdShare: share("Of the votes for and against, so many must be for it."),
    vetoShare: share("Of all votes, so many vetoes refuse it and take the deposit."),
    maxOpenProposals: count("Proposals that are open at the same time, at most.", 1n, 1000n),
  },
  treasury: {
    baseFeeShare: share("The part of the base fee that is for the treasury; the rest is burned."),
  },
  pricing: {
    initialPrice: amount("What a million compute units cost at first, in every tier.", 1n),
    minPrice: amount("Below this the price of a million compute units never falls.", 1n),
    minCharge: amount("What a task costs, at least.", 1n),
    periodSeconds: seconds("After which the price follows how busy the tier's devices were."),
    maxChangeShare: share("By how much a price moves in a period, at most."),
  },
  market: {
    feeShare: share("The part of what a worker is paid that is for the treasury."),
    burnShare: share("The part that is burned; as much may be minted for the worker."),
    seatFee: amount("What each seat of a round costs the client.", 1n),
    clientLockShare: share("Of the price or budget, what the client's trust lock has aside."),
    workerLockShare: share("Of the collateral or budget, what a worker's or bidder's trust lock has aside."),
    lateShare: share("What a racer loses of its lock when nobody delivered in time, or it did not reveal."),
    victimShare: share("The part of a penalty that is for whom it harmed."),
    treasuryShare: share("The part of a penalty that is for the treasury; the rest is burned."),
    drawBlocks: count("Blocks from a task to the beacon that draws its racers.", 1n, 1000n),
    waitSeconds: seconds("How long a task waits for racers."),
    maxTaskSeconds: seconds("What a source may give its racers, at most."),
    revealSeconds: seconds("How long racers and bidders have to reveal what they sealed."),
    maxAttempts: count("How often racers are drawn for a task, or a job is auctioned, at most.", 1n, 100n),
    maxMisses: count("Races in a row without a seal after which a device is no member any more.", 1n, 1000n),
    maxBids: count("Bids for a job, at most: the award looks at each of them.", 1n, 64n),
    minBidSeconds: seconds("How long an auction takes bids, at least."),
    maxJobSeconds: seconds("How long an auction job may take, at most."),
    segmentSeconds: seconds("What a worker may be late with a segment."),
    attestSeconds: seconds("How long a client has to look for the state after a segment before it is paid."),
    demandBond: amount("What it costs to demand a chunk on chain; it pays for the answer.", 1n),
    answerSeconds: seconds("How long whoever is asked for a chunk has to show it."),
    liableSeconds: seconds("How long a worker answers for its outputs after it was paid."),
    timeWeight: share("How much a bid's expected time counts beside its price."),
    distanceShare: share("How much dearer a bid from another region counts."),
    newcomerShare: share("How much more time a bidder without verified work is thought to need."),
    catcherShare: share("The part of a penalty that is for who proved the worker wrong; if nobody did, it is burned."),
  },
  verification: {
    drawDelay: count("Blocks between a commitment and the beacon that draws its first seat.", 1n, 1000n),
    sealSeconds: seconds("How long a drawn seat has to recompute its tile and seal what it found."),
    openSeconds: seconds("How long the worker then has to open the drawn tiles."),
    revealSeconds: seconds("How long seats then have to reveal."),
    voteSeconds: seconds("How long voters have to recompute a disputed tile and seal."),
    countSeconds: seconds("How long voters then have to reveal."),
    publishSeconds: seconds("How long the worker of an accepted round has to publish the seed of its salts."),
    challengeSeconds: seconds("How long the referee can be called once a round is decided."),
    refereeSeconds: seconds("How long an undecided vote waits for somebody who calls the referee."),
    pollSize: count("Seats of one poll, after which the lead is looked at.", 1n, 50n),
    lead: count("The lead that decides a vote.", 1n, 200n),
    maxDraws: count("Seats of one vote, at most; then it is the referee's.", 1n, 1000n),
    smallSet: count("With fewer verifiers than this everybody votes, and two thirds of the stake decide.", 0n, 100n),
    penaltyMultiple: count("What a false vote costs, in seat fees.", 1n, 100_000n),
    jailAfter: count("Silences in a row that jail a verifier.", 1n, 1000n),
    jailSeconds: seconds("How long a verifier that was silent too often waits before it may come back."),
    silenceWindowSeconds: seconds(
      "Silence costs nothing while more than a third of the seats of such a time is silent.",
    ),
    canaryPrize: amount("What the treasury puts up for those who catch a canary."),
    canaryBudget: amount("What the treasury puts up for canaries in an epoch, at most."),
    reservedShare: share("The part of a block's gas that is kept for those whose turn it is in a round or a job."),
    reservedBaseFee: amount("What they pay per gas at most, besides the tip.", 1n),
  },
};

/** One parameter by name, as governance and people say it: `staking.unbondingSeconds`. */
export interface NamedParameter {
  readonly name: string;
  readonly module: EconomyModule;
  readonly field: string;
  readonly definition: ParameterDefinition;
}

/** In the order of the table. */
export const PARAMETERS: readonly NamedParameter[] = Object.entries(ECONOMY).flatMap(([module, fields]) =>
  Object.entries(fields).map(([field, definition]) => ({
    name: `${module}.${field}`,
    module: module as EconomyModule,
    field,
    definition,
  })),
);

export function parameterValue(economy: EconomyParameters, { module, field }: NamedParameter): bigint {
  return (economy[module] as Readonly<Record<string, bigint>>)[field] ?? 0n;
}

/** The same economy with some parameters changed. Nothing is verified here. */
export function withParameters(
  economy: EconomyParameters,
  changes: Iterable<readonly [NamedParameter, bigint]>,
): EconomyParameters {
  const changed: Record<string, Record<string, bigint>> = {};
  for (const module of Object.keys(ECONOMY) as EconomyModule[]) changed[module] = { ...economy[module] };
  for (const [{ module, field }, value] of changes) (changed[module] as Record<string, bigint>)[field] = value;
  return changed as unknown as EconomyParameters;
}
