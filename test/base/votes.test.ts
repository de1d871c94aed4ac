import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpList } from "../../base/rlp.ts";
import {
  decodeSignedVote,
  encodeSignedVote,
  NO_HASH,
  offenceOf,
  type SignedVote,
  type VoteContent,
  type VoteKind,
  voteMessage,
} from "../../base/votes.ts";

const count = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex);
const kind = fc.constantFrom<VoteKind>("PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE");
const signature = fc.uint8Array({ minLength: BLS_SIGNATURE_LENGTH, maxLength: BLS_SIGNATURE_LENGTH });
const signedVote = fc
  .record({ kind, epoch: count, view: count, hash, signature })
  .map((vote): SignedVote => (vote.kind === "NULLIFY" ? { ...vote, hash: NO_HASH } : vote));

const A: Hex = `0x${"aa".repeat(32)}`;
const B: Hex = `0x${"bb".repeat(32)}`;

function content(of: VoteKind, hash: Hex = NO_HASH, view = 7): VoteContent {
  return { kind: of, epoch: 3, view, hash };
}

describe("a signed vote as bytes", () => {
  it("comes back as it went", () => {
    fc.assert(
      fc.property(signedVote, (vote) => {
        expect(decodeSignedVote(encodeSignedVote(vote))).toEqual(vote);
      }),
    );
  });

  it("has one form only: whatever is read is written again to the same bytes", () => {
    const bytes = fc.tuple(signedVote, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([vote, at, byte]) => {
      const encoded = encodeSignedVote(vote);
      encoded[at % encoded.length] = byte;
      return encoded;
    });
    fc.assert(
      fc.property(bytes, (changed) => {
        let vote: SignedVote;
        try {
          vote = decodeSignedVote(changed);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^(RLP_INVALID|VOTE_MALFORMED)$/) });
          return;
        }
        expect(encodeSignedVote(vote)).toEqual(changed);
      }),
      { numRuns: 2000 },
    );
  });

  it("is refused with an unknown kind, a hash that does not fit the kind, or a signature of another length", () => {
    const good = encodeSignedVote({ ...content("NOTARIZE", A), signature: new Uint8Array(BLS_SIGNATURE_LENGTH) });
    const fields = rlpList(decodeRlp(good));
    const changed = (index: number, value: RlpItem): Uint8Array => encodeRlp(fields.with(index, value));
    expect(decodeSignedVote(good).hash).toBe(A);
    for (const kindByte of [0, 5]) {
      const bytes = changed(0, kindByte === 0 ? new Uint8Array() : new Uint8Array([kindByte]));
      expect(() => decodeSignedVote(bytes)).toThrow(expect.objectContaining({ code: "VOTE_MALFORMED" }));
    }
    for (const wrong of [new Uint8Array(), hexToBytes(A).slice(1)]) {
      expect(() => decodeSignedVote(changed(3, wrong))).toThrow(expect.objectContaining({ code: "VOTE_MALFORMED" }));
    }
    for (const wrong of [new Uint8Array(7).fill(1), [new Uint8Array()]]) {
      expect(() => decodeSignedVote(changed(2, wrong))).toThrow(expect.objectContaining({ code: "RLP_INVALID" }));
    }
    const short = changed(4, new Uint8Array(BLS_SIGNATURE_LENGTH - 1));
    expect(() => decodeSignedVote(short)).toThrow(expect.objectContaining({ code: "RLP_INVALID" }));
  });
});

describe("the message of a vote", () => {
  it("differs whenever chain or content do", () => {
    const chainId = fc.bigInt({ min: 1n, max: 3n });
    fc.assert(
      fc.property(signedVote, signedVote, chainId, chainId, (a, b, chainA, chainB) => {
        const isSame = chainA === chainB && encodeSignedVote({ ...b, signature: a.signature });
        const messages = [voteMessage(chainA, a), voteMessage(chainB, b)].map(bytesToHex);
        expect(messages[0] === messages[1]).toBe(
          isSame !== false && bytesToHex(isSame) === bytesToHex(encodeSignedVote(a)),
        );
      }),
    );
  });
});

describe("an offence", () => {
  it("is each pair of the table, in either order", () => {
    const pairs: readonly (readonly [VoteContent, VoteContent, string])[] = [
      [content("PROPOSE", A), content("PROPOSE", B), "double-propose"],
      [content("NOTARIZE", A), content("NOTARIZE", B), "double-notarize"],
      [content("FINALIZE", A), content("FINALIZE", B), "double-finalize"],
      [content("NULLIFY"), content("FINALIZE", A), "nullify-finalize"],
      [content("FINALIZE", A), content("NOTARIZE", B), "finalize-other"],
    ];
    for (const [first, second, offence] of pairs) {
      expect(offenceOf(first, second)).toBe(offence);
      expect(offenceOf(second, first)).toBe(offence);
    }
  });

  it("is nothing else: NOTARIZE with NULLIFY, the same twice, another view or epoch", () => {
    expect(offenceOf(content("NOTARIZE", A), content("NULLIFY"))).toBeUndefined();
    expect(offenceOf(content("NULLIFY"), content("NULLIFY"))).toBeUndefined();
    expect(offenceOf(content("FINALIZE", A), content("NOTARIZE", A))).toBeUndefined();
    expect(offenceOf(content("PROPOSE", A), content("NOTARIZE", B))).toBeUndefined();
    expect(offenceOf(content("FINALIZE", A), content("FINALIZE", B, 8))).toBeUndefined();
    expect(offenceOf(content("FINALIZE", A), { ...content("FINALIZE", B), epoch: 4 })).toBeUndefined();
  });
});
