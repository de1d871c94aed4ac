/**
 * Everything that two nodes say to each other directly, and which of their channels carries it: consensus is never
 * delayed by bulk, nor blocks by blobs.
 */
import { BLS_PUBLIC_KEY_LENGTH, BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import type { Hex } from "../../base/bytes.ts";
import type { Block, Message } from "../consensus/types.ts";
import { type SyncMessage, syncMessage } from "../sync/messages.ts";
import { BLOB_NUMBERS, type BlobMessage, blobMessage, isBlobMessage } from "./blobs.ts";
import { type BlockReader, blockSchema, certificate, count, proposalSchema, segmentSchema, vote } from "./consensus.ts";
import {
  MAX_ADDRESS_LENGTH,
  MAX_AGENT_LENGTH,
  MAX_BLOB_MESSAGE_BYTES,
  MAX_CONSENSUS_BYTES,
  MAX_DATA_BYTES,
  MAX_OWN_ADDRESSES,
  MAX_PEER_ADDRESSES,
  MAX_SEGMENTS,
} from "./limits.ts";
import {
  big,
  bytes,
  decodeWire,
  encodeWire,
  hash,
  hex,
  integer,
  list,
  optional,
  record,
  type Schema,
  text,
  union,
} from "./schema.ts";

/** What the parts above the network say to each other. */
export type NodeMessage = Message | SyncMessage | BlobMessage;

/** That the node is a validator's: its key has signed the node's id (chain/network/role-proofs.ts). */
export interface RoleProof {
  readonly key: Hex;
  readonly signature: Uint8Array;
}

/** The first message on the consensus channel, from both sides. */
export interface Hello {
  readonly version: number;
  readonly chainId: bigint;
  readonly genesis: Hex;
  /** A follower has none. */
  readonly proof: RoleProof | undefined;
  readonly height: number;
  /** Where others can reach it: multiaddrs. */
  readonly addresses: readonly string[];
  readonly agent: string;
}

export interface Status {
  /** The last final block. */
  readonly height: number;
}

type Direct<T extends Message["type"]> = Extract<Message, { readonly type: T }>;

export type ConsensusMessage =
  | { readonly type: "hello"; readonly hello: Hello }
  | { readonly type: "status"; readonly status: Status }
  | Direct<"proposal" | "vote" | "certificate">;

export type DataMessage =
  | { readonly type: "get-peers" }
  | { readonly type: "peers"; readonly addresses: readonly string[] }
  | { readonly type: "sync"; readonly message: SyncMessage }
  | Direct<"block" | "finals" | "fetch-block" | "fetch-certificates" | "fetch-finals">;

export type ChannelName = "consensus" | "data" | "blobs";

export interface Channel<T> {
  readonly schema: Schema<T>;
  readonly maxBytes: number;
}

export interface Channels {
  readonly consensus: Channel<ConsensusMessage>;
  readonly data: Channel<DataMessage>;
  readonly blobs: Channel<BlobMessage>;
}

const address: Schema<string> = text(MAX_ADDRESS_LENGTH);

const hello: Schema<Hello> = record<Hello>({
  version: integer(0xffff),
  chainId: big(8),
  genesis: hash,
  proof: optional(
    record<RoleProof>({
      key: hex(BLS_PUBLIC_KEY_LENGTH),
      signature: bytes(BLS_SIGNATURE_LENGTH, BLS_SIGNATURE_LENGTH),
    }),
  ),
  height: count,
  addresses: list(address, MAX_OWN_ADDRESSES),
  agent: text(MAX_AGENT_LENGTH),
});

/** Numbers are never reused. */
const CONSENSUS_NUMBERS = { hello: 1, status: 2, proposal: 3, vote: 4, certificate: 5 } as const;
const DATA_NUMBERS = {
  "get-peers": 1,
  peers: 2,
  block: 3,
  finals: 4,
  "fetch-block": 5,
  "fetch-certificates": 6,
  "fetch-finals": 7,
  sync: 8,
} as const;

function consensusMessage(block: Schema<Block>): Schema<ConsensusMessage> {
  return union<ConsensusMessage>({
    hello: [CONSENSUS_NUMBERS.hello, record({ hello })],
    status: [CONSENSUS_NUMBERS.status, record({ status: record<Status>({ height: count }) })],
    proposal: [CONSENSUS_NUMBERS.proposal, record({ proposal: proposalSchema(block) })],
    vote: [CONSENSUS_NUMBERS.vote, record({ vote })],
    certificate: [CONSENSUS_NUMBERS.certificate, record({ certificate })],
  });
}

function dataMessage(block: Schema<Block>): Schema<DataMessage> {
  return union<DataMessage>({
    "get-peers": [DATA_NUMBERS["get-peers"], record({})],
    peers: [DATA_NUMBERS.peers, record({ addresses: list(address, MAX_PEER_ADDRESSES) })],
    block: [DATA_NUMBERS.block, record({ block })],
    finals: [DATA_NUMBERS.finals, record({ segments: list(segmentSchema(block), MAX_SEGMENTS) })],
    "fetch-block": [DATA_NUMBERS["fetch-block"], record({ hash })],
    "fetch-certificates": [DATA_NUMBERS["fetch-certificates"], record({ epoch: count, from: count, to: count })],
    "fetch-finals": [DATA_NUMBERS["fetch-finals"], record({ height: count })],
    sync: [DATA_NUMBERS.sync, record({ message: syncMessage })],
  });
}

export function channelsOf(blockOf: BlockReader): Channels {
  const block = blockSchema(blockOf);
  return {
    consensus: { schema: consensusMessage(block), maxBytes: MAX_CONSENSUS_BYTES },
    data: { schema: dataMessage(block), maxBytes: MAX_DATA_BYTES },
    blobs: { schema: blobMessage, maxBytes: MAX_BLOB_MESSAGE_BYTES },
  };
}

export type Addressed =
  | { readonly channel: "consensus"; readonly message: ConsensusMessage }
  | { readonly channel: "data"; readonly message: DataMessage }
  | { readonly channel: "blobs"; readonly message: BlobMessage };

export type ChannelMessage = Addressed["message"];

/** The channel of a message, and its form there. */
export function addressed(message: NodeMessage): Addressed {
  if (isBlobMessage(message)) return { channel: "blobs", message };
  switch (message.type) {
    case "proposal":
    case "vote":
    case "certificate":
      return { channel: "consensus", message };
    case "block":
    case "finals":
    case "fetch-block":
    case "fetch-certificates":
    case "fetch-finals":
      return { channel: "data", message };
    default:
      return { channel: "data", message: { type: "sync", message } };
  }
}

export function encodeMessage(channels: Channels, { channel, message }: Addressed): Uint8Array {
  if (channel === "consensus") return encodeWire(channels.consensus.schema, message);
  if (channel === "blobs") return encodeWire(channels.blobs.schema, message);
  return encodeWire(channels.data.schema, message);
}

/** Throws WIRE_INVALID. */
export function decodeMessage(
  { consensus, data, blobs }: Channels,
  channel: ChannelName,
  encoded: Uint8Array,
): ChannelMessage {
  if (channel === "consensus") return decodeWire(consensus.schema, encoded, consensus.maxBytes);
  if (channel === "blobs") return decodeWire(blobs.schema, encoded, blobs.maxBytes);
  return decodeWire(data.schema, encoded, data.maxBytes);
}

export type MessageKind = ChannelMessage["type"];

const KINDS: Readonly<Record<ChannelName, ReadonlyMap<number, MessageKind>>> = {
  consensus: new Map(Object.entries(CONSENSUS_NUMBERS).map(([type, number]) => [number, type as MessageKind])),
  data: new Map(Object.entries(DATA_NUMBERS).map(([type, number]) => [number, type as MessageKind])),
  blobs: new Map(Object.entries(BLOB_NUMBERS).map(([type, number]) => [number, type as MessageKind])),
};

/** The kind of an encoded message, without decoding it: its rate is limited first. `undefined` when it is none. */
export function kindOf(channel: ChannelName, encoded: Uint8Array): MessageKind | undefined {
  // A pair whose first member is the number of the kind.
  return encoded[0] === 0x92 ? KINDS[channel].get(encoded[1] ?? 0) : undefined;
}
