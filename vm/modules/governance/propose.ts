/** New proposals. What they want has been checked and is written by their kind. */
import { bytesToBigint, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import { addressToWord } from "../address-word.ts";
import { currentEpoch, protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { totalStakeAt } from "../staking/validators.ts";
import { writeBytes } from "../storage.ts";
import { openCount, schedule } from "./agenda.ts";
import { MAX_BODY_BYTES, MAX_TITLE_BYTES } from "./limits.ts";
import {
  changeDepositsHeld,
  KINDS,
  type Kind,
  nextProposal,
  packRules,
  proposalRecords,
  STATUSES,
} from "./proposals.ts";

/** Takes the deposit and opens the vote. Reverts with what is wrong. Gives the proposal's number. */
export function openProposal(call: ModuleCall, kind: Exclude<Kind, "none">, title: string, body: string): bigint {
  const { caller: proposer, value } = call.message;
  const { governance } = call.parameters;
  checkTexts(title, body);
  if (value !== governance.deposit) throw revertWith(governanceAbi, "WrongDeposit", [governance.deposit, value]);
  if (BigInt(openCount(call)) >= governance.maxOpenProposals) {
    throw revertWith(governanceAbi, "TooManyOpen", [governance.maxOpenProposals]);
  }
  const id = nextProposal(call);
  const created = protocolTime(call);
  const snapshot = currentEpoch(call);
  const due = created + governance.votingSeconds;
  const fields = {
    kind: BigInt(KINDS.indexOf(kind)),
    status: BigInt(STATUSES.indexOf("voting")),
    proposer: addressToWord(proposer),
    deposit: value,
    snapshot,
    created,
    due,
    rules: packRules(governance),
    bodyHash: bytesToBigint(keccak256(utf8(body))),
    total: totalStakeAt(call, snapshot),
  };
  for (const [field, word] of Object.entries(fields)) {
    proposalRecords.set(call, field as keyof typeof fields, word, id);
  }
  writeBytes(call, utf8(title), "title", id);
  changeDepositsHeld(call, value);
  schedule(call, id, due);
  const told = { id, proposer, kind: KINDS.indexOf(kind), snapshot, votingEnds: due, title, body };
  call.emit(governanceAbi, "Proposed", told);
  return id;
}

function checkTexts(title: string, body: string): void {
  const { length } = utf8(title);
  if (length === 0 || length > MAX_TITLE_BYTES) {
    throw revertWith(governanceAbi, "InvalidTitle", [BigInt(length), BigInt(MAX_TITLE_BYTES)]);
  }
  const bodyLength = utf8(body).length;
  if (bodyLength > MAX_BODY_BYTES) {
    throw revertWith(governanceAbi, "BodyTooLong", [BigInt(bodyLength), BigInt(MAX_BODY_BYTES)]);
  }
}
