/** A peer that says whatever a test wants: libp2p as a node has it, and nothing above. */
import type { Connection, Stream } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { frameOf } from "../../../../chain/network/frames.ts";
import { topicsOf } from "../../../../chain/network/gossip-options.ts";
import { createHost, type Host } from "../../../../chain/network/host.ts";
import { PROTOCOLS } from "../../../../chain/network/peer-session.ts";
import {
  type Addressed,
  type ChannelName,
  channelsOf,
  encodeMessage,
  type Hello,
} from "../../../../chain/wire/node-message.ts";
import { anyBlock, GENESIS, keyOf } from "./nodes.ts";

const channels = channelsOf(anyBlock);
const topics = topicsOf(GENESIS);
const hosts = new Set<Host>();

export const HELLO: Hello = {
  version: 1,
  chainId: 7n,
  genesis: GENESIS,
  proof: undefined,
  height: 0,
  addresses: [],
  agent: "raw",
};

export class RawPeer {
  readonly host: Host;
  readonly connection: Connection;
  /** The streams that the other side opened. */
  readonly inbound: Stream[];

  private constructor(host: Host, connection: Connection, inbound: Stream[]) {
    this.host = host;
    this.connection = connection;
    this.inbound = inbound;
  }

  static async connect(address: string, name = "raw", reads = true): Promise<RawPeer> {
    const host = await createHost({
      nodeKey: keyOf(name),
      listen: [],
      announce: [],
      agent: "raw",
      maxPeers: 8,
      mdns: false,
      topics: Object.values(topics),
      gater: {},
    });
    const inbound: Stream[] = [];
    for (const protocol of Object.values(PROTOCOLS)) {
      await host.handle(protocol, (stream) => {
        inbound.push(stream);
        if (reads) stream.addEventListener("message", () => {});
        else stream.pause();
      });
    }
    await host.start();
    hosts.add(host);
    return new RawPeer(host, await host.dial(multiaddr(address)), inbound);
  }

  async open(channel: ChannelName): Promise<Stream> {
    return await this.connection.newStream(PROTOCOLS[channel]);
  }

  /** The consensus channel, after a correct hello. */
  async greet(hello: Hello = HELLO): Promise<Stream> {
    const stream = await this.open("consensus");
    stream.send(framed({ channel: "consensus", message: { type: "hello", hello } }));
    return stream;
  }

  async closed(): Promise<void> {
    if (this.connection.status !== "open") return;
    await new Promise<void>((resolve) => this.connection.addEventListener("close", () => resolve()));
  }
}

export function framed(message: Addressed): Uint8Array {
  return frameOf(encodeMessage(channels, message));
}

export async function stopRawPeers(): Promise<void> {
  await Promise.all([...hosts].map((host) => host.stop()));
  hosts.clear();
}
