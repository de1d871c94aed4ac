import { describe, expect, it } from "vitest";
import { AddressBook } from "../../../chain/network/address-book.ts";
import { MAX_ADDRESSES_PER_PEER, MAX_DIAL_FAILURES, MAX_KNOWN_PEERS } from "../../../chain/network/limits.ts";

const TIMING = { firstRedial: 100, longestRedial: 1_000 };
const at = (peer: string, port = 1) => ({ peer, address: `/ip4/8.8.8.8/tcp/${port}/p2p/${peer}` });
const nobody = () => false;

function peersDue(book: AddressBook, now: number, places: number): string[] {
  return book.due(now, places, nobody).map(({ peer }) => peer);
}

describe("the address book", () => {
  it("has persistent peers dialled whether or not places are free, others only then", () => {
    const book = new AddressBook(TIMING);
    book.add(at("learned"), "learned");
    book.add(at("bootstrap"), "bootstrap");
    book.add(at("persistent"), "persistent");
    expect(peersDue(book, 0, 0)).toEqual(["persistent"]);
    expect(peersDue(book, 0, 1)).toEqual(["learned", "persistent"]);
    expect(peersDue(book, 0, 5).length).toBe(3);
    expect(book.due(0, 5, (peer) => peer === "persistent").length).toBe(2);
  });

  it("waits longer after each failure, up to a limit, for ever", () => {
    const book = new AddressBook(TIMING);
    book.add(at("a"), "persistent");
    let now = 0;
    const waits: number[] = [];
    for (let i = 0; i < 40; i++) {
      book.failed("a", now, 0);
      const next = book.nextDue(nobody) ?? Number.NaN;
      waits.push(next - now);
      now = next;
      expect(peersDue(book, now - 1, 0)).toEqual([]);
      expect(peersDue(book, now, 0)).toEqual(["a"]);
    }
    expect(waits.slice(0, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(waits.at(-1)).toBe(1_000);
    book.lasted("a", 10_000);
    book.failed("a", now, 1);
    expect(book.nextDue(nobody)).toBe(now + 50);
  });

  it("forgets learned peers that fail, and no others", () => {
    const book = new AddressBook(TIMING);
    book.add(at("learned"), "learned");
    book.add(at("bootstrap"), "bootstrap");
    for (let i = 0; i < MAX_DIAL_FAILURES; i++) for (const peer of ["learned", "bootstrap"]) book.failed(peer, 0, 0);
    expect([book.has("learned"), book.has("bootstrap")]).toEqual([false, true]);
    book.forget("bootstrap");
    expect(book.has("bootstrap")).toBe(true);
  });

  it("is bounded, and keeps what the configuration says", () => {
    const book = new AddressBook(TIMING);
    book.add(at("persistent"), "persistent");
    for (let i = 0; i < 2 * MAX_KNOWN_PEERS; i++) book.add(at(`peer${i}`), "learned");
    for (let port = 2; port < 20; port++) book.add(at("persistent", port), "learned");
    expect(book.size).toBe(MAX_KNOWN_PEERS);
    const [dial] = book.due(0, 0, nobody);
    expect(dial?.addresses.length).toBe(MAX_ADDRESSES_PER_PEER);
    expect(dial?.addresses[0]).toBe(at("persistent").address);
  });

  it("prefers peers that lasted, unless they fail now", () => {
    const book = new AddressBook(TIMING);
    for (const name of ["new", "short", "long"]) book.add(at(name), "learned");
    book.lasted("short", 10_000);
    book.lasted("long", 90_000);
    expect(peersDue(book, 0, 3)).toEqual(["long", "short", "new"]);
    expect(peersDue(book, 0, 1)).toEqual(["long"]);
    book.failed("long", 0, 0);
    expect(peersDue(book, 1_000, 3)).toEqual(["short", "new", "long"]);
  });

  it("keeps peers that lasted however many others are told", () => {
    const book = new AddressBook(TIMING);
    book.add(at("good"), "learned");
    book.lasted("good", 10_000);
    for (let i = 0; i < 2 * MAX_KNOWN_PEERS; i++) book.add(at(`told-${i}`), "learned");
    expect(book.size).toBe(MAX_KNOWN_PEERS);
    expect(book.has("good")).toBe(true);
  });

  it("counts half of what lasted before a restart, and what lasts now", () => {
    const book = new AddressBook(TIMING);
    book.restore({ peer: "a", addresses: [at("a").address], lasted: 40_000 });
    book.restore({ peer: "nowhere", addresses: [], lasted: 40_000 });
    expect(book.saved(new Map([["a", 5_000]]))).toEqual([{ peer: "a", addresses: [at("a").address], lasted: 25_000 }]);
  });
});
