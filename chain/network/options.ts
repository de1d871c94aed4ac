/** What a network is made with, and what it tells its owner. */

import type { Hex } from "../../base/bytes.ts";
import type { CodedError } from "../../base/errors.ts";
import type { Crypto, Signer } from "../consensus/crypto.ts";
import type { BlockReader } from "../wire/consensus.ts";
import type { NodeMessage, Status } from "../wire/node-message.ts";
import type { GossipHandlers } from "./gossip.ts";
import type { Timing } from "./limits.ts";
import type { NetworkLog } from "./log.ts";

export interface NetworkOptions {
  /** The seed of the node's ed25519 key, 32 bytes. */
  readonly nodeKey: Uint8Array;
  readonly chainId: bigint;
  /** The hash of the genesis block. */
  readonly genesis: Hex;
  /** The key of the validator that this node is; a follower has none. */
  readonly validator?: Signer | undefined;
  /** Multiaddrs such as /ip4/0.0.0.0/tcp/30333. Without any, nobody can connect to this node. */
  readonly listen?: readonly string[];
  /** Told to others instead of the addresses that are listened on. */
  readonly announce?: readonly string[];
  /** Multiaddrs with the peers' ids: where to find a first peer. */
  readonly bootstrap?: readonly string[];
  /** Multiaddrs with the peers' ids: redialled for ever, and never turned away. Validators name each other here. */
  readonly persistent?: readonly string[];
  readonly maxPeers?: number;
  /** How many of them this node dials itself. */
  readonly outboundPeers?: number;
  /** Bytes that wait for all peers together, where the usual number is too many. */
  readonly maxOutgoingBytes?: number;
  /** The same of messages that have not come whole. */
  readonly maxPartialBytes?: number;
  /** A file where the peers that lasted are kept for the next start. */
  readonly peersFile?: string;
  /** Find peers on the local network. */
  readonly mdns?: boolean;
  /** The name and version of the program, for other nodes' operators. */
  readonly agent?: string;
  readonly log?: NetworkLog;
  readonly timing?: Partial<Timing>;
  readonly blockOf?: BlockReader;
  /** Checks what validators have signed; BLS unless told. */
  readonly crypto?: Pick<Crypto, "verify">;
}

export interface PeerStatus {
  readonly peer: string;
  readonly address: string;
  readonly direction: "inbound" | "outbound";
  /** A validator's only as far as it has proved that. */
  readonly role: "validator" | "follower";
  /** The last final block that it told of. */
  readonly height: number;
  readonly agent: string;
  readonly isPersistent: boolean;
  /** Bytes that wait to be sent to it. */
  readonly queued: number;
  readonly score: number;
}

export interface NetworkHandlers extends GossipHandlers {
  /** Decoded and within the rates. A CodedError that it throws costs the sender score; anything else is our bug. */
  onMessage(from: string, message: NodeMessage): void;
  /** After its hello, and after its end. */
  onPeer(peer: PeerStatus, isConnected: boolean): void;
  /** A peer that cannot stay: another chain, no room. */
  onRefused?(peer: string, reason: CodedError): void;
  /** Whether the key is a validator's in the current epoch. */
  isValidator(key: Hex): boolean;
  /** What our hello and its updates say. */
  status(): Status;
}
