import { beforeEach, describe, expect, it } from "vitest";
import { PartialBound, type PartialSession } from "../../../chain/network/partial-bound.ts";

const MAX = 1_000;

let bound: PartialBound;
let sessions: Map<string, PartialSession>;
/** Who was cut off, in this order. */
let gone: string[];

beforeEach(() => {
  sessions = new Map();
  gone = [];
  bound = new PartialBound({
    maxBytes: MAX,
    sessions: () => [...sessions.values()],
    isTrusted: (peer) => peer.startsWith("validator"),
  });
});

/** So much of a message has come from the peer. */
function begin(peer: string, partial: number): void {
  const cutOff = () => {
    gone.push(peer);
    sessions.delete(peer);
    bound.bytes -= partial;
  };
  sessions.set(peer, { peer, partial, cutOff });
  bound.bytes += partial;
  bound.check();
}

describe("when more has come of unfinished messages than there is room for", () => {
  it("whoever has the most goes, not whoever came next", () => {
    for (let i = 0; i < 3; i++) begin(`attacker ${i}`, 330 + i);
    expect(gone).toEqual([]);
    begin("honest", 50);
    expect(gone).toEqual(["attacker 2"]);
    begin("another", 200);
    expect(gone).toEqual(["attacker 2"]);
  });

  it("as many go as it takes", () => {
    for (let i = 0; i < 10; i++) begin(`peer ${i}`, 100);
    begin("large", 90);
    begin("larger", 400);
    expect(gone).toEqual(["peer 0", "larger"]);
    expect(bound.bytes).toBeLessThanOrEqual(MAX);
  });

  it("many strangers with little each do not take the room of validators", () => {
    for (let i = 0; i < 100; i++) begin(`stranger ${i}`, 10);
    begin("validator", 300);
    expect(gone).toHaveLength(30);
    expect(gone).not.toContain("validator");
  });

  it("nor do validators take that of strangers", () => {
    for (let i = 0; i < 3; i++) begin(`validator ${i}`, 330);
    begin("stranger", 300);
    expect(gone).toEqual(["validator 0"]);
    expect([...sessions.keys()]).toContain("stranger");
  });
});
