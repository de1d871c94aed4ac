import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { portableBls } from "../../../base/bls-portable.ts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { NO_HASH, type VoteContent } from "../../../base/votes.ts";
import { blsCrypto } from "../../../chain/consensus/bls-crypto.ts";
import {
  bitmapOf,
  certify,
  decodeCertificate,
  encodeCertificate,
  indicesOf,
  verifyCertificate,
} from "../../../chain/consensus/certificate.ts";
import { verifyEvidence } from "../../../chain/consensus/evidence.ts";
import type { Certificate, Vote } from "../../../chain/consensus/types.ts";
import { blsKeys } from "../../sim/bls-keys.ts";
import { CHAIN_ID, testValidators } from "./support/validators.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const crypto = blsCrypto(bls);
const { set, vote } = testValidators(blsKeys());
const content: VoteContent = { kind: "NOTARIZE", epoch: 2, view: 9, hash: HASH };

function certificateBy(validators: readonly number[], of: VoteContent = content): Certificate {
  const certificate = certify(
    validators.map((validator) => vote(validator, of)),
    set,
    crypto,
  );
  if (certificate === undefined) throw new Error("there is no certificate");
  return certificate;
}

describe("certificates with BLS signatures", () => {
  it("hold with a quorum of signers, in the native and in the portable engine", () => {
    const certificate = certificateBy([0, 1, 3]);
    expect(verifyCertificate(certificate, set, CHAIN_ID, crypto)).toBe(true);
    expect(verifyCertificate(certificate, set, CHAIN_ID, blsCrypto(portableBls))).toBe(true);
  });

  it("do not hold with fewer, with another bitmap, or for anything else than was signed", () => {
    const certificate = certificateBy([0, 1, 3]);
    const changed: readonly Certificate[] = [
      certificateBy([0, 1]),
      { ...certificate, signers: bitmapOf([0, 1, 2], 4) },
      { ...certificate, signers: bitmapOf([0, 1, 2, 3], 4) },
      { ...certificate, signers: new Uint8Array([0b1011, 0]) },
      { ...certificate, signers: new Uint8Array([0b11011]) },
      { ...certificate, kind: "FINALIZE" },
      { ...certificate, view: 10 },
      { ...certificate, epoch: 3 },
      { ...certificate, hash: `0x${"12".repeat(32)}` },
      { ...certificate, signature: certificate.signature.slice(1) },
    ];
    for (const one of changed) expect(verifyCertificate(one, set, CHAIN_ID, crypto)).toBe(false);
    expect(verifyCertificate(certificate, set, CHAIN_ID + 1n, crypto)).toBe(false);
  });

  it("carry no hash if, and only if, they nullify", () => {
    const nullify = certificateBy([0, 1, 2], { ...content, kind: "NULLIFY", hash: NO_HASH });
    expect(verifyCertificate(nullify, set, CHAIN_ID, crypto)).toBe(true);
    const odd = certificateBy([0, 1, 2], { ...content, kind: "NULLIFY" });
    expect(verifyCertificate(odd, set, CHAIN_ID, crypto)).toBe(false);
  });

  it("are read back as they were written, and in no other form", () => {
    for (const one of [
      certificateBy([1, 2, 3]),
      certificateBy([0, 1, 2], { ...content, kind: "NULLIFY", hash: NO_HASH }),
    ]) {
      expect(decodeCertificate(encodeCertificate(one))).toEqual(one);
    }
    const propose = { ...certificateBy([1, 2, 3]), kind: "PROPOSE" } as unknown as Certificate;
    expect(() => decodeCertificate(encodeCertificate(propose))).toThrow("forms no certificate");
    const short = { ...certificateBy([1, 2, 3]), hash: "0x11" as Hex };
    expect(() => decodeCertificate(encodeCertificate(short))).toThrow("a hash unless it nullifies");
  });

  it("have a bitmap with one form for each set of signers", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(99)), fc.integer({ min: 100, max: 120 }), (indices, size) => {
        const sorted = [...indices].sort((a, b) => a - b);
        expect(indicesOf(bitmapOf(indices, size), size)).toEqual(sorted);
      }),
    );
  });
});

describe("evidence", () => {
  const nullify = vote(1, { ...content, kind: "NULLIFY", hash: NO_HASH });
  const finalize = vote(1, { ...content, kind: "FINALIZE" });
  const verify = (first: Vote, second: Vote): string | undefined =>
    verifyEvidence({ first, second }, set, CHAIN_ID, crypto);

  it("convicts whoever signed both", () => {
    expect(verify(nullify, finalize)).toBe("nullify-finalize");
  });

  it("convicts nobody with a false signature, two validators, or votes that may go together", () => {
    expect(verify(nullify, { ...finalize, signature: nullify.signature })).toBeUndefined();
    expect(verify(nullify, vote(2, finalize))).toBeUndefined();
    expect(verify(nullify, vote(1, content))).toBeUndefined();
    expect(verify({ ...nullify, validator: 9 }, { ...finalize, validator: 9 })).toBeUndefined();
    expect(bytesToHex(nullify.signature)).not.toBe(bytesToHex(finalize.signature));
  });
});
