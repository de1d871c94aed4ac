/** How gossipsub is set up, and what its topics and message ids are. */
import { createHash } from "node:crypto";
import type { GossipsubOpts, Message } from "@libp2p/gossipsub";
import type { Hex } from "../../base/bytes.ts";
import { MAX_GOSSIP_QUEUE, MAX_GOSSIP_RPC_BYTES } from "./limits.ts";

export interface Topics {
  readonly transactions: string;
  readonly finals: string;
  readonly progress: string;
}

/** Of one chain: nodes of another never see each other's gossip. */
export function topicsOf(genesis: Hex): Topics {
  const chain = genesis.slice(2, 18);
  const topic = (name: string, version = 1): string => `/opengpu/${chain}/${name}/${version}`;
  return { transactions: topic("transactions", 2), finals: topic("finals"), progress: topic("progress") };
}

/** Messages are unsigned, their content is signed; so the id is the hash of the content. */
export function messageId({ topic, data }: Message): Uint8Array {
  return createHash("sha256").update(topic).update(data).digest().subarray(0, 20);
}

export function gossipOptions(topics: readonly string[]): Partial<GossipsubOpts> {
  return {
    allowedTopics: [...topics],
    msgIdFn: messageId,
    msgIdToStrFn: (id) => Buffer.from(id).toString("base64"),
    fallbackToFloodsub: false,
    floodPublish: true,
    batchPublish: true,
    doPX: false,
    emitSelf: false,
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    maxInboundStreams: 2,
    maxOutboundStreams: 2,
    maxInboundDataLength: MAX_GOSSIP_RPC_BYTES,
    maxOutboundBufferSize: MAX_GOSSIP_QUEUE,
    maxTopicBytesPerPeer: 16_384,
    decodeRpcLimits: {
      maxSubscriptions: 64,
      maxMessages: 1_024,
      maxIhaveMessageIDs: 5_000,
      maxIwantMessageIDs: 5_000,
      maxControlMessages: 256,
      maxIdontwantMessageIDs: 512,
      maxPeerInfos: 0,
    },
    // Our own scores cover all protocols. Of gossipsub's, the one for many peers on one address would shut out test
    // networks, and the one for late answers a node under load.
    scoreParams: { IPColocationFactorWeight: 0, behaviourPenaltyThreshold: 100 },
  };
}
