import { describe, expect, it } from "vitest";
import { GOVERNANCE_ADDRESS } from "../../../vm/modules/addresses.ts";
import { MAX_SCHEDULED_UPGRADES, UPGRADE_NOTICE_BLOCKS } from "../../../vm/modules/governance/limits.ts";
import { isUpgradeActive, requireKnownUpgrades, upcomingUpgrade } from "../../../vm/modules/governance/upgrades.ts";
import { EconomyChain, eventsOf, systemLogs } from "../support/economy-chain.ts";
import { DEPOSIT, finish, GOVERNANCE, STATUS, statusOf, voteAll } from "./support/governance.ts";

const NAME = "wider-blocks";

function proposeUpgrade(chain: EconomyChain, name: string, height: bigint): bigint {
  return chain.send(GOVERNANCE, "proposeUpgrade", ["t", "b", name, height], { value: DEPOSIT }).result;
}

/** Accepted and scheduled. */
function schedule(chain: EconomyChain, name: string, height: bigint): bigint {
  const id = proposeUpgrade(chain, name, height);
  voteAll(chain, id, ["yes", "yes", "yes"]);
  finish(chain);
  return id;
}

/** Up to and with block `height`, in no time. */
function runTo(chain: EconomyChain, height: bigint): void {
  chain.blocks(Number(height - chain.number), { seconds: 0 });
}

describe("an upgrade that the program knows", () => {
  it("is announced, begins at its height, and modules can ask for it", () => {
    const chain = new EconomyChain({ knownUpgrades: [NAME] });
    const id = schedule(chain, NAME, 100n);
    expect(statusOf(chain, id)).toBe(STATUS.executed);
    expect(upcomingUpgrade(chain.state.reader, [NAME])).toEqual({
      name: NAME,
      height: 100n,
      proposal: id,
      isKnown: true,
    });
    expect(chain.view(GOVERNANCE, "scheduledUpgrades", [])).toEqual([{ name: NAME, height: 100n, proposal: id }]);
    runTo(chain, 99n);
    expect(chain.view(GOVERNANCE, "isUpgradeActive", [NAME])).toBe(false);
    const block = chain.block();
    expect(eventsOf(GOVERNANCE, systemLogs(block))).toEqual([
      { name: "UpgradeActivated", args: { name: NAME, height: 100n } },
    ]);
    expect(isUpgradeActive(chain.reading(GOVERNANCE_ADDRESS), NAME)).toBe(true);
    expect(upcomingUpgrade(chain.state.reader)).toBeUndefined();
    expect(chain.view(GOVERNANCE, "activeUpgrades", [0n, 10n])).toEqual([{ name: NAME, height: 100n, proposal: id }]);
    expect(chain.view(GOVERNANCE, "scheduledUpgrades", [])).toEqual([]);
    chain.block();
  });

  it("takes place once", () => {
    const chain = new EconomyChain({ knownUpgrades: [NAME] });
    schedule(chain, NAME, 100n);
    const late = proposeUpgrade(chain, NAME, 300n);
    runTo(chain, 100n);
    voteAll(chain, late, ["yes", "yes", "yes"]);
    finish(chain);
    expect(statusOf(chain, late)).toBe(STATUS.failed);
    expect(chain.view(GOVERNANCE, "failureOf", [late])).toBe("UpgradeIsActive");
    const args = ["t", "b", NAME, 400n] as const;
    expect(chain.revertOf(GOVERNANCE, "proposeUpgrade", args, { value: DEPOSIT }).name).toBe("UpgradeIsActive");
  });
});

describe("an upgrade that the program does not know", () => {
  it("stops it before that block, and says which, when and what to do", () => {
    const chain = new EconomyChain();
    schedule(chain, NAME, 60n);
    expect(upcomingUpgrade(chain.state.reader)?.isKnown).toBe(false);
    runTo(chain, 59n);
    const before = chain.state.head.root;
    const expected = {
      code: "UPGRADE_REQUIRED",
      message: expect.stringContaining(`from block 60 on the chain runs by the rules of upgrade "${NAME}"`),
      data: { upgrade: NAME, height: 60, hint: expect.stringContaining("Install a version of ogpu") },
    };
    expect(() => chain.block()).toThrow(expect.objectContaining(expected));
    // As often as it is tried, and nothing has changed.
    expect(() => chain.block()).toThrow(expect.objectContaining(expected));
    expect(chain.state.head.root).toEqual(before);
    expect(chain.number).toBe(59n);
  });

  it("is found in a state that another program has made, before and after it has taken place", () => {
    const chain = new EconomyChain({ knownUpgrades: [NAME] });
    schedule(chain, NAME, 60n);
    const check = (known: readonly string[]) => () => requireKnownUpgrades(chain.state.reader, chain.number, known);
    runTo(chain, 58n);
    expect(check([])).not.toThrow();
    for (const height of [59n, 60n, 61n]) {
      runTo(chain, height);
      expect(check([])).toThrow(expect.objectContaining({ code: "UPGRADE_REQUIRED" }));
      expect(check(["other", NAME])).not.toThrow();
    }
  });

  it("stops nobody once it is called off", () => {
    const chain = new EconomyChain();
    schedule(chain, NAME, 100n);
    const off = schedule(chain, NAME, 0n);
    expect(statusOf(chain, off)).toBe(STATUS.executed);
    expect(chain.view(GOVERNANCE, "scheduledUpgrades", [])).toEqual([]);
    runTo(chain, 101n);
    expect(chain.view(GOVERNANCE, "isUpgradeActive", [NAME])).toBe(false);
  });
});

it("a scheduled upgrade can be moved to another height", () => {
  const chain = new EconomyChain();
  schedule(chain, NAME, 100n);
  const id = schedule(chain, NAME, 200n);
  expect(chain.view(GOVERNANCE, "scheduledUpgrades", [])).toEqual([{ name: NAME, height: 200n, proposal: id }]);
  runTo(chain, 101n);
});

it("the nearest of several is the next one", () => {
  const chain = new EconomyChain();
  schedule(chain, "later", 500n);
  schedule(chain, "sooner", 400n);
  expect(upcomingUpgrade(chain.state.reader)?.name).toBe("sooner");
});

it("a height that has come too near by the time it is accepted fails", () => {
  const chain = new EconomyChain();
  const id = proposeUpgrade(chain, NAME, chain.number + 1n + UPGRADE_NOTICE_BLOCKS);
  voteAll(chain, id, ["yes", "yes", "yes"]);
  finish(chain);
  expect(statusOf(chain, id)).toBe(STATUS.failed);
  expect(chain.view(GOVERNANCE, "failureOf", [id])).toBe("InvalidUpgradeHeight");
  runTo(chain, 60n);
});

it.each([
  ["InvalidUpgradeName", "", 100n],
  ["InvalidUpgradeName", "With-Capitals", 100n],
  ["InvalidUpgradeName", "a".repeat(33), 100n],
  ["InvalidUpgradeName", "a b", 100n],
  ["InvalidUpgradeHeight", NAME, UPGRADE_NOTICE_BLOCKS],
  ["InvalidUpgradeHeight", NAME, 1n << 64n],
  ["UpgradeNotScheduled", NAME, 0n],
] as const)("reverts with %s for %j at %s", (error, name, height) => {
  const chain = new EconomyChain();
  const reverted = chain.revertOf(GOVERNANCE, "proposeUpgrade", ["t", "b", name, height], { value: DEPOSIT });
  expect(reverted.name).toBe(error);
  expect(chain.view(GOVERNANCE, "isUpgradeActive", [name])).toBe(false);
});

it("at most a few are scheduled at the same time", () => {
  const chain = new EconomyChain();
  const ids = Array.from({ length: MAX_SCHEDULED_UPGRADES }, (_, index) => proposeUpgrade(chain, `u-${index}`, 500n));
  for (const id of ids) voteAll(chain, id, ["yes", "yes", "yes"]);
  finish(chain);
  expect(chain.view(GOVERNANCE, "scheduledUpgrades", []).length).toBe(MAX_SCHEDULED_UPGRADES);
  const args = ["t", "b", "one-more", 500n] as const;
  expect(chain.revertOf(GOVERNANCE, "proposeUpgrade", args, { value: DEPOSIT }).name).toBe("TooManyUpgrades");
});
