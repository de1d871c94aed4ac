/** The worker's opening of a seat's tile: checked against its commitment, and the digest that follows from it. */
import { bytes32, bytesToBigint, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import {
  type LaunchOutcome,
  launchLeaf,
  saltOf,
  type TileOpening,
  tileCount,
  verifyTile,
} from "../../../compute/program/commitment.ts";
import { tileDigest } from "../../../compute/program/digest.ts";
import { type MerkleProof, verifyLeaf } from "../../../compute/program/merkle.ts";
import { launchAt, type ScheduledLaunch } from "../../../compute/program/schedule.ts";
import type { Program, TileSpec } from "../../../compute/program/types.ts";
import type { RoundFacts } from "./round-record.ts";
import type { SeatPlace } from "./seat-record.ts";

/** As the ABI has them. */
export interface ProofInput {
  readonly index: number;
  readonly count: number;
  readonly siblings: readonly Hex[];
}

export interface OutcomeInput {
  readonly trapped: boolean;
  readonly trapTile: number;
  readonly versions: readonly { readonly buffer: number; readonly root: Hex }[];
}

export interface TileOpeningInput {
  readonly buffer: number;
  readonly contents: Hex;
  readonly salt: Hex;
  readonly proof: ProofInput;
}

export interface SeatOpeningInput {
  readonly seat: number;
  readonly outcome: OutcomeInput;
  readonly proof: ProofInput;
  readonly tiles: readonly TileOpeningInput[];
}

/** What is wrong with an opening, as BadOpening says it. */
export const OPENING_FLAW = { leaf: 1, buffers: 2, tile: 3, trap: 4 } as const;

export type OpeningResult =
  | { readonly kind: "opened"; readonly digest: Hex; readonly salts: bigint }
  | { readonly kind: "flawed"; readonly flaw: number };

export function proofOf({ index, count, siblings }: ProofInput): MerkleProof {
  return { index, count, siblings: siblings.map(hexToBytes) };
}

export function outcomeOf({ trapped, trapTile, versions }: OutcomeInput): LaunchOutcome {
  if (trapped) return { kind: "trap", tile: trapTile };
  return { kind: "done", versions: versions.map(({ buffer, root }) => ({ buffer, root: hexToBytes(root) })) };
}

export function tileOpeningOf({ contents, salt, proof }: TileOpeningInput): TileOpening {
  return { address: hexToBytes(contents), salt: hexToBytes(salt), proof: proofOf(proof) };
}

/** Whether the outcome is that of the launch in the round's commitment. */
export function isCommittedOutcome(
  facts: RoundFacts,
  launch: number,
  outcome: OutcomeInput,
  proof: ProofInput,
): boolean {
  if (launch < facts.first || launch >= facts.end) return false;
  if (proof.index !== launch - facts.first || proof.count !== facts.end - facts.first) return false;
  return verifyLeaf(hexToBytes(facts.segmentRoot), launchLeaf(launch, outcomeOf(outcome)), proofOf(proof));
}

/** The buffers that a launch writes, ascending, each with its tiles. */
export function writtenBuffers({
  launch,
  arguments: bound,
}: ScheduledLaunch): readonly (readonly [number, TileSpec])[] {
  return launch.tiles
    .flatMap(({ parameter, tile }) => {
      const argument = bound[parameter];
      return argument?.kind === "buffer" ? [[argument.buffer, tile] as const] : [];
    })
    .sort(([a], [b]) => a - b);
}

/** Checks the opening of the tile at that place, and gives its digest. */
export function checkOpening(
  facts: RoundFacts,
  plan: Program,
  place: SeatPlace,
  { outcome, proof, tiles, seat }: SeatOpeningInput,
): OpeningResult {
  const flawed = (flaw: number): OpeningResult => ({ kind: "flawed", flaw });
  const { launch, tile } = place;
  const scheduled = launchAt(plan, launch);
  if (scheduled === undefined || !isCommittedOutcome(facts, launch, outcome, proof)) return flawed(OPENING_FLAW.leaf);
  const isTrap = facts.trapTile !== undefined && launch === facts.end - 1;
  if (outcome.trapped !== isTrap) return flawed(OPENING_FLAW.trap);
  if (isTrap) {
    if (outcome.trapTile !== facts.trapTile || tiles.length > 0) return flawed(OPENING_FLAW.trap);
    return { kind: "opened", digest: bytesToHex(tileDigest(launch, tile, { kind: "trap" })), salts: 0n };
  }
  const written = writtenBuffers(scheduled);
  const isEach = (buffers: readonly { readonly buffer: number }[]): boolean =>
    buffers.length === written.length && buffers.every(({ buffer }, index) => buffer === written[index]?.[0]);
  if (!isEach(outcome.versions) || !isEach(tiles)) return flawed(OPENING_FLAW.buffers);
  const addresses = new Map<number, Uint8Array>();
  let salts = 0n;
  for (const [index, [buffer, spec]] of written.entries()) {
    const root = outcome.versions[index]?.root;
    const given = tiles[index];
    if (root === undefined || given === undefined) return flawed(OPENING_FLAW.buffers);
    const opening = tileOpeningOf(given);
    const isWhole = given.proof.count === tileCount(spec, scheduled.launch.grid);
    if (!isWhole || !verifyTile(hexToBytes(root), tile, opening)) return flawed(OPENING_FLAW.tile);
    addresses.set(buffer, opening.address);
    salts += saltWord(seat, buffer, opening.salt);
  }
  return { kind: "opened", digest: bytesToHex(tileDigest(launch, tile, { kind: "done", addresses })), salts };
}

/** One of many that are added up, so that a published seed is held to all salts at once. */
function saltWord(seat: number, buffer: number, salt: Uint8Array): bigint {
  return bytesToBigint(sha256(concatBytes(bytes32(BigInt(seat)), bytes32(BigInt(buffer)), salt)));
}

/** What the seed gives for the salts of a seat's tile. */
export function expectedSalts(plan: Program, { launch, tile }: SeatPlace, seat: number, seed: Hex): bigint {
  const scheduled = launchAt(plan, launch);
  if (scheduled === undefined) return 0n;
  return writtenBuffers(scheduled).reduce(
    (sum, [buffer]) => sum + saltWord(seat, buffer, saltOf(hexToBytes(seed), { launch, buffer, tile })),
    0n,
  );
}
