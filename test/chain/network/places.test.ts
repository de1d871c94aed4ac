import { describe, expect, it } from "vitest";
import {
  type Direction,
  freePlaces,
  isFull,
  leastOf,
  placeLimits,
  type Standing,
} from "../../../chain/network/places.ts";

interface Peer {
  readonly name: string;
  readonly connection: { readonly direction: Direction };
  readonly standing: Standing;
}

function peer(name: string, standing: Partial<Standing> = {}, direction: Direction = "inbound"): Peer {
  const ordinary: Standing = { isPersistent: false, isValidator: false, useful: 0, since: 0 };
  return { name, connection: { direction }, standing: { ...ordinary, ...standing } };
}

const leastName = (peers: readonly Peer[]) => leastOf(peers, ({ standing }) => standing)?.name;

describe("places", () => {
  it("are kept for peers that the node dials itself", () => {
    const limits = { maxPeers: 4, outboundPeers: 2 };
    const two = [peer("a"), peer("b")];
    expect(isFull(two, "inbound", limits)).toBe(true);
    expect(isFull(two, "outbound", limits)).toBe(false);
    expect(freePlaces(two, limits)).toBe(2);
    expect(isFull([...two, peer("c", {}, "outbound"), peer("d", {}, "outbound")], "outbound", limits)).toBe(true);
  });
});

describe("who gives way to a validator", () => {
  it("is of the least use, and the newest of these", () => {
    expect(leastName([peer("good", { useful: 5 }), peer("old", { since: 1 }), peer("new", { since: 2 })])).toBe("new");
    expect(leastName([peer("good", { useful: 5 }), peer("better", { useful: 6, since: 9 })])).toBe("good");
  });

  it("is no validator, no persistent peer, and nobody that the node dialled itself", () => {
    const firm = [peer("v", { isValidator: true }), peer("p", { isPersistent: true }), peer("o", {}, "outbound")];
    expect(leastName(firm)).toBeUndefined();
    expect(leastName([...firm, peer("other", { useful: 99 })])).toBe("other");
  });
});

it("gives a validator places for all others, unless told otherwise", () => {
  expect(placeLimits({ validator: {} }).maxPeers).toBeGreaterThan(1_000);
  expect(placeLimits({}).maxPeers).toBe(50);
  expect(placeLimits({ validator: {}, maxPeers: 3 })).toEqual({ maxPeers: 3, outboundPeers: 3 });
});
