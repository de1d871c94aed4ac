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
    },
    validators: [1, 2].map((number) => ({
      publicKey: `0x${"a".repeat(95)}${number}`,
      proofOfPossession: `0x${"b".repeat(191)}${number}`,
      stake: "100 oGPU",
      operator: SOME_ADDRESS,
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
