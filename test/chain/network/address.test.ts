import { describe, expect, it } from "vitest";
import { parsePeerAddress, readPeerAddress, scopeOf } from "../../../chain/network/address.ts";

const PEER = "12D3KooWLJtG8fd2hkQzTn96MrLvThmnNQjTUFZwGEsLRz5EmSzc";

describe("addresses", () => {
  it.each([
    ["/ip4/127.0.0.1/tcp/1", "loopback"],
    ["/ip4/10.1.2.3/tcp/1", "private"],
    ["/ip4/172.16.0.1/tcp/1", "private"],
    ["/ip4/172.32.0.1/tcp/1", "public"],
    ["/ip4/192.168.0.1/tcp/1", "private"],
    ["/ip4/169.254.1.1/tcp/1", "private"],
    ["/ip4/100.64.0.1/tcp/1", "private"],
    ["/ip4/100.128.0.1/tcp/1", "public"],
    ["/ip4/8.8.8.8/tcp/1", "public"],
    ["/ip4/0.0.0.0/tcp/1", undefined],
    ["/ip4/224.0.0.1/tcp/1", undefined],
    ["/ip4/255.255.255.255/tcp/1", undefined],
    ["/ip6/::1/tcp/1", "loopback"],
    ["/ip6/::/tcp/1", undefined],
    ["/ip6/ff02::1/tcp/1", undefined],
    ["/ip6/fe80::1/tcp/1", "private"],
    ["/ip6/fd00::1/tcp/1", "private"],
    ["/ip6/2001:db8::1/tcp/1", "public"],
    ["/ip6/::ffff:10.0.0.1/tcp/1", "private"],
    ["/dns4/example.com/tcp/1", undefined],
  ])("%s is %s", (address, scope) => {
    expect(scopeOf(address)).toBe(scope);
  });

  it("of the configuration may be names; those that peers tell may not", () => {
    const named = `/dns4/example.com/tcp/30333/p2p/${PEER}`;
    expect(parsePeerAddress(named)).toEqual({ peer: PEER, address: named });
    expect(readPeerAddress(named)).toBeUndefined();
    const plain = `/ip4/8.8.8.8/tcp/30333/p2p/${PEER}`;
    expect(readPeerAddress(plain)).toEqual({ peer: PEER, address: plain, scope: "public" });
  });

  it.each([
    "",
    "/",
    "nonsense",
    "/ip4/8.8.8.8/tcp/30333",
    `/ip4/8.8.8.8/tcp/70000/p2p/${PEER}`,
    `/ip4/999.8.8.8/tcp/1/p2p/${PEER}`,
    `/ip4/8.8.8.8/udp/1/p2p/${PEER}`,
    `/ip4/8.8.8.8/tcp/1/ws/p2p/${PEER}`,
    `/ip4/8.8.8.8/tcp/1/p2p/${PEER}/p2p-circuit/p2p/${PEER}`,
    `/ip4/8.8.8.8/tcp/1/p2p/${PEER.slice(0, 20)}`,
    "/ip4/8.8.8.8/tcp/1/p2p/notapeer",
    `/p2p/${PEER}`,
  ])("like %s are refused", (address) => {
    expect(readPeerAddress(address)).toBeUndefined();
    expect(() => parsePeerAddress(address)).toThrow("not a usable address");
  });
});
