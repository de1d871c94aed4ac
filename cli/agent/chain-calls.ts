/** What agents do on chain, as calls of modules. */
import { type Abi, encodeFunctionData } from "viem";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import type { ChainAction, Commitment, SeatOpening, StagedChunk, StagedOrigin } from "../../compute/agent/ports.ts";
import type { LaunchOutcome, TileOpening } from "../../compute/program/commitment.ts";
import type { MerkleProof } from "../../compute/program/merkle.ts";
import { type ModuleName, ogpuModules } from "../../rpc/client/modules.ts";
import { bidSealOf, sealOf } from "../../vm/modules/market/commitment.ts";
import type { QueuedCall } from "./transaction-queue.ts";

export interface ModuleUse {
  readonly module: ModuleName;
  readonly name: string;
  readonly args: readonly unknown[];
}

const NO_HASH: Hex = `0x${"00".repeat(32)}`;

export function callOf({ module, name, args }: ModuleUse, value: bigint): QueuedCall {
  const { address, abi } = ogpuModules[module];
  const data = encodeFunctionData({ abi: abi as Abi, functionName: name, args });
  return { to: address, value, data: hexToBytes(data) };
}

function market(name: string, ...args: readonly unknown[]): ModuleUse {
  return { module: "market", name, args };
}

function verification(name: string, ...args: readonly unknown[]): ModuleUse {
  return { module: "verification", name, args };
}

/** Seals are made here: what they hide is nobody's business, the node's neither. */
export function useOf(action: ChainAction, account: Hex): ModuleUse {
  switch (action.kind) {
    case "joinSource":
    case "leaveSource":
      return market(action.kind, action.source, action.device);
    case "commitSealed": {
      const { job, attempt, commitment, nonce } = action;
      return market("commitSealed", job, attempt, sealOf(job, account, commitmentArgument(commitment), nonce));
    }
    case "bid": {
      const { job, attempt, price, seconds, region, nonce } = action;
      const seal = bidSealOf(job, attempt, account, { price, secondsTaken: seconds, region }, nonce);
      return market("bid", job, attempt, seal);
    }
    case "reveal":
      return market("reveal", action.job, commitmentArgument(action.commitment), action.nonce);
    case "commitSegment":
      return market("commitSegment", action.job, action.segment, commitmentArgument(action.commitment));
    case "revealBid": {
      const { job, price, seconds, region, nonce } = action;
      return market("revealBid", job, price, seconds, region, nonce);
    }
    case "answerOutput": {
      const { job, output, chunk, proof } = action;
      return market(
        ...["answerOutput", job, output, BigInt(proof.index)],
        ...[bytesToHex(chunk), proof.siblings.map(bytesToHex)],
      );
    }
    case "demandInput":
      return market("demandInput", action.job, action.input, BigInt(action.chunk));
    case "answerCheckpoint":
      return market("answerCheckpoint", ...checkpointArguments(action));
    case "publishSeed":
      return verification("publishSeed", action.round, action.seed);
    case "open":
      return verification("open", action.round, action.seats.map(openingArgument));
    case "seal":
    case "sealVotes":
      return verification(action.kind, action.round, action.seats);
    case "revealSeats":
      return verification("reveal", action.round, action.seats);
    case "revealVotes":
      return verification("revealVotes", action.round, action.seats);
    case "challenge":
    case "judge":
      return verification(action.kind, action.round, action.launch, action.tile);
    case "challengeOutput": {
      const { round, output, written, chunks } = action;
      const shown = chunks.map(({ bytes, proof }) => ({ contents: bytesToHex(bytes), proof: proofArgument(proof) }));
      return verification("challengeOutput", round, output, chunkArgument(written), shown);
    }
    default:
      return verification("stage", action.round, action.launch, action.tile, action.chunks.map(chunkArgument));
  }
}

export interface MarketCommitment {
  readonly segmentRoot: Hex;
  readonly checkpointRoot: Hex;
  readonly outputs: readonly Hex[];
  readonly traps: boolean;
  readonly trapLaunch: number;
  readonly trapTile: number;
}

function checkpointArguments(answer: Extract<ChainAction, { kind: "answerCheckpoint" }>): readonly unknown[] {
  const { job, buffer, tile, chunk, proof, opening, root, version } = answer;
  const place = (BigInt(tile) << 32n) | BigInt(proof.index);
  const hashes = ({ siblings }: MerkleProof): readonly Hex[] => siblings.map(bytesToHex);
  const shown = {
    ...{ version: bytesToHex(root), versionSiblings: hashes(version) },
    tile: opening === undefined ? NO_HASH : bytesToHex(opening.address),
    salt: opening === undefined ? NO_HASH : bytesToHex(opening.salt),
    tileSiblings: opening === undefined ? [] : hashes(opening.proof),
  };
  return [job, buffer, place, bytesToHex(chunk), hashes(proof), shown];
}

function commitmentArgument(commitment: Commitment): MarketCommitment {
  const { segmentRoot, checkpointRoot, outputs, trapLaunch, trapTile } = commitment;
  return {
    ...{ segmentRoot, checkpointRoot, outputs },
    traps: trapLaunch !== undefined,
    ...{ trapLaunch: trapLaunch ?? 0, trapTile: trapTile ?? 0 },
  };
}

function openingArgument({ seat, outcome, proof, tiles }: SeatOpening): object {
  return {
    ...{ seat, outcome: outcomeArgument(outcome), proof: proofArgument(proof) },
    tiles: tiles.map(({ buffer, opening }) => tileArgument(buffer, opening)),
  };
}

function outcomeArgument(outcome: LaunchOutcome): object {
  if (outcome.kind === "trap") return { trapped: true, trapTile: outcome.tile, versions: [] };
  const versions = outcome.versions.map(({ buffer, root }) => ({ buffer, root: bytesToHex(root) }));
  return { trapped: false, trapTile: 0, versions };
}

function proofArgument({ index, count, siblings }: MerkleProof): object {
  return { index, count, siblings: siblings.map(bytesToHex) };
}

function tileArgument(buffer: number, { address, salt, proof }: TileOpening): object {
  return { buffer, contents: bytesToHex(address), salt: bytesToHex(salt), proof: proofArgument(proof) };
}

function chunkArgument({ buffer, origin, bytes, proof }: StagedChunk): object {
  return {
    ...{ buffer, origin: originArgument(buffer, origin) },
    ...{ contents: bytesToHex(bytes), proof: proofArgument(proof) },
  };
}

const NO_PROOF = { index: 0, count: 0, siblings: [] };
const NO_OUTCOME = { trapped: false, trapTile: 0, versions: [] };
const NO_OPENING = { buffer: 0, contents: NO_HASH, salt: NO_HASH, proof: NO_PROOF };
const NO_ORIGIN = { kind: 0, launch: 0, outcome: NO_OUTCOME, proof: NO_PROOF, tile: 0, opening: NO_OPENING };

function originArgument(buffer: number, origin: StagedOrigin): object {
  if (origin.kind === "start") return NO_ORIGIN;
  const { tile, opening } = origin;
  const rest = { proof: proofArgument(origin.proof), tile, opening: tileArgument(buffer, opening) };
  if (origin.kind === "tile") {
    return { kind: 1, launch: origin.launch, outcome: outcomeArgument(origin.outcome), ...rest };
  }
  const outcome = { ...NO_OUTCOME, versions: [{ buffer, root: bytesToHex(origin.root) }] };
  return { ...NO_ORIGIN, kind: 2, outcome, ...rest };
}
