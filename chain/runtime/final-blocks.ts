/** Answers to requests for final blocks, and the point from which a node starts again, both from the store. */
import { hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { genesisConsensusBlock, storedConsensusBlock } from "../blocks/consensus-block.ts";
import { isSealHeader } from "../blocks/header.ts";
import { decodeCertificate } from "../consensus/certificate.ts";
import { MAX_FINALS_SENT } from "../consensus/limits.ts";
import { type Epoch, type FinalBase, makeEpoch } from "../consensus/state.ts";
import type { Block, Certificate, FinalSegment, Message, Request } from "../consensus/types.ts";
import { genesisWeights } from "../consensus-parameters.ts";
import { buildGenesisBlock } from "../genesis-block.ts";
import type { ChainStore } from "../store/chain-store.ts";
import { MAX_FINALS_BYTES } from "./limits.ts";

/** Where consensus goes on: the last final block, its certificate and its epoch. */
export function finalBase(store: ChainStore, spec: ChainSpec): FinalBase {
  const { head } = store;
  assert(head !== undefined, "genesis is committed before consensus starts");
  const final = blockAt(store, head.number);
  return { epoch: epochAfter(store, spec, final), final, certificate: certificateAt(store, head.number) };
}

/** The epoch of the block after `final`: its root is genesis, or the seal of the epoch before. */
function epochAfter(store: ChainStore, spec: ChainSpec, final: Block): Epoch {
  const number = final.next === undefined ? final.epoch : final.epoch + 1;
  if (number === 0) return makeEpoch(0, genesisWeights(spec), genesisOf(spec));
  const seal = store.seal(number - 1);
  assert(seal !== undefined, "the store has the seal of every epoch before its own");
  return makeEpoch(number, seal.nextValidators, blockAt(store, seal.number));
}

/** Not from the store: one that began with a snapshot has no genesis. */
function genesisOf(spec: ChainSpec): Block {
  return genesisConsensusBlock(buildGenesisBlock(spec).header);
}

function blockAt(store: ChainStore, number: number): Block {
  const stored = store.header(number);
  assert(stored !== undefined, "a block is asked for that the store has");
  const seal = store.seal(stored.header.extra.epoch);
  const nextValidators = seal?.number === number ? seal.nextValidators : undefined;
  return storedConsensusBlock(stored, nextValidators, store.encodedBlock(number));
}

function certificateAt(store: ChainStore, number: number): Certificate | undefined {
  const bytes = store.certificate(number);
  return bytes === undefined ? undefined : decodeCertificate(bytes);
}

export function answerRequest(store: ChainStore, request: Request): Message | undefined {
  if (request.type === "fetch-block") {
    const number = store.numberOf(hexToBytes(request.hash));
    const block = number === undefined ? undefined : servedBlock(store, number);
    return block && { type: "block", block };
  }
  if (request.type !== "fetch-finals") return undefined;
  const segments = segmentsAbove(store, request.height);
  return segments.length === 0 ? undefined : { type: "finals", segments };
}

/**
 * Whole segments, as many as fit. One that is too long alone is cut: its last blocks come, and the others are asked for
 * one by one, by the hashes of their children.
 */
export function segmentsAbove(store: ChainStore, height: number): FinalSegment[] {
  const segments: FinalSegment[] = [];
  let count = 0;
  let bytes = 0;
  for (let from = height + 1; count < MAX_FINALS_SENT && bytes < MAX_FINALS_BYTES; ) {
    const segment = segmentFrom(store, from);
    if (segment === undefined) break;
    count += segment.blocks.length;
    bytes += segment.blocks.reduce((sum, { body }) => sum + body.length, 0);
    if (segments.length > 0 && (count > MAX_FINALS_SENT || bytes > MAX_FINALS_BYTES)) break;
    segments.push(segment);
    from = (segment.blocks.at(-1)?.height ?? from) + 1;
  }
  return segments;
}

/** A whole block. Its roots are not computed again: the store vouches for it, and peers may ask often. */
function servedBlock(store: ChainStore, number: number): Block | undefined {
  const stored = store.header(number);
  const encoded = store.encodedBlock(number);
  if (stored === undefined || encoded === undefined) return undefined;
  const nextValidators = isSealHeader(stored.header) ? store.body(number)?.nextValidators : undefined;
  return storedConsensusBlock(stored, nextValidators, encoded);
}

/** The blocks from that height to the one that the certificate of the first names; the last of them if they are many. */
function segmentFrom(store: ChainStore, from: number): FinalSegment | undefined {
  const certificate = certificateAt(store, from);
  const last = certificate && store.numberOf(hexToBytes(certificate.hash));
  if (certificate === undefined || last === undefined) return undefined;
  const blocks: Block[] = [];
  let bytes = 0;
  for (let number = last; number >= from && blocks.length < MAX_FINALS_SENT; number--) {
    const block = servedBlock(store, number);
    if (block === undefined) return undefined;
    bytes += block.body.length;
    if (blocks.length > 0 && bytes > MAX_FINALS_BYTES) break;
    blocks.push(block);
  }
  return { blocks: blocks.reverse(), certificate };
}
