import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BAN_SCORE, FIRST_BAN, LONGEST_BAN, SCORE_HALF_LIFE } from "../../../chain/network/limits.ts";
import { type Offence, PeerScores, WEIGHTS } from "../../../chain/network/score.ts";

const OFFENCES = Object.keys(WEIGHTS) as Offence[];

/** Offends until the ban; how many it took. */
function offendUntilBan(scores: PeerScores, peer: string, offence: Offence, now: number): number {
  for (let count = 1; ; count++) if (scores.offend(peer, offence, now) === "ban") return count;
}

describe("scores", () => {
  it.each(OFFENCES)("ban a peer that does this too often: %s", (offence) => {
    const scores = new PeerScores();
    expect(offendUntilBan(scores, "a", offence, 0)).toBe(Math.ceil(BAN_SCORE / WEIGHTS[offence]));
    expect(scores.isBanned("a", 0)).toBe(true);
    expect(scores.isBanned("b", 0)).toBe(false);
  });

  it("are forgotten with time", () => {
    const scores = new PeerScores();
    scores.offend("a", "malformed", 0);
    expect(scores.scoreOf("a", SCORE_HALF_LIFE)).toBeCloseTo(WEIGHTS.malformed / 2);
    expect(scores.offend("a", "malformed", SCORE_HALF_LIFE)).toBe("tolerate");
    expect(scores.offend("a", "malformed", SCORE_HALF_LIFE)).toBe("ban");
  });

  it("tolerate for ever what an honest peer may do now and then", () => {
    const scores = new PeerScores();
    for (let i = 0; i < 1_000; i++) expect(scores.offend("a", "useless", i * 60_000)).toBe("tolerate");
  });

  it("end a ban after its time, and make the next one longer, up to a limit", () => {
    const scores = new PeerScores();
    let now = 0;
    let length = FIRST_BAN;
    for (let ban = 0; ban < 12; ban++) {
      offendUntilBan(scores, "a", "malformed", now);
      expect(scores.bannedUntil("a", now)).toBe(now + length);
      now += length;
      expect(scores.isBanned("a", now - 1)).toBe(true);
      expect(scores.isBanned("a", now)).toBe(false);
      length = Math.min(LONGEST_BAN, length * 2);
    }
  });

  it("count less where several peers share an address", () => {
    const scores = new PeerScores();
    let count = 0;
    while (scores.offend("192.0.2.1", "malformed", 0, 1 / 5) === "tolerate") count++;
    expect(count).toBeGreaterThanOrEqual(8);
  });

  it("remember a bounded number of peers, the banned ones longest", () => {
    const scores = new PeerScores(10);
    offendUntilBan(scores, "bad", "malformed", 0);
    for (let i = 0; i < 1_000; i++) scores.offend(`peer ${i}`, "useless", 0);
    expect(scores.size).toBe(10);
    expect(scores.isBanned("bad", 0)).toBe(true);
  });

  it("never go below zero or ban without an offence, whatever the times", () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom(...OFFENCES), fc.integer({ min: -1000, max: 1e9 })),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const scores = new PeerScores();
        for (const [peer, offence, now] of all) {
          scores.offend(peer, offence, now);
          expect(scores.scoreOf(peer, now)).toBeGreaterThanOrEqual(0);
          expect(scores.isBanned("c", now)).toBe(false);
        }
      }),
    );
  });
});
