/** What somebody with money and patience tries, and why it does not pay. Each was tried by hand first. */
import { encodeFunctionData } from "viem";
import { describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { OGPU } from "../../base/units.ts";
import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { verifiersAbi } from "../../vm/interfaces/abi/verifiers.ts";
import { SLASHING_ADDRESS, STAKING_ADDRESS, VERIFIERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { runModule } from "../../vm/modules/run-module.ts";
import { WorkingState } from "../../vm/state/working-state.ts";
import { blsKey, content, publicKeyOf, signVote } from "../vm/modules/support/signed-votes.ts";
import { accountKey, EconomyChain, operatorKey } from "../vm/support/economy-chain.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const [FIRST, SECOND] = [operatorKey(0).address, operatorKey(1).address];
const THIEF = accountKey(1);
/** What a block may take of a node, by the gas it has: 30,000,000 in half a second. */
const GAS_PER_MICROSECOND = 60n;

describe("work that is paid for", () => {
  const chain = new EconomyChain();

  function gasOf(address: Hex, data: Hex, caller: Hex = THIEF.address): bigint {
    const module = chain.rules.modules.get(address);
    if (module === undefined) throw new Error("no such module");
    const message = { caller, value: 0n, data: hexToBytes(data), gasLimit: 1n << 40n, isStatic: false };
    return runModule(module, message, new WorkingState(chain.state.reader), chain.environment()).gasUsed;
  }

  it("a call pays for decoding all its input: a contract could send the same memory for ever", () => {
    const strangers = Array.from({ length: 1_000 }, (_, index) =>
      bytesToHex(keccak256(utf8(String(index))).subarray(12)),
    );
    const args = [1n, `0x${"11".repeat(32)}` as Hex, 1, strangers] as const;
    const data = encodeFunctionData({ abi: verifiersAbi, functionName: "draw", args });
    // Six microseconds for each word.
    expect(gasOf(VERIFIERS_ADDRESS, data)).toBeGreaterThanOrEqual(1_000n * 6n * GAS_PER_MICROSECOND);
  });

  it("a proof of possession pays for its 45 milliseconds, even when it is wrong", () => {
    const key = bls.privateKeyFromSeed(keccak256(utf8("a key")));
    const args = [publicKeyOf(key), bytesToHex(bls.sign(key, utf8("no proof")))] as const;
    const data = encodeFunctionData({ abi: stakingAbi, functionName: "rotateKey", args });
    expect(gasOf(STAKING_ADDRESS, data, FIRST)).toBeGreaterThanOrEqual(45_000n * GAS_PER_MICROSECOND);
  });
});

describe("gas that was estimated in one epoch", () => {
  /** The gas that the call takes in this epoch and in the next, after rewards have come. */
  function twice(send: (chain: EconomyChain) => bigint): readonly [bigint, bigint] {
    const gas = [false, true].map((isLater) => {
      const chain = new EconomyChain();
      const delegate = () => chain.send(STAKING, "delegate", [FIRST], { key: THIEF, value: 10n * OGPU });
      delegate();
      delegate();
      chain.blocks(3);
      if (isLater) {
        chain.endEpoch();
        chain.blocks(2);
      }
      return send(chain);
    });
    return [gas[0] ?? 0n, gas[1] ?? 0n];
  }

  it("is enough to delegate and to unbond in the next", () => {
    for (const send of [
      (chain: EconomyChain) => chain.send(STAKING, "delegate", [FIRST], { key: THIEF, value: OGPU }).receipt.gasUsed,
      (chain: EconomyChain) => chain.send(STAKING, "unbond", [FIRST, OGPU], { key: THIEF }).receipt.gasUsed,
      (chain: EconomyChain) => chain.send(STAKING, "redelegate", [FIRST, SECOND, OGPU], { key: THIEF }).receipt.gasUsed,
    ]) {
      const [now, later] = twice(send);
      expect(later).toBeLessThanOrEqual(now);
    }
  });
});

describe("escaping a slash", () => {
  const SHARE = 50_000n;
  const STAKE = 100n * OGPU;

  function evidence(chain: EconomyChain, offender: number, epoch: number): readonly [Hex, Hex, Hex] {
    const key = blsKey(offender);
    const sign = (block: string): Hex => signVote(key, content("NOTARIZE", block, epoch), chain.spec.chainId);
    return [publicKeyOf(key), sign("a"), sign("b")];
  }

  function convict(chain: EconomyChain, epoch: number): void {
    chain.send({ address: SLASHING_ADDRESS, abi: slashingAbi }, "submitEvidence", evidence(chain, 0, epoch));
  }

  /** All that the thief still gets: bonded, unbonding and paid out, after everything has come due. */
  function recovered(chain: EconomyChain): bigint {
    const before = chain.balance(THIEF.address);
    for (const operator of [FIRST, SECOND]) {
      const { liableShares } = chain.view(STAKING, "delegation", [THIEF.address, operator]);
      if (liableShares > 0n) {
        const settled = chain.transaction(
          STAKING_ADDRESS,
          hexToBytes(
            encodeFunctionData({
              abi: stakingAbi,
              functionName: "settleRedelegation",
              args: [THIEF.address, operator],
            }),
          ),
        );
        chain.block([settled]);
      }
      const { amount } = chain.view(STAKING, "delegation", [THIEF.address, operator]);
      if (amount > 0n) chain.send(STAKING, "unbond", [operator, amount], { key: THIEF });
    }
    chain.pass(1_201);
    for (const operator of [FIRST, SECOND]) {
      const waits = chain.view(STAKING, "unbondings", [THIEF.address, operator]).length > 0;
      if (waits) chain.send(STAKING, "withdraw", [operator], { key: THIEF });
    }
    return chain.balance(THIEF.address) - before;
  }

  const ways: readonly (readonly [string, (chain: EconomyChain) => void])[] = [
    ["by unbonding", (chain) => chain.send(STAKING, "unbond", [FIRST, STAKE], { key: THIEF })],
    ["by redelegating", (chain) => chain.send(STAKING, "redelegate", [FIRST, SECOND, STAKE], { key: THIEF })],
    [
      "by redelegating, and unbonding there",
      (chain) => {
        chain.send(STAKING, "redelegate", [FIRST, SECOND, STAKE], { key: THIEF });
        chain.send(STAKING, "unbond", [SECOND, STAKE], { key: THIEF });
      },
    ],
    [
      "in many small pieces",
      (chain) => {
        for (let piece = 0n; piece < 5n; piece++) {
          chain.send(STAKING, "redelegate", [FIRST, SECOND, STAKE / 10n + piece], { key: THIEF });
          chain.send(STAKING, "unbond", [FIRST, STAKE / 11n - piece], { key: THIEF });
        }
      },
    ],
  ];

  it.each(ways)("%s gets nobody out of it", (_name, leave) => {
    const chain = new EconomyChain();
    chain.send(STAKING, "delegate", [FIRST], { key: THIEF, value: STAKE });
    chain.endEpoch();
    chain.block();
    leave(chain);
    chain.pass(100);
    convict(chain, 1);
    const kept = STAKE - (STAKE * SHARE) / 1_000_000n;
    const got = recovered(chain);
    expect(got).toBeLessThanOrEqual(kept);
    // Nor does it cost more than the share, but for a wei each time something is rounded.
    expect(got).toBeGreaterThanOrEqual(kept - 20n);
  });

  it("liable stake cannot be moved on", () => {
    const chain = new EconomyChain({ validators: 3 });
    chain.send(STAKING, "delegate", [FIRST], { key: THIEF, value: STAKE });
    chain.send(STAKING, "redelegate", [FIRST, SECOND, STAKE], { key: THIEF });
    const onward = [SECOND, operatorKey(2).address, STAKE] as const;
    expect(chain.revertOf(STAKING, "redelegate", onward, { key: THIEF }).name).toBe("StillLiable");
  });
});
