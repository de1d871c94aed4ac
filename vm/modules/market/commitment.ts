/** What workers commit to: how it is sealed, checked and kept. */
import { encodeAbiParameters } from "viem/utils";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { launchAt } from "../../../compute/program/schedule.ts";
import { segmentRange } from "../../../compute/program/segments.ts";
import { tilesOf } from "../../../compute/program/tiles.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { programPlan, programSummary } from "../programs/program-store.ts";
import { packedWord } from "../staking/packed-word.ts";
import type { SegmentCommitment } from "../verification/round-types.ts";
import {
  jobWords,
  OUTPUTS,
  programOf,
  readHashes,
  readState,
  readTerms,
  wordToHash,
  writeHashes,
} from "./job-record.ts";

/** As the ABI has it. */
export interface Commitment {
  readonly segmentRoot: Hex;
  readonly checkpointRoot: Hex;
  readonly outputs: readonly Hex[];
  readonly traps: boolean;
  readonly trapLaunch: number;
  readonly trapTile: number;
}

const COMMITMENT = {
  type: "tuple",
  components: [
    { type: "bytes32", name: "segmentRoot" },
    { type: "bytes32", name: "checkpointRoot" },
    { type: "bytes32[]", name: "outputs" },
    { type: "bool", name: "traps" },
    { type: "uint48", name: "trapLaunch" },
    { type: "uint32", name: "trapTile" },
  ],
} as const;

/** keccak256(abi.encode(job, worker, commitment, nonce)): bound to the worker, so that a copy of it is worth nothing. */
export function sealOf(job: bigint, worker: Address, commitment: Commitment, nonce: Hex): Hex {
  const types = [{ type: "uint256" }, { type: "uint160" }, COMMITMENT, { type: "bytes32" }] as const;
  return hash(encodeAbiParameters(types, [job, addressToWord(worker), commitment, nonce]));
}

/** keccak256(abi.encode(job, attempt, bidder, price, secondsTaken, region, nonce)). */
export function bidSealOf(job: bigint, attempt: bigint, bidder: Address, bid: RevealedBid, nonce: Hex): Hex {
  const types = ["uint256", "uint256", "uint160", "uint256", "uint256", "bytes16", "bytes32"].map((type) => ({ type }));
  const { price, secondsTaken, region } = bid;
  return hash(encodeAbiParameters(types, [job, attempt, addressToWord(bidder), price, secondsTaken, region, nonce]));
}

export interface RevealedBid {
  readonly price: bigint;
  readonly secondsTaken: bigint;
  /** 16 bytes. */
  readonly region: Hex;
}

function hash(encoded: Hex): Hex {
  return bytesToHex(keccak256(hexToBytes(encoded)));
}

/** Whether it fits the program and the segment: how many outputs, where it traps. Reverts with BadCommitment or WrongCount. */
export function checkCommitment(call: ModuleCall, job: bigint, commitment: Commitment): void {
  const { outputs, traps, trapLaunch, trapTile } = commitment;
  const plan = programPlan(call, programOf(call, job));
  const summary = programSummary(call, programOf(call, job));
  if (summary === undefined || plan === undefined) throw revertWith(marketAbi, "BadCommitment", []);
  const { segments } = readTerms(call, job);
  const { segment } = readState(call, job);
  const { first, end } = segmentRange(summary.launches, Number(segments), Number(segment));
  if (traps) {
    const launch = trapLaunch < first || trapLaunch >= end ? undefined : launchAt(plan, trapLaunch)?.launch;
    if (launch === undefined || trapTile >= tilesOf(launch)) throw revertWith(marketAbi, "BadCommitment", []);
  }
  const expected = segment + 1n === segments && !traps ? summary.outputs.length : 0;
  if (outputs.length !== expected)
    throw revertWith(marketAbi, "WrongCount", [BigInt(outputs.length), BigInt(expected)]);
}

const trapWord = packedWord({ traps: 1, launch: 48, tile: 32 });

/** The same, as the round and the slots have it. */
export interface StoredCommitment {
  readonly segmentRoot: bigint;
  readonly checkpointRoot: bigint;
  readonly trap: bigint;
  readonly outputs: readonly Hex[];
}

export function storedForm(commitment: Commitment): StoredCommitment {
  const { segmentRoot, checkpointRoot, outputs, traps, trapLaunch, trapTile } = commitment;
  const launch = traps ? BigInt(trapLaunch) : 0n;
  const tile = traps ? BigInt(trapTile) : 0n;
  return {
    segmentRoot: BigInt(segmentRoot),
    checkpointRoot: BigInt(checkpointRoot),
    trap: trapWord.pack({ traps: traps ? 1n : 0n, launch, tile }),
    outputs,
  };
}

/** What is verified now. */
export function writeCommitment(call: ModuleCall, job: bigint, commitment: StoredCommitment): void {
  jobWords.set(call, "segmentRoot", commitment.segmentRoot, job);
  jobWords.set(call, "checkpointRoot", commitment.checkpointRoot, job);
  jobWords.set(call, "trap", commitment.trap, job);
  writeHashes(call, commitment.outputs, OUTPUTS, job);
}

/** Nothing is committed: what was there was found false, or its segment is done. */
export function clearCommitment(call: ModuleCall, job: bigint): void {
  writeCommitment(call, job, { segmentRoot: 0n, checkpointRoot: 0n, trap: 0n, outputs: [] });
}

export function readCommitment(call: ModuleCall, job: bigint): SegmentCommitment {
  const { traps, launch, tile } = trapWord.unpack(jobWords.get(call, "trap", job));
  return {
    segmentRoot: wordToHash(jobWords.get(call, "segmentRoot", job)),
    checkpointRoot: wordToHash(jobWords.get(call, "checkpointRoot", job)),
    outputs: readHashes(call, OUTPUTS, job),
    ...(traps > 0n && { trap: { launch: Number(launch), tile: Number(tile) } }),
  };
}
