/** Blobs between the RPC's thread, which keeps them, and the node's, which has the peers. */
import type { Hex } from "../../base/bytes.ts";
import type { BlobExchange, BlobPart, BlobSource } from "../../chain/runtime/blob-exchange.ts";
import type { PeersPort } from "../blobs.ts";
import type { Channel, Handlers } from "./channel.ts";

export interface WantedPart {
  readonly address: Hex;
  readonly part: number;
}

interface WantedOf {
  readonly peer: string;
  readonly address: Hex;
}

/** The peers, as the RPC's thread asks them. */
export function remotePeers(channel: Pick<Channel, "ask" | "tell">): PeersPort {
  return {
    peers: () => channel.ask("blobPeers", undefined),
    find: (peer, address) => channel.ask("findBlob", { peer, address } satisfies WantedOf),
    part: (peer, address, part) => channel.ask("blobPart", { peer, address, part } satisfies WantedOf & WantedPart),
    blame: (peer) => channel.tell("blamePeer", peer),
  };
}

/** The other end. */
export function peerAnswers(blobs: BlobExchange | undefined): Handlers {
  return {
    blobPeers: () => blobs?.peers() ?? [],
    findBlob: ({ peer, address }: WantedOf) => blobs?.find(peer, address),
    blobPart: ({ peer, address, part }: WantedOf & WantedPart) => blobs?.part(peer, address, part),
  };
}

/** What the RPC's thread keeps, as the node's asks for it. A thread that has died has nothing. */
export function ownBlobs(channel: Pick<Channel, "ask">): BlobSource {
  return {
    find: (address) => channel.ask<number | undefined>("ownBlob", address).catch(() => undefined),
    part: (address, part) =>
      channel.ask<BlobPart | undefined>("ownPart", { address, part } satisfies WantedPart).catch(() => undefined),
  };
}
