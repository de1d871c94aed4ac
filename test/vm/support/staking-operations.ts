/** What may happen to stake: the people and the parameters of random histories, and the operations they are made of. */
import fc from "fast-check";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { developmentValidatorKey } from "../../../genesis/development-validators.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, economySpec, operatorKey } from "./economy-chain.ts";

export const GENESIS_VALIDATORS = 4;
const LATER_VALIDATORS = 4;
const DELEGATORS = 6;
export const UNBONDING_SECONDS = 1_600n;

/** Of them all: those who start, those who may register later, those who only delegate. */
export const operators: readonly Address[] = Array.from(
  { length: GENESIS_VALIDATORS + LATER_VALIDATORS },
  (_, index) => operatorKey(index).address,
);
export const people: readonly Address[] = [
  ...operators,
  ...Array.from({ length: DELEGATORS }, (_, index) => accountKey(index).address),
];

export const spec: ChainSpec = economySpec({
  validators: GENESIS_VALIDATORS,
  parameters: {
    staking: { maxValidators: 5n, unbondingSeconds: UNBONDING_SECONDS, commissionChangeSeconds: 50n },
    slashing: { doubleSignShare: 123_457n, evidenceWindowSeconds: 1_500n },
  },
  spec: (devnet) => ({
    ...devnet,
    modules: {
      ...devnet.modules,
      token: { ...devnet.modules.token, emission: { initialPerBlock: 3n * OGPU + 7n, halvingBlocks: 40n } },
    },
    accounts: people.map((address) => ({
      address,
      note: "",
      balance: 100_000n * OGPU,
      nonce: 0n,
      code: new Uint8Array(),
      storage: new Map(),
    })),
  }),
});

/** By which the later ones register. */
export const laterKeys: readonly { publicKey: Hex; proof: Hex }[] = operators
  .slice(GENESIS_VALIDATORS)
  .map((_, index) => {
    const key = developmentValidatorKey(100 + index, bls);
    return { publicKey: bytesToHex(bls.publicKeyOf(key).bytes), proof: bytesToHex(bls.provePossession(key)) };
  });

interface Votes {
  readonly signers: readonly number[];
  readonly proposer: number;
}

/** `who` is one of the people, `from` and `to` are operators, by their numbers. */
export type OnPosition = { readonly who: number; readonly from: number } & (
  | { readonly kind: "unbond"; readonly part: number }
  | { readonly kind: "redelegate"; readonly to: number; readonly part: number; readonly isJustInTime: boolean }
  | { readonly kind: "withdraw" | "claim" | "settle" }
);

export type OnValidator = { readonly from: number } & (
  | { readonly kind: "exit" | "claimCommission" | "unjail" }
  | { readonly kind: "setCommission"; readonly commission: bigint }
  | { readonly kind: "absence"; readonly share: bigint }
  | { readonly kind: "convict"; readonly ago: bigint }
);

export type Operation =
  | OnPosition
  | OnValidator
  | { readonly kind: "delegate"; readonly who: number; readonly to: number; readonly amount: bigint }
  | { readonly kind: "register"; readonly which: number; readonly stake: bigint }
  | ({ readonly kind: "block"; readonly seconds: number } & Votes)
  | ({ readonly kind: "endEpoch" } & Votes);

const someOperator = fc.nat(operators.length - 1);
const somebody = fc.nat(people.length - 1);
/** Of what there is, in thousandths; now and then all of it, or too much. */
const somePart = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 999 }) }, fc.constantFrom(1000, 1001));
/** Whole oGPU hide what rounding does. */
const someAmount = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt(OGPU / 10n, 500n * OGPU) },
  fc.constantFrom(1n, OGPU / 10n, 12n * OGPU, 2_000n * OGPU),
);
const someSigners = fc.array(fc.nat(7), { maxLength: 8 });

export const operations: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 32,
    arbitrary: fc.record({
      kind: fc.constant("delegate" as const),
      who: somebody,
      to: someOperator,
      amount: someAmount,
    }),
  },
  {
    weight: 24,
    arbitrary: fc.record({ kind: fc.constant("unbond" as const), who: somebody, from: someOperator, part: somePart }),
  },
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant("redelegate" as const),
      who: somebody,
      from: someOperator,
      to: someOperator,
      part: somePart,
      isJustInTime: fc.nat(5).map((number) => number === 0),
    }),
  },
  { weight: 16, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), who: somebody, from: someOperator }) },
  { weight: 16, arbitrary: fc.record({ kind: fc.constant("claim" as const), who: somebody, from: someOperator }) },
  { weight: 24, arbitrary: fc.record({ kind: fc.constant("settle" as const), who: somebody, from: someOperator }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("exit" as const), from: someOperator }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("claimCommission" as const), from: someOperator }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("setCommission" as const),
      from: someOperator,
      commission: fc.bigInt(0n, 20_000n),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("register" as const),
      which: fc.nat(LATER_VALIDATORS - 1),
      stake: someAmount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("absence" as const), from: someOperator, share: fc.bigInt(0n, 100_000n) }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("unjail" as const), from: someOperator }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("convict" as const), from: someOperator, ago: fc.bigInt(0n, 1_500n) }),
  },
  {
    weight: 32,
    arbitrary: fc.record({
      kind: fc.constant("block" as const),
      seconds: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 20 }) }, fc.integer({ min: 0, max: 500 })),
      signers: someSigners,
      proposer: fc.nat(7),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("endEpoch" as const), signers: someSigners, proposer: fc.nat(7) }),
  },
);
export const KINDS: readonly Operation["kind"][] = [
  "delegate",
  "unbond",
  "redelegate",
  "withdraw",
  "claim",
  "settle",
  "exit",
  "claimCommission",
  "setCommission",
  "register",
  "absence",
  "unjail",
  "convict",
  "block",
  "endEpoch",
];
