/**
 * The governance module: those who stake change parameters of the economy, spend from the treasury and schedule
 * upgrades. The cap and the schedule of emission are no parameters: nobody changes them.
 */

import { PARAMETERS, parameterValue } from "../../../genesis/economy.ts";
import type { Waits } from "../../../genesis/verify-economy.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { GOVERNANCE_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { readBytes } from "../storage.ts";
import { openAt, openCount } from "./agenda.ts";
import { cancel, readSpending, spendings } from "./decide.ts";
import { KNOWN_UPGRADES } from "./known-upgrades.ts";
import { MAX_LISTED } from "./limits.ts";
import { checkChanges, parameterNamed, readChanges, writeChanges } from "./parameter-changes.ts";
import { depositsHeld, KINDS, proposalCount, readProposal, rulesOf, STATUSES, statusOf, text } from "./proposals.ts";
import { openProposal } from "./propose.ts";
import {
  activateUpgrades,
  activeUpgradeAt,
  activeUpgradeCount,
  isUpgradeActive,
  problemOfUpgrade,
  readWish,
  scheduledUpgrades,
  writeWish,
} from "./upgrades.ts";
import { delegatorVoteOf, readTally, vote, voteAsDelegator, voteOf } from "./voting.ts";

export interface GovernanceOptions {
  readonly parameters: ParameterStore;
  /** What unbonding must last longer than (verify-parameters.ts). */
  readonly waits: Waits;
  /** Names of the upgrades that the program knows. */
  readonly knownUpgrades?: readonly string[];
}

export function createGovernanceModule(options: GovernanceOptions): NativeModule {
  const { parameters, waits, knownUpgrades = KNOWN_UPGRADES } = options;
  return defineModule({
    name: "governance",
    address: GOVERNANCE_ADDRESS,
    abi: governanceAbi,
    parameters,
    handlers: {
      proposeParameters: (call, title, body, names, values) => {
        const changes = checkChanges(call, names, values, waits);
        const id = openProposal(call, "parameters", title, body);
        writeChanges(call, id, changes);
        return id;
      },
      proposeSpending: (call, title, body, to, amount) => {
        const word = addressToWord(to);
        if (word === 0n || amount === 0n) throw revertWith(governanceAbi, "InvalidSpending", [to, amount]);
        const id = openProposal(call, "spending", title, body);
        spendings.set(call, "to", word, id);
        spendings.set(call, "amount", amount, id);
        return id;
      },
      proposeUpgrade: (call, title, body, name, height) => {
        const problem = problemOfUpgrade(call, name, height);
        if (problem !== undefined) throw problem;
        const id = openProposal(call, "upgrade", title, body);
        writeWish(call, id, name, height);
        return id;
      },
      proposeText: (call, title, body) => openProposal(call, "text", title, body),
      cancel,
      vote,
      voteAsDelegator: (call, id, validator, choice) => voteAsDelegator(call, id, lower(validator), choice),
      ...views,
    },
    beginBlock: (call) => activateUpgrades(call, knownUpgrades),
  });
}

const views = {
  proposalCount,
  proposal: (call: ModuleCall, id: bigint) => proposalStruct(call, id),
  proposals: (call: ModuleCall, start: bigint, limit: bigint) => {
    const first = start === 0n ? 1n : start;
    return page(first, limit, proposalCount(call) + 1n, (id) => proposalStruct(call, id));
  },
  openProposals: (call: ModuleCall, start: bigint, limit: bigint) =>
    page(start, limit, BigInt(openCount(call)), (index) => openAt(call, Number(index))),
  tally: (call: ModuleCall, id: bigint) => {
    statusOf(call, id);
    const { yes, no, abstain, veto, total } = readTally(call, id);
    return [yes, no, abstain, veto, total];
  },
  rulesOf: (call: ModuleCall, id: bigint) => {
    statusOf(call, id);
    const { quorumShare, thresholdShare, vetoShare, timelockSeconds } = rulesOf(call, id);
    return [quorumShare, thresholdShare, vetoShare, timelockSeconds];
  },
  changesOf: (call: ModuleCall, id: bigint) => {
    const changes = readChanges(call, id);
    return [changes.map(([{ name }]) => name), changes.map(([, value]) => value)];
  },
  spendingOf: (call: ModuleCall, id: bigint) => {
    const { to, amount } = readSpending(call, id);
    return [to, amount];
  },
  upgradeOf: (call: ModuleCall, id: bigint) => {
    const { name, height } = readWish(call, id);
    return [name, height];
  },
  failureOf: (call: ModuleCall, id: bigint) => text(readBytes(call, "failure", id)),
  voteOf: (call: ModuleCall, id: bigint, validator: Address) => voteOf(call, id, lower(validator)),
  delegatorVoteOf: (call: ModuleCall, id: bigint, validator: Address, delegator: Address) =>
    delegatorVoteOf(call, id, lower(validator), lower(delegator)),
  depositsHeld,
  parameter: (call: ModuleCall, name: string) => parameterValue(call.parameters, parameterNamed(name)),
  parameters: (call: ModuleCall, start: bigint, limit: bigint) =>
    page(start, limit, BigInt(PARAMETERS.length), (index) => parameterStruct(call, Number(index))),
  scheduledUpgrades,
  activeUpgrades: (call: ModuleCall, start: bigint, limit: bigint) =>
    page(start, limit, BigInt(activeUpgradeCount(call)), (index) => activeUpgradeAt(call, Number(index))),
  isUpgradeActive,
} as const;

/** The items from `start` up to `end`, at most `limit` and never more than a page. */
function page<Item>(start: bigint, limit: bigint, end: bigint, item: (index: bigint) => Item): Item[] {
  const most = limit < MAX_LISTED ? limit : MAX_LISTED;
  const count = start >= end ? 0n : end - start < most ? end - start : most;
  return Array.from({ length: Number(count) }, (_, offset) => item(start + BigInt(offset)));
}

function proposalStruct(call: ModuleCall, id: bigint): Record<string, unknown> {
  const proposal = readProposal(call, id);
  return { ...proposal, kind: KINDS.indexOf(proposal.kind), status: STATUSES.indexOf(proposal.status) };
}

function parameterStruct(call: ModuleCall, index: number): Record<string, unknown> {
  const parameter = PARAMETERS[index];
  if (parameter === undefined) return {};
  const { name, definition } = parameter;
  call.charge(1_000n);
  return { name, value: parameterValue(call.parameters, parameter), least: definition.least, most: definition.most };
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
