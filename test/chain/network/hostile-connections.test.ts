/** Peers that break the rules below our messages: on the socket, in the handshake, in the multiplexer. */
import { createConnection, type Socket } from "node:net";
import { multiaddr } from "@multiformats/multiaddr";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { PROTOCOLS } from "../../../chain/network/peer-session.ts";
import { voteIn } from "./support/messages.ts";
import { connected, startNode, stopNodes, type TestNode } from "./support/nodes.ts";
import { HELLO, RawPeer, stopRawPeers } from "./support/raw-peer.ts";

let node: TestNode;
let honest: TestNode;

beforeEach(async () => {
  node = await startNode("node", { outboundPeers: 0 });
  honest = await startNode("honest", { outboundPeers: 0, persistent: [node.address] });
  await connected(node, honest);
});

afterEach(async () => {
  await stopRawPeers();
  await stopNodes();
});

async function honestGoesOn(): Promise<void> {
  honest.network.send(node.network.peerId, { type: "vote", vote: voteIn(7) });
  await node.messages.until((all) => all.length > 0);
  expect(node.peers.items.filter(({ isConnected }) => !isConnected)).toEqual([]);
  expect(node.log.items.filter(({ level }) => level === "error")).toEqual([]);
}

function portOf({ address }: TestNode): number {
  return Number(address.split("/")[4]);
}

async function opened(socket: Socket): Promise<void> {
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
}

async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
}

describe("a node survives", () => {
  it("garbage on its port", async () => {
    const prng = new Prng("garbage");
    for (let i = 0; i < 10; i++) {
      const socket = createConnection(portOf(node), "127.0.0.1");
      socket.on("error", () => {});
      await opened(socket);
      socket.write(Uint8Array.from({ length: 1 + prng.below(3_000) }, () => prng.below(256)));
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.end();
      await closed(socket);
    }
    await honestGoesOn();
  });

  it("peers that hang up at any moment of the beginning", async () => {
    const raw = await RawPeer.connect(node.address, "first");
    await raw.host.hangUp(raw.connection.remotePeer);
    for (let turns = 0; turns < 30; turns++) {
      // The node refuses those who come too often: that is no answer either.
      const connection = await raw.host.dial(multiaddr(node.address)).catch(() => undefined);
      if (connection === undefined) continue;
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      if (turns % 3 === 0) void connection.newStream(PROTOCOLS.consensus).catch(() => {});
      connection.abort(new Error("gone"));
    }
    await honestGoesOn();
  });

  it("peers that open streams without end", async () => {
    const raw = await RawPeer.connect(node.address);
    await raw.greet(HELLO);
    const streams = await Promise.allSettled(
      Array.from({ length: 300 }, () => raw.connection.newStream("/ipfs/id/1.0.0", { maxOutboundStreams: 1_000 })),
    );
    expect(streams.some(({ status }) => status === "rejected")).toBe(true);
    await honestGoesOn();
  });

  it("protocols that it does not have", async () => {
    const raw = await RawPeer.connect(node.address);
    await expect(raw.connection.newStream("/no/such/1")).rejects.toThrow();
    await honestGoesOn();
  });
});
