/** What is done with checked messages of other nodes. */
import { addBlock, hasRoomFor } from "./blocks.ts";
import { acceptCertificate, accuse } from "./certificates.ts";
import { isLinked } from "./final-segment.ts";
import { FINALS_WINDOW, MAX_CERTIFICATES_SENT, VIEW_WINDOW } from "./limits.ts";
import { send } from "./outbox.ts";
import { type ConsensusState, isSoon, roundOf } from "./state.ts";
import type { Block, Certificate, FinalSegment, Message, PeerId, Proposal, Request } from "./types.ts";

export function onMessage(state: ConsensusState, from: PeerId, message: Exclude<Message, { type: "vote" }>): void {
  switch (message.type) {
    case "certificate":
      acceptCertificate(state, message.certificate);
      return;
    case "proposal":
      onProposal(state, from, message.proposal);
      return;
    case "block":
      onBlock(state, from, message.block);
      return;
    case "finals":
      for (const segment of message.segments) onFinalSegment(state, from, segment);
      // The newest comes alone: who has sent several has been asked, and may have more.
      if (message.segments.flatMap(({ blocks }) => blocks).length > 1) state.behind = from;
      return;
    default:
      onRequest(state, from, message);
  }
}

/** The first proposal of a view is the one that may get our vote; a second one is evidence. */
function onProposal(state: ConsensusState, from: PeerId, { vote, block, parentView }: Proposal): void {
  if (vote.epoch !== state.epoch.number || !isInWindow(state, vote.view)) return;
  const round = roundOf(state, vote.view);
  const { evidence } = round.votes.add([vote], vote.signature);
  for (const pair of evidence) accuse(state, round, pair);
  if (round.candidate === undefined) {
    round.candidate = { block, parentView };
    // A block of another view is a seal proposed again, and nothing else (the check before us made sure).
    if (isSoon(state, vote.view)) addBlock(state, block, from);
  } else if (round.notarization?.hash === block.hash) addBlock(state, block, from);
}

function isInWindow({ view, finalView }: ConsensusState, proposed: number): boolean {
  return proposed > finalView && proposed <= view + VIEW_WINDOW;
}

/**
 * Only what was asked for: anything else would let a peer fill our memory. An answer that is of no use stays asked for
 * until the fetch timer, or the rules would ask again at once, for ever.
 */
function onBlock(state: ConsensusState, from: PeerId, block: Block): void {
  if (!state.wanted.has(block.hash) || !hasRoomFor(state, block)) return;
  addBlock(state, block, from);
  if (state.blocks.has(block.hash)) state.wanted.delete(block.hash);
}

/** Final blocks above ours. The certificate was checked; the hashes tie the blocks to it. */
function onFinalSegment(state: ConsensusState, from: PeerId, segment: FinalSegment): void {
  const { blocks, certificate } = segment;
  // What is far above is of no use before what is between, which has to be asked for: holding it would only fill memory.
  if ((blocks[0]?.height ?? 0) > state.final.height + FINALS_WINDOW) {
    state.behind = from;
    return;
  }
  if (certificate.epoch !== state.epoch.number || certificate.view <= state.finalView || !isLinked(segment)) return;
  for (const block of blocks) if (hasRoomFor(state, block)) addBlock(state, block);
  acceptCertificate(state, certificate);
}

function onRequest(state: ConsensusState, from: PeerId, request: Request): void {
  if (request.type === "fetch-certificates") {
    sendCertificates(state, from, request);
    return;
  }
  const held = request.type === "fetch-block" ? state.blocks.get(request.hash)?.block : undefined;
  if (held !== undefined) send(state, from, { type: "block", block: held });
  else state.effects.push({ type: "serve", to: from, request });
}

/**
 * Whoever asks about views that are final here gets the certificate that says so. Of too many the highest are sent: what
 * is asked for is what leads down from a view, and the next request goes on below. In ascending order, so that this one
 * is not made before the last has come.
 */
function sendCertificates(
  state: ConsensusState,
  to: PeerId,
  { epoch, from, to: last }: Extract<Request, { type: "fetch-certificates" }>,
): void {
  if (epoch < state.epoch.number || (epoch === state.epoch.number && from <= state.finalView)) {
    if (state.finalCertificate !== undefined) {
      send(state, to, { type: "certificate", certificate: state.finalCertificate });
    }
  }
  if (epoch !== state.epoch.number) return;
  const inRange = certificatesAbove(state, from, last).slice(-MAX_CERTIFICATES_SENT);
  for (const certificate of inRange) send(state, to, { type: "certificate", certificate });
}

/** By view, ascending. */
export function certificatesAbove({ rounds }: ConsensusState, from: number, to: number): Certificate[] {
  const views = [...rounds.keys()].filter((view) => view >= from && view <= to).sort((a, b) => a - b);
  return views.flatMap((view) => {
    const round = rounds.get(view);
    return [round?.finalization, round?.notarization, round?.nullification].flatMap((known) => known ?? []);
  });
}
