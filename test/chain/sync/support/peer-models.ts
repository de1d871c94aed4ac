/** Peers of a node that catches up: honest ones, and one way to misbehave each. */
import { decodeHeader, encodeHeader } from "../../../../chain/blocks/header.ts";
import type { Offer, SyncAnswer, SyncRequest } from "../../../../chain/sync/messages.ts";
import type { SnapshotSource } from "../../../../chain/sync/snapshot-source.ts";
import type { SyncPeerModel } from "./sync-network.ts";

/** Milliseconds for a round trip to a good peer. */
const LATENCY = 40;

/** What a peer makes of the answer that an honest one would give. */
export type Twist = (answer: SyncAnswer, request: SyncRequest, count: number) => SyncAnswer | undefined;

const asItIs: Twist = (answer) => answer;

export function peer(
  id: string,
  source: SnapshotSource,
  twist: Twist = asItIs,
  latency: number = LATENCY,
): SyncPeerModel {
  return {
    id,
    answer: async (request, count) => {
      const answer = twist(await source.answer(id, request, 0), request, count);
      return answer === undefined ? undefined : { answer, after: latency };
    },
  };
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  if (copy.length > 0) copy[at % copy.length] = (copy[at % copy.length] as number) ^ 0x10;
  return copy;
}

const changeOffers =
  (change: (offer: Offer) => Offer): Twist =>
  (answer) =>
    answer.type === "offers" ? { ...answer, offers: answer.offers.map(change) } : answer;

/** None of these has a validator's key. */
export const MISBEHAVIOURS: Readonly<Record<string, Twist>> = {
  "is silent": () => undefined,
  "is silent after the offers": (answer) => (answer.type === "offers" ? answer : undefined),
  "is always busy": (_, { id }) => ({ type: "refused", id, reason: "busy" }),
  "knows nothing but its offers": (answer, { id }) =>
    answer.type === "offers" ? answer : { type: "refused", id, reason: "unknown" },
  "finds all requests invalid": (_, { id }) => ({ type: "refused", id, reason: "invalid" }),
  "answers every other request": (answer, _, count) => (count % 2 === 0 ? answer : undefined),
  "answers with another kind": (_, { id }) => ({ type: "code", id, codes: [] }),
  "answers what nobody asked": (answer) => ({ ...answer, id: answer.id + 1_000 }),
  "changes a leaf": (answer, _, count) =>
    answer.type === "chunk" ? { ...answer, leaves: flipped(answer.leaves, count * 37 + 40) } : answer,
  "changes a proof": (answer, _, count) =>
    answer.type === "chunk" ? { ...answer, proof: flipped(answer.proof, count * 37) } : answer,
  "leaves leaves out": (answer) => (answer.type === "chunk" ? { ...answer, leaves: new Uint8Array(0) } : answer),
  "sends chunks that end early": (answer, request) =>
    answer.type === "chunk" && request.type === "get-chunk"
      ? { ...answer, end: request.first, leaves: new Uint8Array(0) }
      : answer,
  "sends other code": (answer) =>
    answer.type === "code" ? { ...answer, codes: answer.codes.map((code) => flipped(code, 3)) } : answer,
  "sends no code": (answer) => (answer.type === "code" ? { ...answer, codes: [] } : answer),
  "sends other headers": (answer) =>
    answer.type === "headers" ? { ...answer, headers: answer.headers.map((header) => flipped(header, 20)) } : answer,
  "sends no headers": (answer) => (answer.type === "headers" ? { ...answer, headers: [] } : answer),
  "sends other validators": (answer) =>
    answer.type === "seals"
      ? { ...answer, seals: answer.seals.map((seal) => ({ ...seal, nextValidators: seal.nextValidators.slice(1) })) }
      : answer,
  "sends seals without signatures": (answer) =>
    answer.type === "seals"
      ? { ...answer, seals: answer.seals.map((seal) => ({ ...seal, certificate: flipped(seal.certificate, 100) })) }
      : answer,
  "offers another root": changeOffers((offer) => ({ ...offer, header: withHeader(offer, { stateRoot: "11" }) })),
  "offers a block of the future": changeOffers((offer) => ({
    ...offer,
    header: withHeader(offer, { height: 999_999n }),
  })),
  "offers a block of a far epoch": changeOffers((offer) => ({ ...offer, header: withHeader(offer, { epoch: 500 }) })),
  "offers bytes": changeOffers((offer) => ({ ...offer, header: offer.header.slice(3) })),
};

function withHeader(
  { header }: Offer,
  change: { readonly stateRoot?: string; readonly height?: bigint; readonly epoch?: number },
): Uint8Array {
  const decoded = decodeHeader(header);
  return encodeHeader({
    ...decoded,
    ...(change.stateRoot !== undefined && {
      stateRoot: new Uint8Array(32).fill(Number.parseInt(change.stateRoot, 16)),
    }),
    ...(change.height !== undefined && { number: change.height }),
    extra: { ...decoded.extra, epoch: change.epoch ?? decoded.extra.epoch },
  });
}
