import { beforeEach, describe, expect, test as it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { developmentValidatorKey } from "../../../genesis/development-validators.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS, TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { operatorOfKey } from "../../../vm/modules/staking/keys.ts";
import { stakeOf, validatorStatus } from "../../../vm/modules/staking/validators.ts";
import type { Address } from "../../../vm/state/account.ts";
import { ACCOUNT_BALANCE, accountKey, EconomyChain, eventsOf, operatorKey } from "../support/economy-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

/** Of the devnet. */
const MIN_SELF_STAKE = 10n * OGPU;
const MIN_DELEGATION = OGPU / 10n;
const UNBONDING_SECONDS = 600n;

const alice = accountKey(1);
const bob = accountKey(2);
/** Who registers in these tests. */
const carol = accountKey(3);
const first = operatorKey(0);
const second = operatorKey(1);

interface BlsKey {
  readonly publicKey: Hex;
  readonly proof: Hex;
}

function blsKey(index: number): BlsKey {
  const key = developmentValidatorKey(200 + index, bls);
  return { publicKey: bytesToHex(bls.publicKeyOf(key).bytes), proof: bytesToHex(bls.provePossession(key)) };
}

const keys = [0, 1, 2].map(blsKey) as [BlsKey, BlsKey, BlsKey];

type RegisterArgs = readonly [Hex, Hex, bigint, bigint, bigint, Address, string];

function registration(
  changes: Partial<BlsKey & { terms: [bigint, bigint, bigint]; payout: Address; about: string }> = {},
): RegisterArgs {
  const { publicKey, proof } = { ...keys[0], ...changes };
  const { terms = [50_000n, 200_000n, 10_000n], payout = bob.address, about = "carol's" } = changes;
  return [publicKey, proof, ...terms, payout, about];
}

let chain: EconomyChain;

beforeEach(() => {
  chain = new EconomyChain();
  chain.block();
});

function reading(): ReturnType<EconomyChain["reading"]> {
  return chain.reading(STAKING_ADDRESS);
}

function join(stake = 50n * OGPU): void {
  chain.send(STAKING, "register", registration(), { key: carol, value: stake });
}

/** Names are enough where the arguments only repeat what was sent. */
function refused(error: { readonly name: string }): string {
  return error.name;
}

describe("a validator", () => {
  it("of genesis is registered with its operator, its key and its own stake", () => {
    const validator = chain.view(STAKING, "validator", [first.address]);
    expect(validator).toMatchObject({
      isRegistered: true,
      isCandidate: true,
      stake: 100n * OGPU,
      selfStake: 100n * OGPU,
      shares: 100n * OGPU,
      jailedUntil: 0n,
      nextPublicKey: "0x",
    });
    expect(operatorOfKey(reading(), validator.publicKey)).toBe(first.address);
    expect(chain.view(STAKING, "validatorCount", [])).toBe(4n);
    expect(chain.view(STAKING, "totals", [])).toEqual([400n * OGPU, 0n, 0n]);
  });

  it("registers by a transaction, and is in the set when the epoch has ended", () => {
    const { receipt } = chain.send(STAKING, "register", registration(), { key: carol, value: 50n * OGPU });
    expect(eventsOf(STAKING, receipt.logs).map(({ name }) => name)).toEqual([
      "Registered",
      "CommissionBounds",
      "MetadataChanged",
      "Delegated",
    ]);
    expect(chain.balance(carol.address)).toBe(ACCOUNT_BALANCE - 50n * OGPU);
    expect(validatorStatus(reading(), carol.address)).toBe("candidate");
    expect(chain.validators).toHaveLength(4);
    chain.endEpoch();
    const member = chain.validators.find(({ operator }) => operator === carol.address);
    expect(member).toEqual({ operator: carol.address, publicKey: keys[0].publicKey, stake: 50n * OGPU });
    expect(chain.view(STAKING, "validator", [carol.address])).toMatchObject({
      metadata: "carol's",
      commission: 50_000n,
    });
    expect(chain.view(STAKING, "validators", [4n, 1_000n]).map((address) => address.toLowerCase())).toEqual([
      carol.address,
    ]);
  });

  it.each<[string, string, RegisterArgs, bigint]>([
    ["too little stake", "TooLittle", registration(), MIN_SELF_STAKE - 1n],
    ["a commission above its maximum", "BadCommission", registration({ terms: [2n, 1n, 0n] }), MIN_SELF_STAKE],
    ["a maximum above the whole", "BadCommission", registration({ terms: [0n, 1_000_001n, 0n] }), MIN_SELF_STAKE],
    ["a change above the maximum", "BadCommission", registration({ terms: [0n, 10n, 11n] }), MIN_SELF_STAKE],
    ["nobody to pay", "BadPayout", registration({ payout: NOBODY }), MIN_SELF_STAKE],
    ["a module to pay", "BadPayout", registration({ payout: TOKEN_ADDRESS }), MIN_SELF_STAKE],
    ["too much to say", "MetadataTooLong", registration({ about: "x".repeat(513) }), MIN_SELF_STAKE],
    ["somebody else's proof", "BadProof", registration({ proof: keys[1].proof }), MIN_SELF_STAKE],
    ["half a proof", "BadProof", registration({ proof: "0x1234" }), MIN_SELF_STAKE],
    ["half a key", "BadPublicKey", registration({ publicKey: "0x1234" }), MIN_SELF_STAKE],
    ["no point of the curve", "BadPublicKey", registration({ publicKey: `0x${"11".repeat(48)}` }), MIN_SELF_STAKE],
    ["infinity", "BadPublicKey", registration({ publicKey: `0xc0${"00".repeat(47)}` }), MIN_SELF_STAKE],
  ])("is not registered with %s", (_, error, args, value) => {
    expect(refused(chain.revertOf(STAKING, "register", args, { key: carol, value }))).toBe(error);
    expect(chain.balance(carol.address)).toBe(ACCOUNT_BALANCE);
    expect(validatorStatus(reading(), carol.address)).toBe("none");
  });

  it("registers once, with a key that nobody has ever had", () => {
    join();
    const value = MIN_SELF_STAKE;
    const again = registration({ ...keys[1] });
    expect(refused(chain.revertOf(STAKING, "register", again, { key: carol, value }))).toBe("AlreadyValidator");
    expect(chain.revertOf(STAKING, "register", registration(), { key: alice, value }).name).toBe("KeyTaken");
    const { publicKey } = chain.view(STAKING, "validator", [first.address]);
    expect(refused(chain.revertOf(STAKING, "register", registration({ publicKey }), { key: alice, value }))).toBe(
      "KeyTaken",
    );
  });

  it("rotates its key when the epoch ends, and the old key stays its own", () => {
    join();
    chain.endEpoch();
    chain.block();
    const { publicKey, proof } = keys[1];
    chain.send(STAKING, "rotateKey", [publicKey, proof], { key: carol });
    expect(chain.view(STAKING, "validator", [carol.address])).toMatchObject({
      publicKey: keys[0].publicKey,
      nextPublicKey: publicKey,
    });
    const third = [keys[2].publicKey, keys[2].proof] as const;
    expect(refused(chain.revertOf(STAKING, "rotateKey", third, { key: carol }))).toBe("KeyChangePending");
    chain.endEpoch();
    expect(chain.validators.find(({ operator }) => operator === carol.address)?.publicKey).toBe(publicKey);
    chain.block();
    expect(chain.view(STAKING, "validator", [carol.address])).toMatchObject({ publicKey, nextPublicKey: "0x" });
    for (const key of keys.slice(0, 2)) expect(operatorOfKey(reading(), key.publicKey)).toBe(carol.address);
    chain.send(STAKING, "rotateKey", third, { key: carol });
    const old = [keys[0].publicKey, keys[0].proof] as const;
    chain.endEpoch();
    chain.block();
    expect(refused(chain.revertOf(STAKING, "rotateKey", old, { key: carol }))).toBe("KeyTaken");
    expect(refused(chain.revertOf(STAKING, "rotateKey", old, { key: alice }))).toBe("NotValidator");
  });

  it("changes its commission within its bounds, once per period", () => {
    join();
    const change = (commission: bigint) => chain.revertOf(STAKING, "setCommission", [commission], { key: carol });
    expect(refused(change(51_000n))).toBe("CommissionChangeTooEarly");
    chain.pass(60);
    expect(change(60_001n)).toEqual({ name: "BadCommission", args: [60_001n, 40_000n, 60_000n] });
    expect(refused(change(39_999n))).toBe("BadCommission");
    chain.send(STAKING, "setCommission", [60_000n], { key: carol });
    expect(refused(change(60_000n))).toBe("CommissionChangeTooEarly");
    expect(chain.view(STAKING, "validator", [carol.address]).commission).toBe(60_000n);
  });

  it("says something else about itself, and is paid elsewhere", () => {
    join();
    chain.send(STAKING, "setMetadata", ["{}"], { key: carol });
    chain.send(STAKING, "setPayout", [alice.address], { key: carol });
    const { metadata, payout } = chain.view(STAKING, "validator", [carol.address]);
    expect([metadata, payout.toLowerCase()]).toEqual(["{}", alice.address]);
    expect(refused(chain.revertOf(STAKING, "setMetadata", ["x".repeat(513)], { key: carol }))).toBe("MetadataTooLong");
    expect(refused(chain.revertOf(STAKING, "setPayout", [STAKING_ADDRESS], { key: carol }))).toBe("BadPayout");
    for (const [name, args] of [
      ["setMetadata", [""]],
      ["setPayout", [bob.address]],
      ["setCommission", [0n]],
    ] as const) {
      expect(refused(chain.revertOf(STAKING, name, args as never, { key: alice }))).toBe("NotValidator");
    }
  });

  it("leaves with its stake, takes no more delegations, and comes back when its operator stakes again", () => {
    join();
    chain.endEpoch();
    chain.block();
    chain.send(STAKING, "exit", [], { key: carol });
    expect(validatorStatus(reading(), carol.address)).toBe("exited");
    const delegation = { key: alice, value: OGPU };
    expect(refused(chain.revertOf(STAKING, "delegate", [carol.address], delegation))).toBe("NotOpen");
    expect(refused(chain.revertOf(STAKING, "exit", [], { key: carol }))).toBe("NothingAsked");
    chain.endEpoch();
    expect(chain.validators.map(({ operator }) => operator)).not.toContain(carol.address);
    chain.block();
    chain.send(STAKING, "delegate", [carol.address], { key: carol, value: MIN_SELF_STAKE });
    chain.endEpoch();
    expect(chain.validators.map(({ operator }) => operator)).toContain(carol.address);
    chain.pass(UNBONDING_SECONDS);
    chain.send(STAKING, "withdraw", [carol.address], { key: carol });
    expect(chain.balance(carol.address)).toBe(ACCOUNT_BALANCE - MIN_SELF_STAKE);
  });

  it("is one of those with the most stake; of equals the lower address counts", () => {
    chain = new EconomyChain({ parameters: { staking: { maxValidators: 2n } } });
    chain.block();
    chain.send(STAKING, "delegate", [second.address], { key: alice, value: OGPU });
    chain.endEpoch();
    const rest = [0, 2, 3].map((index) => operatorKey(index).address).sort();
    expect(chain.validators.map(({ operator }) => operator).sort()).toEqual([second.address, rest[0]].sort());
  });

  it("goes on when nobody is left who could be chosen, with its new key", () => {
    for (let index = 0; index < 4; index++) chain.send(STAKING, "exit", [], { key: operatorKey(index) });
    chain.send(STAKING, "rotateKey", [keys[2].publicKey, keys[2].proof], { key: first });
    chain.endEpoch();
    expect(chain.validators).toHaveLength(4);
    expect(chain.validators.find(({ operator }) => operator === first.address)?.publicKey).toBe(keys[2].publicKey);
    chain.blocks(3);
    chain.endEpoch();
    expect(chain.validators).toHaveLength(4);
  });
});

describe("a delegation", () => {
  const delegate = (key: TestKey, amount: bigint, operator = first.address) =>
    chain.send(STAKING, "delegate", [operator], { key, value: amount });

  it("is a share of the validator's stake, and counts for it from the next epoch on", () => {
    const { result, receipt } = delegate(alice, 20n * OGPU);
    expect(result).toBe(20n * OGPU);
    expect(eventsOf(STAKING, receipt.logs)[0]).toMatchObject({ name: "Delegated", args: { amount: 20n * OGPU } });
    expect(stakeOf(reading(), first.address)).toBe(120n * OGPU);
    const at = (epoch: bigint) => [
      chain.view(STAKING, "totalStakeAt", [epoch]),
      chain.view(STAKING, "validatorStakeAt", [epoch, first.address]),
      chain.view(STAKING, "delegationAt", [epoch, first.address, alice.address]),
    ];
    expect(at(0n)).toEqual([400n * OGPU, 100n * OGPU, 0n]);
    expect(at(1n)).toEqual([420n * OGPU, 120n * OGPU, 20n * OGPU]);
    chain.endEpoch();
    chain.block();
    expect(chain.validators.find(({ operator }) => operator === first.address)?.stake).toBe(120n * OGPU);
    chain.send(STAKING, "unbond", [first.address, 5n * OGPU], { key: alice });
    expect(at(0n)).toEqual([400n * OGPU, 100n * OGPU, 0n]);
    expect(at(1n)).toEqual([420n * OGPU, 120n * OGPU, 20n * OGPU]);
    expect(at(2n)).toEqual([415n * OGPU, 115n * OGPU, 15n * OGPU]);
  });

  it("is refused below the minimum, to nobody, and to whoever is tombstoned", () => {
    const refusal = (operator: Address, value: bigint) =>
      refused(chain.revertOf(STAKING, "delegate", [operator], { key: alice, value }));
    expect(refusal(first.address, MIN_DELEGATION - 1n)).toBe("TooLittle");
    expect(refusal(alice.address, OGPU)).toBe("NotValidator");
    expect(chain.balance(alice.address)).toBe(ACCOUNT_BALANCE);
  });

  it("is unbonded in parts, each paid when it is due and not before", () => {
    delegate(alice, 20n * OGPU);
    const begin = chain.now;
    const { result } = chain.send(STAKING, "unbond", [first.address, 5n * OGPU], { key: alice });
    expect(result).toBe(begin + 1n + UNBONDING_SECONDS);
    chain.pass(100);
    chain.send(STAKING, "unbond", [first.address, 3n * OGPU], { key: alice });
    expect(chain.view(STAKING, "unbondings", [alice.address, first.address]).map(({ amount }) => amount)).toEqual([
      5n * OGPU,
      3n * OGPU,
    ]);
    expect(chain.view(STAKING, "totals", [])).toEqual([412n * OGPU, 8n * OGPU, 0n]);
    const withdraw = () => chain.send(STAKING, "withdraw", [first.address], { key: alice }).result;
    expect(refused(chain.revertOf(STAKING, "withdraw", [first.address], { key: alice }))).toBe("NothingDue");
    chain.pass(UNBONDING_SECONDS - 102n);
    expect(withdraw()).toBe(5n * OGPU);
    expect(refused(chain.revertOf(STAKING, "withdraw", [first.address], { key: alice }))).toBe("NothingDue");
    chain.pass(200);
    expect(withdraw()).toBe(3n * OGPU);
    expect(chain.balance(alice.address)).toBe(ACCOUNT_BALANCE - 12n * OGPU);
    expect(chain.balance(STAKING_ADDRESS)).toBe(412n * OGPU);
  });

  it("is not unbonded beyond what there is, nor to a rest below the minimum", () => {
    delegate(alice, OGPU);
    const refusal = (operator: Address, amount: bigint) =>
      refused(chain.revertOf(STAKING, "unbond", [operator, amount], { key: alice }));
    expect(refusal(first.address, OGPU + 1n)).toBe("NotEnoughStake");
    expect(refusal(second.address, 1n)).toBe("NotEnoughStake");
    expect(refusal(first.address, OGPU - MIN_DELEGATION + 1n)).toBe("TooLittleLeft");
    expect(refusal(first.address, 0n)).toBe("NothingAsked");
    expect(refusal(bob.address, 1n)).toBe("NotValidator");
    chain.send(STAKING, "unbond", [first.address, OGPU], { key: alice });
    expect(chain.view(STAKING, "delegation", [alice.address, first.address]).shares).toBe(0n);
  });

  it("is on its way out in at most sixteen parts", () => {
    delegate(alice, 100n * OGPU);
    for (let part = 0; part < 16; part++) chain.send(STAKING, "unbond", [first.address, OGPU], { key: alice });
    expect(refused(chain.revertOf(STAKING, "unbond", [first.address, OGPU], { key: alice }))).toBe("TooManyUnbondings");
    chain.pass(UNBONDING_SECONDS);
    expect(chain.send(STAKING, "withdraw", [first.address], { key: alice }).result).toBe(16n * OGPU);
    chain.send(STAKING, "unbond", [first.address, OGPU], { key: alice });
  });

  it("moves to another validator at once, and not on from there while it is liable", () => {
    delegate(alice, 20n * OGPU);
    const third = operatorKey(2).address;
    const move = [first.address, second.address, 8n * OGPU] as const;
    const { result } = chain.send(STAKING, "redelegate", move, { key: alice });
    expect(result).toBe(8n * OGPU);
    expect(stakeOf(reading(), first.address)).toBe(112n * OGPU);
    expect(stakeOf(reading(), second.address)).toBe(108n * OGPU);
    delegate(alice, OGPU, second.address);
    const on = (amount: bigint) =>
      chain.revertOf(STAKING, "redelegate", [second.address, third, amount], { key: alice });
    expect(on(2n * OGPU)).toEqual({ name: "StillLiable", args: [2n * OGPU, OGPU] });
    chain.send(STAKING, "redelegate", [second.address, third, OGPU / 2n], { key: alice });
    chain.pass(UNBONDING_SECONDS + 1n);
    chain.send(STAKING, "redelegate", [second.address, third, 8n * OGPU], { key: alice });
    const same = [first.address, first.address, OGPU] as const;
    expect(refused(chain.revertOf(STAKING, "redelegate", same, { key: alice }))).toBe("SameValidator");
    const little = [first.address, second.address, 1n] as const;
    expect(refused(chain.revertOf(STAKING, "redelegate", little, { key: alice }))).toBe("TooLittle");
    const none = [first.address, alice.address, OGPU] as const;
    expect(refused(chain.revertOf(STAKING, "redelegate", none, { key: alice }))).toBe("NotValidator");
    expect(refused(chain.revertOf(STAKING, "settleRedelegation", [alice.address, second.address]))).toBe(
      "NothingToSettle",
    );
  });

  it("comes from other validators at most seven times while it is liable", () => {
    delegate(alice, 50n * OGPU);
    const move = [first.address, second.address, OGPU] as const;
    for (let time = 0; time < 7; time++) chain.send(STAKING, "redelegate", move, { key: alice });
    expect(chain.view(STAKING, "liabilities", [alice.address, second.address])).toHaveLength(7);
    expect(refused(chain.revertOf(STAKING, "redelegate", move, { key: alice }))).toBe("TooManyLiabilities");
    chain.pass(UNBONDING_SECONDS + 1n);
    chain.send(STAKING, "redelegate", move, { key: alice });
    expect(chain.view(STAKING, "liabilities", [alice.address, second.address])).toHaveLength(1);
  });
});

it("a call with a wrong argument changes nothing and costs its gas", () => {
  chain = new EconomyChain({ baseFee: 1_000n });
  const before = chain.balance(alice.address);
  const data = chain.transaction(STAKING_ADDRESS, new Uint8Array([1, 2, 3, 4, 5]), {
    key: alice,
    value: OGPU,
    gasLimit: 100_000n,
  });
  const { receipts } = chain.block([data]);
  expect(receipts[0]?.succeeded).toBe(false);
  expect(chain.balance(alice.address)).toBe(before - (receipts[0]?.gasUsed ?? 0n) * 1_000n);
  expect(chain.balance(STAKING_ADDRESS)).toBe(400n * OGPU);
});
