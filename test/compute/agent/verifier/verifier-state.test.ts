import { describe, expect, it } from "vitest";
import type { Hex } from "../../../../base/bytes.ts";
import type { RoundPhase, RoundView, SeatView } from "../../../../compute/agent/ports.ts";
import {
  type SealRecord,
  type VerifierEffect,
  VerifierState,
} from "../../../../compute/agent/verifier/verifier-state.ts";

const ME: Hex = "0x00000000000000000000000000000000000000aa";
const OTHER: Hex = "0x00000000000000000000000000000000000000bb";
const UNAVAILABLE: Hex = "0xdead";
const RIGHT: Hex = "0x0123";
const WRONG: Hex = "0x4567";

/** Seals that show what they hide, so that tests can read them. */
function openSeal({ seat, digest, nonce }: SealRecord): Hex {
  return `0x${seat}-${digest}-${nonce}`;
}

function newState(records: readonly SealRecord[] = [], mayChallenge = true): VerifierState {
  let nonces = 0;
  const newNonce = (): Hex => `0xaa${nonces++}`;
  const settings = { account: ME, unavailable: UNAVAILABLE, newNonce, sealOf: openSeal };
  return new VerifierState({ ...settings, mayChallenge: () => mayChallenge }, records);
}

function seat(number: number, changes: Partial<SeatView> = {}): SeatView {
  const place = { verifier: ME, launch: 3, tile: 10 + number };
  return { seat: number, ...place, sealed: false, opened: false, revealed: false, digest: undefined, ...changes };
}

function round(phase: RoundPhase, seats: readonly SeatView[], changes: Partial<RoundView> = {}): RoundView {
  return {
    ...{ id: 7n, job: 1n, segment: 0, segments: 1, worker: OTHER, program: "0x01", segmentRoot: "0x02" },
    ...{ checkpoint: undefined, inputs: [], outputs: [], firstLaunch: 0, endLaunch: 5, by: 100n, isFinal: false },
    ...{ seedPublished: false, reason: 0 },
    ...{ phase, seats, dispute: undefined, ...changes },
  };
}

function sent(effects: readonly VerifierEffect[]): Extract<VerifierEffect, { kind: "send" }>[] {
  return effects.filter((effect) => effect.kind === "send");
}

const kinds = (effects: readonly VerifierEffect[]): readonly string[] => effects.map(({ kind }) => kind);

describe("a verifier in the first check", () => {
  it("has nothing to do in rounds where it holds no seat", () => {
    const state = newState();
    const phases = [
      "sealing",
      "opening",
      "revealing",
      "voting",
      "counting",
      "referee",
      "accepted",
      "rejected",
    ] as const;
    for (const phase of phases) expect(state.onRound(round(phase, [seat(0, { verifier: OTHER })]))).toEqual([]);
    expect(state.rounds).toEqual([]);
  });

  it("recomputes each of its tiles once, however often it looks", () => {
    const state = newState();
    const view = round("sealing", [seat(0), seat(1, { verifier: OTHER }), seat(2)]);
    expect(state.onRound(view)).toMatchObject([{ place: { launch: 3, tile: 10 } }, { place: { launch: 3, tile: 12 } }]);
    expect(state.onRound(view)).toEqual([]);
  });

  it("seals what it found, with a record of what the seal hides, and reveals exactly that", () => {
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    const [seal] = sent(state.onRound(round("sealing", [seat(0)])));
    expect(seal?.records).toMatchObject([{ round: 7n, kind: "seat", seat: 0, digest: RIGHT, nonce: "0xaa0" }]);
    expect(seal?.action).toEqual({ kind: "seal", round: 7n, seats: [{ seat: 0, hash: "0x0-0x0123-0xaa0" }] });
    const [reveal] = sent(state.onRound(round("revealing", [seat(0, { sealed: true, opened: true, digest: WRONG })])));
    expect(reveal?.action).toEqual({
      ...{ kind: "revealSeats", round: 7n },
      seats: [{ seat: 0, digest: RIGHT, nonce: "0xaa0" }],
    });
  });

  it("keeps what it found when the worker opens something else: it is sealed", () => {
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: WRONG });
    const [reveal] = sent(state.onRound(round("revealing", [seat(0, { sealed: true })])));
    expect(reveal?.action).toMatchObject({ seats: [{ digest: RIGHT }] });
  });

  it("says that it could not get the tile rather than nothing", () => {
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "unavailable" });
    expect(sent(state.onRound(round("sealing", [seat(0)])))[0]?.records[0]?.digest).toBe(UNAVAILABLE);
  });

  it("sends one transaction of a kind at a time, and what became ready meanwhile with the next", () => {
    const state = newState();
    const view = round("sealing", [seat(0), seat(1)]);
    state.onRound(view);
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    const [first] = sent(state.onRound(view));
    state.onFound(7n, { launch: 3, tile: 11 }, { kind: "found", digest: RIGHT });
    expect(state.onRound(view)).toEqual([]);
    state.onSent(first as never, false);
    const [second] = sent(state.onRound(round("sealing", [seat(0, { sealed: true }), seat(1)])));
    expect(second?.action).toMatchObject({ kind: "seal", seats: [{ seat: 1 }] });
  });

  it("seals the same again when nobody can tell whether the first try arrived", () => {
    const state = newState();
    const view = round("sealing", [seat(0)]);
    state.onRound(view);
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    const [first] = sent(state.onRound(view));
    state.onSent(first as never, false);
    expect(sent(state.onRound(view))[0]?.action).toEqual(first?.action);
  });

  it("does not repeat what the chain refused until its seats have changed", () => {
    const state = newState();
    const view = round("sealing", [seat(0)]);
    state.onRound(view);
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    state.onSent(sent(state.onRound(view))[0] as never, true);
    expect(state.onRound(view)).toEqual([]);
    expect(kinds(state.onRound(round("sealing", [seat(0), seat(1)])))).toEqual(["recompute", "send"]);
  });

  it("reveals after a restart what it had sealed before", () => {
    const record = { round: 7n, kind: "seat", seat: 0, launch: 3, tile: 10, digest: RIGHT, nonce: "0xab" } as const;
    const state = newState([record]);
    expect(state.rounds).toEqual([7n]);
    // The seal was on its way when the machine went down: nothing is computed again, and the same seal is sent.
    expect(state.onRound(round("sealing", [seat(0)]))).toMatchObject([
      { kind: "send", action: { kind: "seal", seats: [{ hash: openSeal(record) }] } },
    ]);
    const [reveal] = sent(state.onRound(round("revealing", [seat(0, { sealed: true })])));
    expect(reveal?.action).toMatchObject({ seats: [{ digest: RIGHT, nonce: "0xab" }] });
  });

  it("forgets a round that is over, once", () => {
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    expect(state.onRound(round("accepted", [seat(0)], { isFinal: true }))).toEqual([{ kind: "forget", round: 7n }]);
    expect(state.onRound(round("accepted", [seat(0)], { isFinal: true }))).toEqual([]);
    expect(state.records).toEqual([]);
  });
});

const DISPUTE = { launch: 3, tile: 10, opened: WRONG };

function voting(sealed: boolean, phase: RoundPhase = "voting"): RoundView {
  const opened = seat(0, { verifier: OTHER, sealed: true, opened: true, digest: WRONG });
  return round(phase, [opened], { dispute: { ...DISPUTE, seats: [{ seat: 5, sealed, revealed: false }] } });
}

describe("a verifier in a vote", () => {
  it("recomputes the disputed tile itself, seals and reveals its vote", () => {
    const state = newState();
    expect(state.onRound(voting(false))).toMatchObject([{ kind: "recompute", place: { launch: 3, tile: 10 } }]);
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    const [seal] = sent(state.onRound(voting(false)));
    expect(seal?.action).toMatchObject({ kind: "sealVotes", seats: [{ seat: 5 }] });
    expect(seal?.records).toMatchObject([{ kind: "vote", seat: 5, digest: RIGHT }]);
    const [reveal] = sent(state.onRound(voting(true, "counting")));
    expect(reveal?.action).toMatchObject({ kind: "revealVotes", seats: [{ seat: 5, digest: RIGHT }] });
  });

  it("tries once more to get a tile that it could not get as a seat", () => {
    const state = newState();
    const mine = seat(0, { sealed: true, opened: true, digest: RIGHT });
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "unavailable" });
    const view = round("voting", [mine], {
      dispute: { ...DISPUTE, seats: [{ seat: 9, sealed: false, revealed: false }] },
    });
    expect(kinds(state.onRound(view))).toEqual(["recompute"]);
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "unavailable" });
    expect(sent(state.onRound(view))[0]?.records).toMatchObject([{ kind: "vote", digest: UNAVAILABLE }]);
  });
});

describe("a verifier calls the referee", () => {
  const found = (digest: Hex, mayChallenge = true): VerifierState => {
    const state = newState([], mayChallenge);
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest });
    return state;
  };
  const opened = seat(0, { sealed: true, opened: true, revealed: true, digest: WRONG });

  it("against a false tile that was accepted, or that nobody could decide on, once", () => {
    for (const phase of ["accepted", "referee"] as const) {
      const state = found(RIGHT);
      const effects = state.onRound(round(phase, [opened]));
      expect(effects).toMatchObject([{ kind: "challenge", place: { launch: 3, tile: 10 } }]);
      expect(state.onRound(round(phase, [opened]))).toEqual([]);
      state.onSent(effects[0] as never, false);
      expect(state.onRound(round(phase, [opened]))).toEqual([]);
    }
  });

  it("again when it was broken off, a few times, because its bond is there", () => {
    const state = found(RIGHT);
    const again = (): readonly unknown[] => state.onRound(round("accepted", [opened]));
    for (let tries = 1; tries <= 5; tries++) {
      const [effect] = again();
      expect(effect).toMatchObject({ kind: "challenge" });
      state.onSent(effect as never, true);
    }
    expect(again()).toEqual([]);
  });

  it("not where it found what the worker opened, or found nothing", () => {
    expect(found(WRONG).onRound(round("accepted", [opened]))).toEqual([]);
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "unavailable" });
    expect(state.onRound(round("accepted", [opened]))).toEqual([]);
  });

  it("not where it is told not to", () => {
    expect(found(RIGHT, false).onRound(round("accepted", [opened]))).toEqual([]);
  });

  it("for a true tile that was rejected against its vote", () => {
    const state = newState();
    state.onRound(voting(false));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: WRONG });
    state.onRound(voting(false));
    expect(kinds(state.onRound(round("rejected", [{ ...opened, verifier: OTHER }])))).toEqual(["challenge"]);
  });

  it("after a restart too, from its records", () => {
    const state = newState([{ round: 7n, kind: "seat", seat: 0, launch: 3, tile: 10, digest: RIGHT, nonce: "0xab" }]);
    expect(kinds(state.onRound(round("accepted", [opened])))).toEqual(["challenge"]);
  });
});

describe("a verifier whose tile is right", () => {
  const view = (phase: RoundPhase, outputs: readonly Hex[], digest: Hex = RIGHT): RoundView =>
    round(phase, [seat(0, { sealed: true, opened: true, revealed: true, digest })], { outputs });

  function found(): VerifierState {
    const state = newState();
    state.onRound(round("sealing", [seat(0)]));
    state.onFound(7n, { launch: 3, tile: 10 }, { kind: "found", digest: RIGHT });
    return state;
  }

  it("holds the outputs of a last segment to it, once, while that can change anything", () => {
    const state = found();
    expect(state.onRound(view("accepted", []))).toEqual([]);
    expect(state.onRound(view("rejected", ["0x05"]))).toEqual([]);
    expect(state.onRound(view("accepted", ["0x05"]))).toMatchObject([{ kind: "checkOutputs", seat: { seat: 0 } }]);
    expect(state.onRound(view("accepted", ["0x05"]))).toEqual([]);
  });

  it("leaves outputs alone when the tile itself is disputed", () => {
    expect(kinds(found().onRound(view("accepted", ["0x05"], WRONG)))).toEqual(["challenge"]);
  });

  it("tries again when something cannot be had, but not for ever", () => {
    const state = found();
    let tries = 0;
    while (state.onRound(view("accepted", ["0x05"])).length > 0) {
      tries++;
      state.onOutputsUnknown(7n, 0);
    }
    expect(tries).toBe(4);
  });
});
