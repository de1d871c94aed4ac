/** Proposals as they are kept: numbered from 1, never deleted. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import type { Address } from "../../state/account.ts";
import { wordToAddress } from "../address-word.ts";
import { GOVERNANCE_ADDRESS } from "../addresses.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type RecordSpace, readBytes, recordSpace, slotOf } from "../storage.ts";

/** In the order of IGovernance's enums. */
export const KINDS = ["none", "parameters", "spending", "upgrade", "text"] as const;
export const STATUSES = [
  "none",
  "voting",
  "queued",
  "executed",
  "failed",
  "rejected",
  "no-quorum",
  "vetoed",
  "cancelled",
] as const;

export type Kind = (typeof KINDS)[number];
export type Status = (typeof STATUSES)[number];

export interface Proposal {
  readonly id: bigint;
  readonly kind: Kind;
  readonly status: Status;
  readonly proposer: Address;
  readonly deposit: bigint;
  /** The epoch whose beginning says who votes with how much. */
  readonly snapshot: bigint;
  readonly created: bigint;
  /** When it moves on; when it came to its end, once it has. */
  readonly due: bigint;
  readonly title: string;
  readonly bodyHash: Hex;
}

/** As they were when the proposal was made: no other proposal changes by which rules it is decided. */
export interface VotingRules {
  readonly quorumShare: bigint;
  readonly thresholdShare: bigint;
  readonly vetoShare: bigint;
  readonly timelockSeconds: bigint;
}

type ProposalField =
  | "kind"
  | "status"
  | "proposer"
  | "deposit"
  | "snapshot"
  | "created"
  | "due"
  | "rules"
  | "bodyHash"
  | "total";

export const proposalRecords: RecordSpace<ProposalField> = recordSpace("proposal", [
  "kind",
  "status",
  "proposer",
  "deposit",
  "snapshot",
  "created",
  "due",
  "rules",
  "bodyHash",
  "total",
]);

const COUNT_SLOT: Hex = slotOf("proposal count");
const DEPOSITS_SLOT: Hex = slotOf("deposits held");

export function proposalCount(call: ModuleCall): bigint {
  return call.in(GOVERNANCE_ADDRESS).read(COUNT_SLOT);
}

/** The number of a new one. */
export function nextProposal(call: ModuleCall): bigint {
  const id = proposalCount(call) + 1n;
  call.write(COUNT_SLOT, id);
  return id;
}

export function depositsHeld(call: ModuleCall): bigint {
  return call.read(DEPOSITS_SLOT);
}

export function changeDepositsHeld(call: ModuleCall, change: bigint): void {
  call.write(DEPOSITS_SLOT, depositsHeld(call) + change);
}

/** Reverts with UnknownProposal. */
export function statusOf(call: ModuleCall, id: bigint): Status {
  const status = STATUSES[Number(proposalRecords.get(call, "status", id))] ?? "none";
  if (status === "none") throw revertWith(governanceAbi, "UnknownProposal", [id]);
  return status;
}

export function setStatus(call: ModuleCall, id: bigint, status: Status, due: bigint): void {
  proposalRecords.set(call, "status", BigInt(STATUSES.indexOf(status)), id);
  proposalRecords.set(call, "due", due, id);
}

export function kindOf(call: ModuleCall, id: bigint): Kind {
  return KINDS[Number(proposalRecords.get(call, "kind", id))] ?? "none";
}

export function proposerOf(call: ModuleCall, id: bigint): Address {
  return wordToAddress(proposalRecords.get(call, "proposer", id));
}

/** Reverts with UnknownProposal. For those outside of the module too. */
export function readProposal(call: ModuleCall, id: bigint): Proposal {
  const own = call.in(GOVERNANCE_ADDRESS);
  const field = (name: ProposalField): bigint => proposalRecords.get(own, name, id);
  return {
    id,
    kind: kindOf(own, id),
    status: statusOf(own, id),
    proposer: proposerOf(own, id),
    deposit: field("deposit"),
    snapshot: field("snapshot"),
    created: field("created"),
    due: field("due"),
    title: text(readBytes(own, "title", id)),
    bodyHash: bytesToHex(bytes32(field("bodyHash"))),
  };
}

const FIELD_BITS = 64n;
const FIELD_MASK = (1n << FIELD_BITS) - 1n;

/** Four numbers of at most 64 bits in one word. */
export function packRules({ quorumShare, thresholdShare, vetoShare, timelockSeconds }: VotingRules): bigint {
  return [quorumShare, thresholdShare, vetoShare, timelockSeconds].reduce((word, part) => (word << FIELD_BITS) | part);
}

export function rulesOf(call: ModuleCall, id: bigint): VotingRules {
  const word = proposalRecords.get(call, "rules", id);
  const part = (position: bigint): bigint => (word >> (FIELD_BITS * position)) & FIELD_MASK;
  return { quorumShare: part(3n), thresholdShare: part(2n), vetoShare: part(1n), timelockSeconds: part(0n) };
}

const decoder = new TextDecoder();

export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
