import type { Connection, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { connectionGater } from "../../../chain/network/gate.ts";
import { MAX_CONNECTIONS_PER_IP, MAX_PENDING_CONNECTIONS, MAX_PENDING_PER_IP } from "../../../chain/network/limits.ts";

/** A connection as far as the gate looks at it. */
class Dialled extends EventTarget {
  readonly remoteAddr: { toString(): string };

  constructor(ip: string) {
    super();
    this.remoteAddr = { toString: () => `/${ip.includes(":") ? "ip6" : "ip4"}/${ip}/tcp/50000` };
  }

  close(): void {
    this.dispatchEvent(new Event("close"));
  }
}

const PEER = { toString: () => "peer" } as unknown as PeerId;
const asConnection = (dialled: Dialled) => dialled as unknown as MultiaddrConnection;

function scene(open: readonly Dialled[] = []) {
  const gate = connectionGater({
    connections: () => open as unknown as Connection[],
    isBanned: (name) => name === "9.9.9.9",
    isFullFor: () => false,
  });
  return {
    isDenied: (dialled: Dialled) => gate.denyInboundConnection?.(asConnection(dialled)),
    finish: (dialled: Dialled) => gate.denyInboundUpgradedConnection?.(PEER, asConnection(dialled)),
  };
}

describe("handshakes that are under way", () => {
  it("from one address leave most of the room to others", () => {
    const { isDenied } = scene();
    const mine = Array.from({ length: 20 }, () => isDenied(new Dialled("8.8.8.8")));
    expect(mine.filter((denied) => denied === false)).toHaveLength(MAX_PENDING_PER_IP);
    expect(MAX_PENDING_PER_IP).toBeLessThanOrEqual(MAX_PENDING_CONNECTIONS / 16);
    expect(isDenied(new Dialled("8.8.4.4"))).toBe(false);
  });

  it("make room when they are done, and when they end, once each", () => {
    const { isDenied, finish } = scene();
    const dialled = Array.from({ length: MAX_PENDING_PER_IP }, () => new Dialled("8.8.8.8"));
    for (const each of dialled) expect(isDenied(each)).toBe(false);
    const [first, second] = dialled as [Dialled, Dialled];
    expect(finish(first)).toBe(false);
    first.close();
    expect(isDenied(new Dialled("8.8.8.8"))).toBe(false);
    expect(isDenied(new Dialled("8.8.8.8"))).toBe(true);
    second.close();
    expect(isDenied(new Dialled("8.8.8.8"))).toBe(false);
  });

  it("are not counted on private addresses, which test networks share", () => {
    const { isDenied } = scene();
    for (let i = 0; i < 50; i++) expect(isDenied(new Dialled("127.0.0.1"))).toBe(false);
  });
});

it("an address that is banned, or has all its connections, is turned away at once", () => {
  expect(scene().isDenied(new Dialled("9.9.9.9"))).toBe(true);
  const open = Array.from({ length: MAX_CONNECTIONS_PER_IP }, () => new Dialled("8.8.8.8"));
  expect(scene(open).isDenied(new Dialled("8.8.8.8"))).toBe(true);
});

it("all addresses of one IPv6 network count as one", () => {
  const open = Array.from({ length: MAX_CONNECTIONS_PER_IP }, (_, index) => new Dialled(`2600:1:2:3::${index}`));
  expect(scene(open).isDenied(new Dialled("2600:1:2:3:4:5:6:7"))).toBe(true);
  expect(scene(open).isDenied(new Dialled("2600:1:2:4::1"))).toBe(false);
});
