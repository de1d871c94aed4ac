import { expect, test as it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { emissionOfBlock } from "../../../genesis/emission.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { countedBlocks, signedBlocks } from "../../../vm/modules/staking/participation.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import type { Address } from "../../../vm/state/account.ts";
import {
  ACCOUNT_BALANCE,
  accountKey,
  EconomyChain,
  type EconomyOptions,
  eventsOf,
  operatorKey,
  systemLogs,
} from "../support/economy-chain.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;

/** Of an emission of 0.05 oGPU a block on the devnet: half for those who finalise, a tenth of that for proposers. */
const PER_BLOCK = OGPU / 20n;
const alice = accountKey(1);

function started(options: EconomyOptions = {}): EconomyChain {
  const chain = new EconomyChain(options);
  // The first block of an epoch carries no votes and earns nothing.
  chain.block();
  return chain;
}

function minted(chain: EconomyChain): bigint {
  return readSupply(chain.state.reader).minted;
}

function earned(chain: EconomyChain, operator: Address): bigint {
  const { rewardsHeld, commissionDue } = chain.view(STAKING, "validator", [operator]);
  return rewardsHeld + commissionDue;
}

it("an epoch in which everybody signs mints all that is for those who finalise, and not before it ends", () => {
  const chain = started();
  chain.blocks(9);
  expect(minted(chain)).toBe(0n);
  chain.endEpoch();
  const finalisers = (10n * PER_BLOCK) / 2n;
  expect(minted(chain)).toBe(finalisers);
  const votes = (finalisers * 9n) / 10n;
  for (const [index, { operator }] of chain.validators.entries()) {
    expect(earned(chain, operator)).toBe(votes / 4n + (index === 0 ? finalisers / 10n : 0n));
  }
  expect(chain.view(STAKING, "totals", [])).toEqual([400n * OGPU, 0n, finalisers]);
  expect(chain.balance(STAKING_ADDRESS)).toBe(400n * OGPU + finalisers);
});

it("what the absent would have got is not minted, and whoever proposes gets less without their votes", () => {
  const chain = started();
  chain.blocks(4, { signers: [0, 1, 2, 3], proposer: 1 });
  chain.blocks(5, { signers: [0, 1, 2], proposer: 2 });
  expect(countedBlocks(chain.reading(STAKING_ADDRESS))).toBe(9n);
  expect([0, 3].map((index) => signedBlocks(chain.reading(STAKING_ADDRESS), index))).toEqual([9n, 4n]);
  const logs = systemLogs(chain.endEpoch({ signers: [0, 1, 2], proposer: 2 }));
  const finalisers = (10n * PER_BLOCK) / 2n;
  const votes = (finalisers * 9n) / 10n;
  const proposals = finalisers / 10n;
  const expected = [
    votes / 4n,
    votes / 4n + (proposals * 4n) / 10n,
    votes / 4n + (proposals * 6n * 3n) / 40n,
    (votes * 4n) / 40n,
  ];
  expect(chain.validators.map(({ operator }) => earned(chain, operator))).toEqual(expected);
  const all = expected.reduce((sum, part) => sum + part, 0n);
  expect(minted(chain)).toBe(all);
  const summary = eventsOf(STAKING, logs).find(({ name }) => name === "EpochRewarded");
  expect(summary?.args).toEqual({ epoch: 0n, countedBlocks: 10n, emission: finalisers, minted: all });
});

it("rewards follow the capped weight, not the stake", () => {
  const chain = started({ validators: 5 });
  const big = chain.validators[0]?.operator as Address;
  chain.send(STAKING, "delegate", [big], { key: alice, value: 300n * OGPU });
  chain.endEpoch();
  chain.block();
  const position = BigInt(chain.validators.findIndex(({ operator }) => operator === big));
  const [, , stake, weight] = chain.view(STAKING, "activeAt", [position]);
  // Of five with 400, 100, 100, 100 and 100, one in four parts is 400 / 3.
  expect([stake, weight]).toEqual([400n * OGPU, (400n * OGPU) / 3n]);
});

it("commission is the operator's, the rest is everybody's by their shares, each claimed once", () => {
  const chain = started();
  const operator = operatorKey(0);
  chain.pass(60);
  chain.send(STAKING, "setCommission", [10_000n], { key: operator });
  chain.send(STAKING, "setPayout", [accountKey(5).address], { key: operator });
  chain.send(STAKING, "delegate", [operator.address], { key: alice, value: 300n * OGPU });
  chain.endEpoch();
  const all = earned(chain, operator.address);
  const { commissionDue } = chain.view(STAKING, "validator", [operator.address]);
  expect(commissionDue).toBe((all * 10_000n) / 1_000_000n);
  const rest = all - commissionDue;
  const mine = chain.view(STAKING, "delegation", [alice.address, operator.address]).rewards;
  // The index rounds down, so a wei may stay in the remainder for the next rewards.
  expect([0n, 1n]).toContain((rest * 3n) / 4n - mine);
  chain.block();
  expect(chain.send(STAKING, "claimRewards", [operator.address], { key: alice }).result).toBe(mine);
  expect(chain.balance(alice.address)).toBe(ACCOUNT_BALANCE - 300n * OGPU + mine);
  expect(chain.revertOf(STAKING, "claimRewards", [operator.address], { key: alice }).name).toBe("NothingToClaim");
  chain.send(STAKING, "claimCommission", [], { key: operator });
  const own = chain.send(STAKING, "claimRewards", [operator.address], { key: operator }).result;
  expect(chain.balance(accountKey(5).address)).toBe(ACCOUNT_BALANCE + commissionDue + own);
  expect(chain.revertOf(STAKING, "claimCommission", [], { key: operator }).name).toBe("NothingToClaim");
  expect(chain.revertOf(STAKING, "claimCommission", [], { key: alice }).name).toBe("NotValidator");
  expect([0n, 1n, 2n]).toContain(rest - mine - own);
});

it("a fraction that nobody could be paid is shared out with the next rewards", () => {
  const emission = { initialPerBlock: 40n, halvingBlocks: 1_000_000n };
  const chain = started({
    spec: (spec) => ({ ...spec, modules: { ...spec.modules, token: { ...spec.modules.token, emission } } }),
  });
  const { operator } = chain.validators[1] ?? { operator: alice.address };
  for (const number of [2, 3])
    chain.send(STAKING, "delegate", [operator], { key: accountKey(number), value: 100n * OGPU });
  // 2 blocks of 40 wei: half of it, nine tenths, a quarter each, are 9 wei for three equal shares, and 8 of the next.
  let got = 0n;
  for (let epoch = 0; epoch < 30; epoch++) {
    chain.blocks(epoch % 3);
    chain.endEpoch();
    chain.block();
    for (const number of [2, 3]) {
      const key = accountKey(number);
      if (chain.view(STAKING, "delegation", [key.address, operator]).rewards === 0n) continue;
      got += chain.send(STAKING, "claimRewards", [operator], { key }).result;
    }
  }
  const key = [0, 1, 2, 3].map(operatorKey).find(({ address }) => address === operator);
  got += chain.send(STAKING, "claimRewards", [operator], key === undefined ? {} : { key }).result;
  const { rewardsHeld } = chain.view(STAKING, "validator", [operator]);
  expect(got).toBeGreaterThan(100n);
  expect(rewardsHeld).toBeLessThanOrEqual(2n);
});

it("positions that the set does not have count nothing and stop nobody", () => {
  const chain = started();
  chain.blocks(3, { signers: [0, 1, 2, 3, 4, 99, 0, 0], proposer: 77 });
  chain.endEpoch({ signers: [], proposer: 4 });
  expect(minted(chain)).toBe((((((4n * PER_BLOCK) / 2n) * 9n) / 10n) * 3n) / 4n);
});

it("never mints more than the schedule, through halvings, until nothing is left", () => {
  const emission = { initialPerBlock: 1_001n, halvingBlocks: 7n };
  const chain = started({
    parameters: { staking: { finaliserShare: 1_000_000n } },
    spec: (spec) => ({ ...spec, modules: { ...spec.modules, token: { ...spec.modules.token, emission } } }),
  });
  let possible = 0n;
  for (let epoch = 0; epoch < 20; epoch++) {
    for (let block = 0; block < 5; block++) {
      chain.block();
      possible += emissionOfBlock(emission, chain.number);
    }
    chain.endEpoch();
    possible += emissionOfBlock(emission, chain.number);
    chain.block();
    expect(minted(chain)).toBeLessThanOrEqual(possible);
  }
  expect(minted(chain)).toBeGreaterThan(0n);
  const before = minted(chain);
  chain.blocks(5);
  chain.endEpoch();
  expect(minted(chain)).toBe(before);
});
