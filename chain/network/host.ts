/** libp2p, put together: TCP, Noise, yamux, identify, gossipsub. The one file that imports it as a value. */
import "./with-resolvers.ts";
import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { type GossipSub, gossipsub, StrictNoSign } from "@libp2p/gossipsub";
import { type Identify, identify } from "@libp2p/identify";
import type { ConnectionGater, Libp2p } from "@libp2p/interface";
import { mdns } from "@libp2p/mdns";
import { tcp } from "@libp2p/tcp";
import { createLibp2p } from "libp2p";
import { networkError } from "./errors.ts";
import { gossipOptions } from "./gossip-options.ts";
import {
  DIAL_TIMEOUT,
  INBOUND_PER_SECOND,
  MAX_DIALS,
  MAX_KNOWN_PEERS,
  MAX_PENDING_CONNECTIONS,
  SPARE_CONNECTIONS,
} from "./limits.ts";
import { safeYamux } from "./safe-yamux.ts";
import { wholeNoise } from "./whole-noise.ts";

export type Host = Libp2p<{ readonly identify: Identify; readonly gossip: GossipSub }>;

export interface HostOptions {
  /** The seed of the node's ed25519 key, 32 bytes. */
  readonly nodeKey: Uint8Array;
  readonly listen: readonly string[];
  readonly announce: readonly string[];
  readonly agent: string;
  readonly maxPeers: number;
  readonly mdns: boolean;
  readonly topics: readonly string[];
  readonly gater: ConnectionGater;
}

/** Not started. Throws NETWORK_BAD_KEY. */
export async function createHost(options: HostOptions): Promise<Host> {
  if (options.nodeKey.length !== 32) {
    throw networkError("NETWORK_BAD_KEY", "a node key has 32 bytes", { length: options.nodeKey.length });
  }
  return await createLibp2p({
    start: false,
    privateKey: await generateKeyPairFromSeed("Ed25519", options.nodeKey),
    addresses: { listen: [...options.listen], announce: [...options.announce] },
    nodeInfo: { name: "ogpu", version: "1", userAgent: options.agent },
    transports: [
      tcp({
        dialOpts: { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
        listenOpts: { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
      }),
    ],
    connectionEncrypters: [wholeNoise()],
    streamMuxers: [safeYamux()],
    peerDiscovery: options.mdns ? [mdns({ serviceTag: "opengpu.local" })] : [],
    connectionGater: options.gater,
    connectionManager: {
      maxConnections: options.maxPeers + SPARE_CONNECTIONS,
      maxParallelDials: MAX_DIALS,
      maxDialQueueLength: MAX_KNOWN_PEERS,
      dialTimeout: DIAL_TIMEOUT,
      inboundConnectionThreshold: INBOUND_PER_SECOND,
      maxIncomingPendingConnections: MAX_PENDING_CONNECTIONS,
    },
    // It drops a peer whose ping is late, which under load takes the mesh apart. Our own status messages watch over
    // peers, and cost no stream each.
    connectionMonitor: { enabled: false },
    services: {
      identify: identify({ runOnConnectionOpen: true }),
      gossip: gossipsub({ ...gossipOptions(options.topics), globalSignaturePolicy: StrictNoSign }),
    },
  });
}
