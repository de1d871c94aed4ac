/** The first frame of a log: whose log it is, and up to where its votes have been dropped. */
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { VoteContent } from "../../base/votes.ts";
import { damaged, reasonOf, walError } from "./errors.ts";

export interface LogIdentity {
  readonly chainId: bigint;
  /** The validator's public key; none for a node that follows and never signs. */
  readonly validator: Hex | undefined;
}

/**
 * In views at or below it, and in earlier epochs, votes may have been signed that the log does not hold any more, so
 * nothing may be signed there. Usually the store is above it; not if the store was lost or restored, or the validator
 * has moved here.
 */
export interface GuardFloor {
  readonly epoch: number;
  readonly view: number;
}

export interface LogHeader {
  readonly identity: LogIdentity;
  readonly floor: GuardFloor;
}

/** Below every view: views begin with 1. */
export const NO_FLOOR: GuardFloor = { epoch: 0, view: 0 };

const VERSION = 1n;

export function encodeHeader({ identity, floor }: LogHeader): Uint8Array {
  return encodeRlp([
    rlpOfInteger(VERSION),
    rlpOfInteger(identity.chainId),
    identity.validator === undefined ? new Uint8Array(0) : hexToBytes(identity.validator),
    rlpOfInteger(BigInt(floor.epoch)),
    rlpOfInteger(BigInt(floor.view)),
  ]);
}

export function decodeHeader(bytes: Uint8Array | undefined): LogHeader {
  if (bytes === undefined) throw damaged("its header is empty");
  try {
    const fields = rlpList(decodeRlp(bytes));
    const version = rlpInteger(fields[0] ?? [], 4);
    if (version > VERSION) throw newer(version);
    const [, chainId, validator, epoch, view] = rlpList(fields, 5);
    const key = rlpBytes(validator ?? []);
    return {
      identity: {
        chainId: rlpInteger(chainId ?? [], 32),
        validator: key.length === 0 ? undefined : bytesToHex(key),
      },
      floor: { epoch: Number(rlpInteger(epoch ?? [], 6)), view: Number(rlpInteger(view ?? [], 6)) },
    };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "WAL_NEWER_FORMAT") throw error;
    throw damaged(`its header cannot be read: ${reasonOf(error)}`);
  }
}

function isAbove(a: GuardFloor, b: GuardFloor): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.view > b.view);
}

function newer(version: bigint): Error {
  return walError("WAL_NEWER_FORMAT", `the consensus log has format ${version}, which this program does not know`, {
    hint: "Update the node.",
  });
}

/** The highest view of a vote that the log held and holds no more. */
export function floorAfter(
  before: GuardFloor,
  votes: readonly VoteContent[],
  kept: readonly VoteContent[],
): GuardFloor {
  const keys = new Set(kept.map(keyOf));
  let floor = before;
  for (const vote of votes) if (!keys.has(keyOf(vote)) && isAbove(vote, floor)) floor = vote;
  return { epoch: floor.epoch, view: floor.view };
}

function keyOf({ kind, epoch, view, hash }: VoteContent): string {
  return `${kind} ${epoch} ${view} ${hash}`;
}
