import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import type { Hex } from "../../../base/bytes.ts";
import { NO_HASH, offenceOf, type VoteContent } from "../../../base/votes.ts";
import { blsCrypto } from "../../../chain/consensus/bls-crypto.ts";
import { certify, indicesOf, verifyCertificate } from "../../../chain/consensus/certificate.ts";
import { checkJob } from "../../../chain/consensus/check-job.ts";
import type { Crypto } from "../../../chain/consensus/crypto.ts";
import { VoteBox } from "../../../chain/consensus/vote-box.ts";
import { blsKeys } from "../../sim/bls-keys.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CHAIN_ID, type TestValidators, testValidators } from "./support/validators.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const OTHER: Hex = `0x${"22".repeat(32)}`;
const notarize: VoteContent = { kind: "NOTARIZE", epoch: 0, view: 1, hash: HASH };
const COUNT = 12;
const keys = simulatedKeys();
const validators = testValidators(keys, COUNT);

/** As a check of all of them does. */
function addGroup(box: VoteBox, group: readonly number[], { vote, set }: TestValidators, crypto: Crypto): void {
  const votes = group.map((index) => ({ vote: vote(index, notarize), from: "peer" }));
  const { events } = checkJob({ type: "votes", set, votes }, CHAIN_ID, crypto);
  for (const event of events) if (event.type === "votes") box.add(event.votes, event.sum);
}

describe("the votes of a view", () => {
  it("make a right certificate of exactly those that count, whatever groups they came in", () => {
    const { set } = validators;
    const group = fc.uniqueArray(fc.nat({ max: COUNT - 1 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 6 }), (groups) => {
        const box = new VoteBox(set);
        for (const one of groups) addGroup(box, one, validators, keys.crypto);
        const expected = [...new Set(groups.flat())].sort((a, b) => a - b);
        const certificate = certify(box.sumsOf("NOTARIZE", HASH), set, keys.crypto);
        if (certificate === undefined) return expect.unreachable();
        expect(indicesOf(certificate.signers, COUNT)).toEqual(expected);
        expect(box.weight("NOTARIZE", HASH)).toBe(BigInt(expected.length) * (set.weights[0] ?? 0n));
        const isQuorum = 3 * expected.length > 2 * COUNT;
        expect(verifyCertificate(certificate, set, CHAIN_ID, keys.crypto)).toBe(isQuorum);
      }),
    );
  });

  it("make it of real signatures, with a few additions for any number of votes", () => {
    const crypto = blsCrypto(bls);
    const real = testValidators(blsKeys(), COUNT);
    const box = new VoteBox(real.set);
    for (const group of [[0, 1, 2, 3, 4], [5], [4, 6, 7], [8, 9]]) addGroup(box, group, real, crypto);
    const sums = box.sumsOf("NOTARIZE", HASH);
    // The third group has one that counted before, so its sum is of no use.
    expect(sums.map(({ validator }) => validator)).toEqual([[0, 1, 2, 3, 4], [5], 6, 7, [8, 9]]);
    const certificate = certify(sums, real.set, crypto);
    expect(certificate && verifyCertificate(certificate, real.set, CHAIN_ID, crypto)).toBe(true);
  });

  it("conflict exactly where two of them are an offence", () => {
    const { set, vote } = validators;
    const kinds = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"] as const;
    const contents = kinds.flatMap((kind): VoteContent[] =>
      kind === "NULLIFY"
        ? [{ ...notarize, kind, hash: NO_HASH }]
        : [HASH, OTHER].map((hash) => ({ ...notarize, kind, hash })),
    );
    for (const first of contents) {
      for (const second of contents) {
        const box = new VoteBox(set);
        box.add([vote(3, first)], vote(3, first).signature);
        const isOffence = offenceOf(first, second) !== undefined;
        expect(box.conflictWith(vote(3, second)) !== undefined, `${first.kind} ${second.kind}`).toBe(isOffence);
        expect(box.conflictWith(vote(4, second))).toBeUndefined();
      }
    }
  });

  it("count one vote of a kind per validator, and give evidence of a second", () => {
    const { set, vote } = validators;
    const box = new VoteBox(set);
    const [first, second] = [vote(0, notarize), vote(0, { ...notarize, hash: OTHER })];
    expect(box.add([first], first.signature)).toEqual({ counted: 1, evidence: [] });
    expect(box.add([first], first.signature)).toEqual({ counted: 0, evidence: [] });
    expect(box.add([second], second.signature)).toEqual({ counted: 0, evidence: [{ first, second }] });
    expect(box.weight("NOTARIZE", OTHER)).toBe(0n);
    expect(box.sumsOf("NOTARIZE", OTHER)).toEqual([]);
  });
});
