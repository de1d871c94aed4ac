/** What is evidence and what is not: nobody is punished who has not signed both votes with its own key on this chain. */
import fc from "fast-check";
import { encodeFunctionData } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { decodeSignedVote, revealMessage, type VoteContent, type VoteKind, voteMessage } from "../../../base/votes.ts";
import { slashingAbi } from "../../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { SLASHING_ADDRESS, STAKING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { accountKey, EconomyChain, operatorKey } from "../support/economy-chain.ts";
import { blsKey, content, publicKeyOf, signVote, withSignature } from "./support/signed-votes.ts";

const SLASHING = { address: SLASHING_ADDRESS, abi: slashingAbi } as const;
const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;

/** Who is accused. */
const OFFENDER = 2;
const KEY = blsKey(OFFENDER);
const PUBLIC_KEY = publicKeyOf(KEY);

type Evidence = readonly [publicKey: Hex, first: Hex, second: Hex];

let chain: EconomyChain;

beforeEach(() => {
  chain = new EconomyChain();
});

function sign(vote: VoteContent, key: Uint8Array = KEY): Hex {
  return signVote(key, vote, chain.spec.chainId);
}

function pair(first: VoteContent, second: VoteContent): Evidence {
  return [PUBLIC_KEY, sign(first), sign(second)];
}

/** That cannot be told from right evidence without looking at what is wrong. */
function rightPair(): Evidence {
  return pair(content("NOTARIZE", "a"), content("NOTARIZE", "b"));
}

/** The error, after a check that nothing has changed but the sender's nonce. */
function refusal([publicKey, first, second]: Evidence): string {
  const stakes = () => [0, 1, 2, 3].map((index) => chain.view(STAKING, "validator", [operatorKey(index).address]));
  const before = stakes();
  const { name } = chain.revertOf(SLASHING, "submitEvidence", [publicKey, first, second]);
  expect(stakes()).toEqual(before);
  expect(chain.view(SLASHING, "slashCount", [])).toBe(0n);
  expect(() => chain.view(SLASHING, "checkEvidence", [publicKey, first, second])).toThrow(name);
  return name;
}

describe("an offence is", () => {
  it.each<[string, VoteKind, string, VoteKind, string, number]>([
    ["two blocks proposed in one view", "PROPOSE", "a", "PROPOSE", "b", 1],
    ["two blocks notarized in one view", "NOTARIZE", "a", "NOTARIZE", "b", 2],
    ["two blocks finalized in one view", "FINALIZE", "a", "FINALIZE", "b", 3],
    ["a view given up and finalized", "NULLIFY", "", "FINALIZE", "b", 4],
    ["a block finalized and another notarized", "FINALIZE", "a", "NOTARIZE", "b", 5],
  ])("%s, in either order", (_, oneKind, oneBlock, otherKind, otherBlock, number) => {
    const [key, first, second] = pair(content(oneKind, oneBlock), content(otherKind, otherBlock));
    const found = chain.view(SLASHING, "checkEvidence", [key, first, second]);
    expect(found).toEqual(chain.view(SLASHING, "checkEvidence", [key, second, first]));
    const [operator, offence, epoch, view, digest] = found;
    expect(operator.toLowerCase()).toBe(operatorKey(OFFENDER).address);
    expect([offence, epoch, view]).toEqual([number, 0n, 5n]);
    expect(digest).toBe(chain.view(SLASHING, "digestOf", [key, second, first]));
    chain.send(SLASHING, "submitEvidence", [key, second, first]);
    expect(chain.view(SLASHING, "isHandled", [digest])).toBe(true);
    expect(chain.view(STAKING, "validator", [operatorKey(OFFENDER).address]).isTombstoned).toBe(true);
  });
});

describe("no offence is", () => {
  it.each<[string, VoteContent, VoteContent]>([
    ["the same vote twice", content("NOTARIZE", "a"), content("NOTARIZE", "a")],
    ["a view given up that was notarized", content("NOTARIZE", "a"), content("NULLIFY", "")],
    ["a block notarized and finalized", content("NOTARIZE", "a"), content("FINALIZE", "a")],
    ["a block proposed and another notarized", content("PROPOSE", "a"), content("NOTARIZE", "b")],
    ["a block proposed and another finalized", content("PROPOSE", "a"), content("FINALIZE", "b")],
    ["a view given up twice", content("NULLIFY", ""), content("NULLIFY", "")],
    ["two blocks in two views", content("NOTARIZE", "a", 0, 5), content("NOTARIZE", "b", 0, 6)],
    ["two blocks in two epochs", content("NOTARIZE", "a", 0, 5), content("NOTARIZE", "b", 1, 5)],
  ])("%s", (_, first, second) => {
    expect(refusal(pair(first, second))).toBe("NoOffence");
  });
});

describe("nobody is punished for", () => {
  it("votes that somebody else has signed", () => {
    const [, first] = rightPair();
    const forged = sign(content("NOTARIZE", "b"), blsKey(1));
    expect(refusal([PUBLIC_KEY, first, forged])).toBe("WrongSignature");
    expect(refusal([PUBLIC_KEY, forged, first])).toBe("WrongSignature");
    expect(refusal([publicKeyOf(blsKey(1)), first, forged])).toBe("WrongSignature");
  });

  it("one vote of each of two validators", () => {
    const first = sign(content("NOTARIZE", "a"), blsKey(0));
    const second = sign(content("NOTARIZE", "b"), blsKey(1));
    for (const key of [0, 1, OFFENDER])
      expect(refusal([publicKeyOf(blsKey(key)), first, second])).toBe("WrongSignature");
  });

  it("signatures that were swapped, or moved to another vote", () => {
    const votes = rightPair()
      .slice(1)
      .map((vote) => decodeSignedVote(hexToBytes(vote as Hex)));
    const [a, b] = votes as [(typeof votes)[0], (typeof votes)[0]];
    expect(refusal([PUBLIC_KEY, withSignature(a, b.signature), withSignature(b, a.signature)])).toBe("WrongSignature");
    const moved: readonly VoteContent[] = [{ ...b, view: 6 }, { ...b, kind: "FINALIZE" }, content("NOTARIZE", "c")];
    for (const vote of moved) {
      const other = sign({ ...content("NOTARIZE", "a"), view: vote.view });
      expect(refusal([PUBLIC_KEY, other, withSignature(vote, b.signature)])).toBe("WrongSignature");
    }
  });

  it("what it signed on another chain", () => {
    const other = signVote(KEY, content("NOTARIZE", "b"), chain.spec.chainId + 1n);
    expect(refusal([PUBLIC_KEY, rightPair()[1], other])).toBe("WrongSignature");
  });

  it("what it signed for another epoch", () => {
    chain.endEpoch();
    chain.block();
    const { signature } = decodeSignedVote(hexToBytes(sign(content("NOTARIZE", "b", 1))));
    expect(refusal([PUBLIC_KEY, rightPair()[1], withSignature(content("NOTARIZE", "b", 0), signature)])).toBe(
      "WrongSignature",
    );
  });

  it("a reveal or a proof of possession, signed with the same key", () => {
    const reveal = bls.sign(KEY, revealMessage(chain.spec.chainId, 0, 5));
    for (const signature of [reveal, bls.provePossession(KEY)]) {
      const vote = withSignature(content("NOTARIZE", "b"), signature);
      expect(refusal([PUBLIC_KEY, rightPair()[1], vote])).toBe("WrongSignature");
    }
  });

  it("a sum of signatures: of several votes of its own, of several keys, or infinity", () => {
    const [a, b] = [content("NOTARIZE", "a"), content("NOTARIZE", "b")] as const;
    const signatureOf = (key: number, vote: VoteContent): Uint8Array =>
      bls.sign(blsKey(key), voteMessage(chain.spec.chainId, vote));
    const ofTwoVotes = bls.aggregateSignatures([signatureOf(OFFENDER, a), signatureOf(OFFENDER, b)]);
    expect(refusal([PUBLIC_KEY, withSignature(a, ofTwoVotes), withSignature(b, ofTwoVotes)])).toBe("WrongSignature");
    const sums = [a, b].map((vote) =>
      withSignature(vote, bls.aggregateSignatures([signatureOf(OFFENDER, vote), signatureOf(1, vote)])),
    ) as [Hex, Hex];
    expect(refusal([PUBLIC_KEY, ...sums])).toBe("WrongSignature");
    // Under the sum of both keys it is right, but that is nobody's key.
    const sumOfKeys = bls.aggregatePublicKeys([bls.publicKey(hexToBytes(PUBLIC_KEY)), bls.publicKeyOf(blsKey(1))]);
    expect(refusal([bytesToHex(sumOfKeys.bytes), ...sums])).toBe("NotValidator");
    const infinity = new Uint8Array(96);
    infinity[0] = 0xc0;
    expect(refusal([PUBLIC_KEY, withSignature(a, infinity), withSignature(b, infinity)])).toBe("WrongSignature");
  });

  it("two votes with a key that is no validator's", () => {
    const stranger = blsKey(77);
    const votes = [sign(content("NOTARIZE", "a"), stranger), sign(content("NOTARIZE", "b"), stranger)] as const;
    expect(refusal([publicKeyOf(stranger), ...votes])).toBe("NotValidator");
    // The same votes in the name of a validator.
    expect(refusal([PUBLIC_KEY, ...votes])).toBe("WrongSignature");
  });
});

it("evidence with any byte changed convicts nobody", () => {
  const right = rightPair().map((part) => hexToBytes(part)) as [Uint8Array, Uint8Array, Uint8Array];
  const change = fc.tuple(fc.constantFrom(0, 1, 2), fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const parts = right.map((part) => part.slice());
      for (const [index, position, mask] of changes) {
        const part = parts[index] as Uint8Array;
        part[position % part.length] = (part[position % part.length] as number) ^ mask;
      }
      const evidence = parts.map((part) => bytesToHex(part)) as unknown as Evidence;
      // Two changes may undo each other.
      fc.pre(evidence.some((part, index) => part !== bytesToHex(right[index] as Uint8Array)));
      expect(() => chain.view(SLASHING, "checkEvidence", [...evidence])).toThrow(/reverted: [A-Z]\w+\(/);
    }),
    { numRuns: 300 },
  );
});

describe("what is no evidence at all", () => {
  it.each<[string, (evidence: Evidence) => Evidence, string]>([
    ["a key that is too short", ([key, a, b]) => [key.slice(0, -2) as Hex, a, b], "MalformedKey"],
    ["a key that is too long", ([key, a, b]) => [`${key}00`, a, b], "MalformedKey"],
    ["no key", ([, a, b]) => ["0x", a, b], "MalformedKey"],
    ["no vote", ([key, , b]) => [key, "0x", b], "MalformedVote"],
    ["a vote with something behind it", ([key, a, b]) => [key, a, `${b}00`], "MalformedVote"],
    ["a vote that is cut off", ([key, a, b]) => [key, a, b.slice(0, -2) as Hex], "MalformedVote"],
    ["a list that is no vote", ([key, a]) => [key, a, "0xc0"], "MalformedVote"],
    ["a vote with a short signature", ([key, a]) => [key, a, short()], "MalformedVote"],
  ])("%s", (_, spoil, expected) => {
    expect(refusal(spoil(rightPair()))).toBe(expected);
  });

  function short(): Hex {
    return withSignature(content("NOTARIZE", "b"), new Uint8Array(95));
  }

  it("says which vote it was", () => {
    const [key, a, b] = rightPair();
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, "0x01", b])).toEqual({ name: "MalformedVote", args: [1n] });
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, a, "0x01"])).toEqual({ name: "MalformedVote", args: [2n] });
    const forged = sign(content("NOTARIZE", "b"), blsKey(1));
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, a, forged])).toEqual({
      name: "WrongSignature",
      args: [2n],
    });
  });

  it("costs gas: little while nothing is verified, and the price of each verification after that", () => {
    const gasOf = (evidence: Evidence): bigint =>
      chain.block([chain.transaction(SLASHING_ADDRESS, encode(evidence))]).receipts[0]?.gasUsed ?? 0n;
    const [key, a, b] = rightPair();
    const forged = sign(content("NOTARIZE", "b"), blsKey(1));
    const none = gasOf([publicKeyOf(blsKey(77)), a, b]);
    expect(none).toBeLessThan(100_000n);
    expect(gasOf([key, forged, a]) - none).toBeGreaterThan(300_000n);
    expect(gasOf([key, a, forged]) - none).toBeGreaterThan(600_000n);
    // What does not suffice for a verification is spent, and nobody is punished.
    const poor = chain.transaction(SLASHING_ADDRESS, encode([key, a, b]), { gasLimit: 500_000n });
    const receipt = chain.block([poor]).receipts[0];
    expect(receipt?.succeeded).toBe(false);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(0n);
  });
});

function encode(evidence: Evidence): Uint8Array {
  return hexToBytes(encodeFunctionData({ abi: slashingAbi, functionName: "submitEvidence", args: [...evidence] }));
}

describe("the time for evidence", () => {
  const WINDOW = 300n;

  it("has not come for an epoch that has not begun", () => {
    expect(refusal(pair(content("NOTARIZE", "a", 1), content("NOTARIZE", "b", 1)))).toBe("EpochNotBegun");
    chain.endEpoch();
    // The seal's block is still of the old epoch.
    expect(
      chain.revertOf(SLASHING, "submitEvidence", pair(content("FINALIZE", "a", 2), content("FINALIZE", "b", 2))),
    ).toEqual({ name: "EpochNotBegun", args: [2n, 1n] });
    chain.send(SLASHING, "submitEvidence", pair(content("NOTARIZE", "a", 1), content("NOTARIZE", "b", 1)));
  });

  it("is the whole epoch, however long it is", () => {
    chain.pass(10n * WINDOW);
    chain.send(SLASHING, "submitEvidence", rightPair());
  });

  it("ends a window after the next epoch began, to the second", () => {
    chain.pass(1_000);
    chain.endEpoch();
    chain.block();
    const begun = chain.now;
    chain.pass(WINDOW - 1n);
    // Each block is a second later.
    const [key, a, b] = rightPair();
    expect(() => chain.view(SLASHING, "checkEvidence", [key, a, b])).not.toThrow();
    chain.block();
    expect(chain.now).toBe(begun + WINDOW);
    expect(() => chain.view(SLASHING, "checkEvidence", [key, a, b])).not.toThrow();
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, a, b])).toEqual({
      name: "EvidenceExpired",
      args: [0n, begun + WINDOW],
    });
  });
});

describe("a validator is punished once", () => {
  it("not for the same votes again, in whichever order and by whomever", () => {
    const [key, a, b] = rightPair();
    const digest = chain.view(SLASHING, "digestOf", [key, a, b]);
    chain.send(SLASHING, "submitEvidence", [key, a, b]);
    const expected = { name: "EvidenceHandled", args: [digest] };
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, a, b])).toEqual(expected);
    expect(chain.revertOf(SLASHING, "submitEvidence", [key, b, a], { key: accountKey(3) })).toEqual(expected);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(1n);
  });

  it("nor for another offence, before or after", () => {
    chain.send(SLASHING, "submitEvidence", rightPair());
    const { name } = chain.revertOf(
      SLASHING,
      "submitEvidence",
      pair(content("FINALIZE", "a", 0, 9), content("NULLIFY", "", 0, 9)),
    );
    expect(name).toBe("AlreadyTombstoned");
    expect(chain.view(SLASHING, "slashCount", [])).toBe(1n);
  });

  it("and others still are", () => {
    chain.send(SLASHING, "submitEvidence", rightPair());
    const other = blsKey(1);
    chain.send(SLASHING, "submitEvidence", [
      publicKeyOf(other),
      sign(content("NOTARIZE", "a"), other),
      sign(content("NOTARIZE", "b"), other),
    ]);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(2n);
  });
});
