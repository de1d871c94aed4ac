import { beforeEach, describe, expect, it } from "vitest";
import { Conduct } from "../../../chain/network/conduct.ts";
import { networkError } from "../../../chain/network/errors.ts";
import { PROGRESS_PACE, TRANSACTION_PACE } from "../../../chain/network/limits.ts";
import { SILENT_LOG } from "../../../chain/network/log.ts";
import type { PeerSession } from "../../../chain/network/peer-session.ts";
import { type GossipKind, RateLimits } from "../../../chain/network/rate-limits.ts";
import { type Offence, PeerScores } from "../../../chain/network/score.ts";

const ADDRESS = "/ip4/8.8.8.8/tcp/30333";
const IP = "8.8.8.8";

let scores: PeerScores;
let conduct: Conduct;
let validators: Set<string>;
let rates: RateLimits;
let now: number;

beforeEach(() => {
  scores = new PeerScores();
  rates = new RateLimits();
  now = 0;
  validators = new Set(["validator"]);
  conduct = new Conduct({
    scores,
    log: SILENT_LOG,
    now: () => now,
    dialer: { forget: () => undefined, isPersistent: (peer) => peer === "persistent" },
    roles: { validatorOf: (peer) => (validators.has(peer) ? "0x01" : undefined) },
    session: () => ({ connection: { remoteAddr: ADDRESS }, rates, close: () => undefined }) as unknown as PeerSession,
  });
});

function offend(peer: string, offence: Offence): void {
  for (let i = 0; i < 100; i++) conduct.offend(peer, offence, networkError("NETWORK_BANNED", "a test"));
}

const FORGIVEN: readonly Offence[] = ["flood", "unresponsive"];

describe.each(["persistent", "validator"])("a peer that is a %s one", (peer) => {
  it.each(FORGIVEN)("is never banned for this: %s, nor is its address", (offence) => {
    offend(peer, offence);
    expect(scores.isBanned(peer, 0)).toBe(false);
    expect(scores.scoreOf(peer, 0)).toBe(0);
    expect(scores.isBanned(IP, 0)).toBe(false);
  });

  it.each<Offence>(["malformed", "invalid", "invalid-transaction", "useless"])("is banned for this: %s", (offence) => {
    offend(peer, offence);
    expect(scores.isBanned(peer, 0)).toBe(true);
  });
});

it.each(FORGIVEN)("a stranger is banned for this: %s, and so is a validator that left the set", (offence) => {
  validators.clear();
  for (const peer of ["stranger", "validator"]) {
    offend(peer, offence);
    expect(scores.isBanned(peer, 0)).toBe(true);
    expect(scores.isBanned(IP, 0)).toBe(true);
  }
});

describe("gossip that a peer hands on", () => {
  it.each<[GossipKind, number, number]>([
    ["transactions", 80, TRANSACTION_PACE],
    ["progress", 30, PROGRESS_PACE],
  ])("of kind %s is within its rate when it comes from %i busy nodes", (kind, nodes, pace) => {
    let refused = 0;
    for (; now < 60_000; now += pace) {
      for (let node = 0; node < nodes; node++) if (!conduct.admits("stranger", kind, 300)) refused++;
    }
    expect(refused).toBe(0);
  });

  it.each<GossipKind>(["transactions", "final", "progress"])(
    "of kind %s is ignored beyond it, without an offence",
    (kind) => {
      const admitted = Array.from({ length: 20_000 }, () => conduct.admits("stranger", kind, 100));
      expect([admitted[0], admitted.at(-1)]).toEqual([true, false]);
      expect(scores.scoreOf("stranger", now)).toBe(0);
    },
  );

  it("has its bound in bytes", () => {
    const admitted = Array.from({ length: 500 }, () => conduct.admits("stranger", "transactions", 131_072));
    expect(admitted.filter((isAdmitted) => isAdmitted)).toHaveLength(256);
  });
});
