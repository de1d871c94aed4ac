/** A small valid chain spec, and ways to change it. */
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { parseChainSpec } from "../../../genesis/parse-chain-spec.ts";

type Json = Record<string, unknown>;

const SOME_ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** A new document every time, so that a test may change it. */
export function sampleDocument(): Json {
  return {
    version: 1,
    name: "sample",
    chainId: 777_001,
    fork: "osaka",
    genesisTime: 1_700_000_000,
    block: {
      intervalMilliseconds: 1000,
      gasLimit: 30_000_000,
      initialBaseFee: "1 gwei",
      maxTransactionBytes: 131_072,
      allowUnprotected: false,
    },
    consensus: {
      viewTimeoutMilliseconds: 3000,
      viewTimeoutStepMilliseconds: 1000,
      viewTimeoutCapMilliseconds: 30_000,
      heartbeatMilliseconds: 60_000,
      resendMilliseconds: 3000,
      fetchMilliseconds: 1000,
      maxSkewMilliseconds: 2000,
      maxUnfinalBlocks: 8,
      weightCapDivisor: 20,
      epochBlocks: 3600,
      trustingPeriodSeconds: 1_209_600,
    },
    modules: {
      token: { cap: "21000000 oGPU", emission: { initialPerBlock: "0.05 oGPU", halvingBlocks: 126_000_000 } },
      staking: {
        minSelfStake: "100 oGPU",
        minDelegation: "1 oGPU",
        maxValidators: 100,
        unbondingSeconds: 1_814_400,
        commissionChangeSeconds: 86_400,
        finaliserShare: 500_000,
        proposerShare: 100_000,
      },
      slashing: {
        evidenceWindowSeconds: 1_555_200,
        doubleSignShare: 50_000,
        downtimeShare: 100,
        minSignedShare: 50_000,
        minCountedBlocks: 500,
        jailSeconds: 600,
        reporterShare: 50_000,
        treasuryShare: 475_000,
      },
      trustLock: { minLock: "1 oGPU", unlockSeconds: 86_400 },
      verifiers: { minStake: "100 oGPU", unitStake: "10 oGPU", exitSeconds: 604_800, maxVerifiers: 10_000 },
      providers: { minCollateral: "100 oGPU", maxDevices: 10_000, exitSeconds: 604_800 },
      governance: {
        deposit: "1000 oGPU",
        votingSeconds: 432_000,
        timelockSeconds: 172_800,
        quorumShare: 334_000,
        thresholdShare: 500_000,
        vetoShare: 334_000,
        maxOpenProposals: 50,
      },
      treasury: { baseFeeShare: 100_000 },
      pricing: {
        initialPrice: "1000 gwei",
        minPrice: "1 gwei",
        minCharge: "0.001 oGPU",
        periodSeconds: 30,
        maxChangeShare: 125_000,
      },
      market: {
        feeShare: 20_000,
        burnShare: 30_000,
        seatFee: "0.001 oGPU",
        clientLockShare: 100_000,
        workerLockShare: 100_000,
        lateShare: 250_000,
        victimShare: 500_000,
        treasuryShare: 250_000,
        drawBlocks: 1,
        waitSeconds: 60,
        maxTaskSeconds: 3_600,
        revealSeconds: 10,
        maxAttempts: 5,
        maxMisses: 8,
        maxBids: 32,
        minBidSeconds: 2,
        maxJobSeconds: 86_400,
        segmentSeconds: 20,
        attestSeconds: 10,
        demandBond: "0.001 oGPU",
        answerSeconds: 15,
        liableSeconds: 30,
        timeWeight: 500_000,
        distanceShare: 50_000,
        newcomerShare: 250_000,
        catcherShare: 200_000,
      },
      verification: {
        drawDelay: 13,
        sealSeconds: 120,
        openSeconds: 60,
        revealSeconds: 60,
        voteSeconds: 120,
        countSeconds: 60,
        publishSeconds: 60,
        challengeSeconds: 600,
        refereeSeconds: 600,
        pollSize: 5,
        lead: 20,
        maxDraws: 120,
        smallSet: 30,
        penaltyMultiple: 50,
        jailAfter: 3,
        jailSeconds: 600,
        silenceWindowSeconds: 3600,
        canaryPrize: "1 oGPU",
        canaryBudget: "20 oGPU",
        reservedShare: 200_000,
        reservedBaseFee: "1 gwei",
      },
    },
    validators: [1, 2].map((number) => ({
      publicKey: `0x${"a".repeat(95)}${number}`,
      proofOfPossession: `0x${"b".repeat(191)}${number}`,
      stake: "100 oGPU",
      operator: `0x${"be".repeat(19)}0${number}`,
    })),
    accounts: [
      { address: SOME_ADDRESS, note: "somebody", balance: "1000 oGPU" },
      {
        address: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
        code: "0x6001600055",
        storage: { [`0x${"00".repeat(31)}01`]: `0x${"00".repeat(31)}2a` },
      },
    ],
  };
}

export function sampleSpec(): ChainSpec {
  return parseChainSpec(sampleDocument());
}

/** The document with the value at `path` (such as `block.gasLimit` or `accounts.0.balance`) replaced or, without one, removed. */
export function changed(path: string, ...value: readonly unknown[]): Json {
  const document = sampleDocument();
  const names = path.split(".");
  const last = names.pop() as string;
  let holder = document;
  for (const name of names) holder = holder[name] as Json;
  if (value.length === 0) delete holder[last];
  else holder[last] = value[0];
  return document;
}
