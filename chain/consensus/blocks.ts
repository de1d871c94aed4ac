/** Blocks above the final one: held, checked against their parent, executed parents first. */
import type { Hex } from "../../base/bytes.ts";
import { nextBeacon } from "./beacon.ts";
import { MAX_HELD_BYTES } from "./limits.ts";
import { want } from "./outbox.ts";
import { type BlockEntry, type ConsensusState, isSeal, validBlock } from "./state.ts";
import type { Block, Certificate, PeerId } from "./types.ts";

/** Keeps a block that somebody proposed or that was asked for, and has it executed as soon as its parent is. */
export function addBlock(state: ConsensusState, block: Block, from?: PeerId): void {
  if (state.blocks.has(block.hash) || !isAboveFinal(state, block)) return;
  const entry: BlockEntry = { block, status: "waiting", recorded: false };
  state.blocks.set(block.hash, entry);
  tryExecute(state, entry, from);
}

/**
 * Whether a block of an answer may be held. One that can be executed now always may, so that what waits does not keep out
 * what it waits for.
 */
export function hasRoomFor(state: ConsensusState, { parent, body }: Block): boolean {
  if (validBlock(state, parent) !== undefined) return true;
  let bytes = body.length;
  for (const { block } of state.blocks.values()) bytes += block.body.length;
  return bytes <= MAX_HELD_BYTES;
}

/** A block that the own application made has executed already. */
export function addExecutedBlock(state: ConsensusState, block: Block): void {
  if (!state.blocks.has(block.hash)) state.blocks.set(block.hash, { block, status: "valid", recorded: false });
}

function isAboveFinal(state: ConsensusState, { epoch, height, view }: Block): boolean {
  return epoch === state.epoch.number && height > state.final.height && view > state.finalView;
}

function tryExecute(state: ConsensusState, entry: BlockEntry, from?: PeerId): void {
  if (entry.status !== "waiting") return;
  const { block } = entry;
  const parent = validBlock(state, block.parent);
  const parentEntry = state.blocks.get(block.parent);
  if (parentEntry?.status === "invalid") setInvalid(state, entry);
  else if (parent !== undefined && !follows(state, parent, block)) setInvalid(state, entry);
  else if (parent !== undefined) {
    entry.status = "executing";
    state.effects.push({ type: "execute", block });
  } else if (parentEntry === undefined && block.height > state.final.height + 1) {
    // A leader can make up any number of blocks for one view. What a quorum has notarized, nobody can make up.
    if (block.parentCertificate?.hash !== block.parent) setInvalid(state, entry);
    else want(state, { type: "fetch-block", hash: block.parent }, from);
  }
}

/** The rules between a block and its parent that do not depend on who looks. */
function follows(state: ConsensusState, parent: Block, block: Block): boolean {
  const isRoot = parent.hash === state.epoch.root.hash;
  return (
    block.height === parent.height + 1 &&
    (isRoot || block.view > parent.view) &&
    block.time >= parent.time &&
    block.beacon === nextBeacon(parent.beacon, block.reveal) &&
    !isSeal(state, parent) &&
    (isRoot ? block.parentCertificate === undefined : certifies(block.parentCertificate, parent))
  );
}

/** Its signature is checked with the proposal; where that is not seen, a quorum that did see it has signed the block. */
function certifies(certificate: Certificate | undefined, { hash, epoch, view }: Block): boolean {
  if (certificate === undefined || certificate.kind === "NULLIFY") return false;
  return certificate.hash === hash && certificate.epoch === epoch && certificate.view === view;
}

function setInvalid(state: ConsensusState, entry: BlockEntry): void {
  entry.status = "invalid";
  tryChildren(state, entry.block.hash);
}

function tryChildren(state: ConsensusState, parent: Hex): void {
  for (const entry of state.blocks.values()) if (entry.block.parent === parent) tryExecute(state, entry);
}

export function onExecuted(state: ConsensusState, hash: Hex, valid: boolean): void {
  const entry = state.blocks.get(hash);
  if (entry?.status !== "executing") return;
  entry.status = valid ? "valid" : "invalid";
  tryChildren(state, hash);
}

/** Blocks whose parents are missing ask for them again. */
export function fetchParents(state: ConsensusState): void {
  for (const { block, status } of state.blocks.values()) {
    if (status !== "waiting" || state.blocks.has(block.parent) || block.height <= state.final.height + 1) continue;
    want(state, { type: "fetch-block", hash: block.parent });
  }
}

/** After a commit: what is at or below the final block, or on a branch that died with it. */
export function pruneBlocks(state: ConsensusState): void {
  for (const [hash, { block }] of state.blocks) if (!isAboveFinal(state, block)) state.blocks.delete(hash);
}
