/** Finding each other without addresses, and the newer Internet protocol. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { voteIn } from "./support/messages.ts";
import { connected, startNode, stopNodes } from "./support/nodes.ts";

afterEach(stopNodes);

const GROUP = "224.0.0.251";

/** Whether what is sent to the group of mDNS comes back, which containers often prevent. */
async function hasMulticast(): Promise<boolean> {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  try {
    socket.bind(0);
    await once(socket, "listening");
    socket.addMembership(GROUP);
    socket.setMulticastLoopback(true);
    const heard = once(socket, "message", { signal: AbortSignal.timeout(1_000) });
    socket.send("ogpu", socket.address().port, GROUP);
    await heard;
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

async function hasIp6(): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(0, "::1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

const outward = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal);
const canMulticast = outward !== undefined && (await hasMulticast());
const canIp6 = await hasIp6();

describe("mDNS", () => {
  it.skipIf(!canMulticast)(
    "brings two nodes of one local network together (skipped where multicast is impossible)",
    async () => {
      // On all addresses: those of loopback alone are not told to the local network.
      const listen = ["/ip4/0.0.0.0/tcp/0"];
      const a = await startNode("a", { listen, mdns: true });
      const b = await startNode("b", { listen, mdns: true });
      await connected(a, b);
      expect(b.network.peers()[0]?.address).not.toBe("");
    },
  );
});

describe("IPv6", () => {
  it.skipIf(!canIp6)("carries connections as IPv4 does (skipped where the machine has none)", async () => {
    const a = await startNode("a", { listen: ["/ip6/::1/tcp/0"], outboundPeers: 0 });
    expect(a.address).toMatch(/^\/ip6\/::1\/tcp\/\d+\/p2p\//);
    const b = await startNode("b", { listen: ["/ip6/::1/tcp/0"], outboundPeers: 0, persistent: [a.address] });
    await connected(a, b);
    expect(b.network.peers()[0]?.address).toMatch(/^\/ip6\/::1\//);
    a.network.send(b.network.peerId, { type: "vote", vote: voteIn(1) });
    await b.messages.until((all) => all.length === 1);
  });
});
