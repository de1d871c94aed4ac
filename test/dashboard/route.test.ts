import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute, type Route } from "../../dashboard/router/route.ts";
import { readSearch } from "../../dashboard/router/search.ts";

describe("addresses inside the page", () => {
  it.each([
    ["", { page: "network" }],
    ["#/", { page: "network" }],
    ["#/network", { page: "network" }],
    ["#/explorer/", { page: "explorer" }],
    ["#/block/12", { page: "block", id: "12" }],
    ["#/account/0xAb", { page: "account", address: "0xAb" }],
    ["#/proposal/3", { page: "proposal", id: "3" }],
    ["#/provider", { page: "provider" }],
    ["#/provider/0xAb", { page: "provider-detail", address: "0xAb" }],
    ["#/search/a%20b", { page: "search", text: "a b" }],
    ["#/block", { page: "unknown", path: "block" }],
    ["#/block/1/2", { page: "unknown", path: "block/1/2" }],
    ["#/nowhere/1", { page: "unknown", path: "nowhere/1" }],
    ["#/search/%", { page: "search", text: "%" }],
  ] as const)("%s is read", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it("whatever somebody searches for, its link leads back to it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const route: Route = { page: "search", text };
        expect(parseRoute(formatRoute(route))).toEqual(route);
      }),
    );
  });
});

describe("the search", () => {
  const hash = "ab".repeat(32);
  const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  it.each([
    ["12", { kind: "number", number: 12n }],
    [" #1,234 ", { kind: "number", number: 1234n }],
    [`0x${hash}`, { kind: "hash", hash: `0x${hash}` }],
    [hash.toUpperCase(), { kind: "hash", hash: `0x${hash}` }],
    [address, { kind: "address", address: address.toLowerCase() }],
    ["9".repeat(40), { kind: "address", address: `0x${"9".repeat(40)}` }],
    ["", { kind: "nothing" }],
    ["0x12", { kind: "nothing" }],
    ["hello", { kind: "nothing" }],
  ] as const)("takes %s for what it can be", (text, term) => {
    expect(readSearch(text)).toEqual(term);
  });
});
