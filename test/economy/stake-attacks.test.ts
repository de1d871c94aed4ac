/** What somebody tries with stakes: cheap validators, false prices of shares, money out of roundings. */
import { beforeEach, describe, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { SLASHING_ADDRESS, STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { candidates } from "../../vm/modules/staking/delegations.ts";
import { blsKey, content, publicKeyOf, signVote } from "../vm/modules/support/signed-votes.ts";
import { accountKey, EconomyChain, operatorKey } from "../vm/support/economy-chain.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const SLASHING = { address: SLASHING_ADDRESS, abi: slashingAbi } as const;
const [FIRST, SECOND] = [operatorKey(0), operatorKey(1)];
const [THIEF, VICTIM] = [accountKey(1), accountKey(2)];
/** Of the devnet. */
const MIN_SELF_STAKE = 10n * OGPU;
const MIN_DELEGATION = OGPU / 10n;

let chain: EconomyChain;

beforeEach(() => {
  chain = new EconomyChain();
  chain.block();
});

function amountOf(delegator: string, operator: string): bigint {
  return chain.view(STAKING, "delegation", [delegator as `0x${string}`, operator as `0x${string}`]).amount;
}

describe("a validator that cannot be chosen", () => {
  const own = (): bigint => amountOf(FIRST.address, FIRST.address);
  const count = (): number => candidates.length(chain.reading(STAKING_ADDRESS));

  it("does not stay on the list that each epoch's end goes through for a fraction of the stake", () => {
    const rest = own() - MIN_DELEGATION;
    const refused = { name: "TooLittleLeft", args: [MIN_DELEGATION, MIN_SELF_STAKE] };
    expect(chain.revertOf(STAKING, "unbond", [FIRST.address, rest], { key: FIRST })).toEqual(refused);
    const away = [FIRST.address, SECOND.address, rest] as const;
    expect(chain.revertOf(STAKING, "redelegate", away, { key: FIRST })).toEqual(refused);
    chain.send(STAKING, "unbond", [FIRST.address, own() - MIN_SELF_STAKE], { key: FIRST });
    expect(count()).toBe(4);
    chain.send(STAKING, "exit", [], { key: FIRST });
    expect(count()).toBe(3);
  });

  it("does not come back to it by a small stake either, bonded or moved", () => {
    chain.send(STAKING, "exit", [], { key: FIRST });
    const little = { name: "TooLittle", args: [MIN_SELF_STAKE - 1n, MIN_SELF_STAKE] };
    const stake = { key: FIRST, value: MIN_SELF_STAKE - 1n };
    expect(chain.revertOf(STAKING, "delegate", [FIRST.address], stake)).toEqual(little);
    chain.send(STAKING, "delegate", [SECOND.address], { key: FIRST, value: 2n * MIN_SELF_STAKE });
    const back = [SECOND.address, FIRST.address, MIN_SELF_STAKE - 1n] as const;
    expect(chain.revertOf(STAKING, "redelegate", back, { key: FIRST })).toEqual(little);
    expect(count()).toBe(3);
    chain.send(STAKING, "redelegate", [SECOND.address, FIRST.address, MIN_SELF_STAKE], { key: FIRST });
    expect(count()).toBe(4);
  });
});

describe("the price of a share", () => {
  it("is not moved by gifts, so that whoever comes first takes nothing from whoever comes next", () => {
    chain.send(STAKING, "exit", [], { key: FIRST });
    chain.send(STAKING, "delegate", [FIRST.address], { key: FIRST, value: MIN_SELF_STAKE });
    chain.block([chain.transaction(STAKING_ADDRESS, new Uint8Array(), { key: THIEF, value: 50_000n * OGPU })]);
    chain.send(STAKING, "delegate", [FIRST.address], { key: VICTIM, value: MIN_DELEGATION });
    expect(amountOf(VICTIM.address, FIRST.address)).toBe(MIN_DELEGATION);
    expect(amountOf(FIRST.address, FIRST.address)).toBe(MIN_SELF_STAKE);
  });

  it("after a slash makes nobody richer who goes in and out, and nobody else poorer", () => {
    chain.send(STAKING, "delegate", [SECOND.address], { key: VICTIM, value: 7n * OGPU + 3n });
    const absent = chain.validators.findIndex(({ operator }) => operator === SECOND.address);
    const signers = [0, 1, 2, 3].filter((position) => position !== absent);
    for (let block = 0; block < 200; block++) chain.block([], { signers });
    chain.endEpoch({ signers });
    chain.block();
    const before = amountOf(VICTIM.address, SECOND.address);
    expect(before).toBeLessThan(7n * OGPU);
    let put = 0n;
    let got = 0n;
    for (let step = 1n; step <= 16n; step++) {
      const amount = MIN_DELEGATION + step * 1_234_567_891n;
      chain.send(STAKING, "delegate", [SECOND.address], { key: THIEF, value: amount });
      const worth = amountOf(THIEF.address, SECOND.address);
      chain.send(STAKING, "unbond", [SECOND.address, worth], { key: THIEF });
      put += amount;
      got += worth;
    }
    expect(got).toBeLessThanOrEqual(put);
    expect(got).toBeGreaterThanOrEqual(put - 16n);
    const after = amountOf(VICTIM.address, SECOND.address);
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after).toBeLessThanOrEqual(before + 16n);
  });
});

describe("a validator that offends to be paid with its delegators' money, and reports itself", () => {
  const sign = (block: string) => signVote(blsKey(0), content("NOTARIZE", block, 0), chain.spec.chainId);

  /** What its operator has lost and what it got, and what the evidence took in all. */
  function report(): { lost: bigint; reward: bigint; amount: bigint } {
    const worth = (): bigint => {
      const leaving = chain.view(STAKING, "unbondings", [FIRST.address, FIRST.address]);
      return leaving.reduce((sum, { amount }) => sum + amount, amountOf(FIRST.address, FIRST.address));
    };
    const before = worth();
    const evidence = [publicKeyOf(blsKey(0)), sign("a"), sign("b")] as const;
    const [amount, reward] = chain.send(SLASHING, "submitEvidence", evidence, { key: FIRST }).result;
    return { lost: before - worth(), reward, amount };
  }

  it.each([0n, 100n, 50_000n])("loses more than it gets, with %d oGPU of theirs", (delegated) => {
    if (delegated > 0n) {
      chain.send(STAKING, "delegate", [FIRST.address], { key: VICTIM, value: delegated * OGPU });
    }
    const { lost, reward, amount } = report();
    expect(amount).toBe(((100n + delegated) * OGPU) / 20n);
    expect(lost).toBe(5n * OGPU);
    expect(reward).toBe(delegated === 50_000n ? lost / 2n : amount / 20n);
  });

  it("does not keep its own stake out of that by leaving first, and whoever reports it is paid all the same", () => {
    chain.send(STAKING, "delegate", [FIRST.address], { key: VICTIM, value: 50_000n * OGPU });
    chain.send(STAKING, "exit", [], { key: FIRST });
    const { lost, reward } = report();
    expect(lost).toBe(5n * OGPU);
    expect(reward).toBe(lost / 2n);
  });
});
