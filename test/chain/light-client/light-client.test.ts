import { describe, expect, it } from "vitest";
import { portableBls } from "../../../base/bls-portable.ts";
import type { Hex } from "../../../base/bytes.ts";
import { blsCrypto } from "../../../chain/consensus/bls-crypto.ts";
import { certify } from "../../../chain/consensus/certificate.ts";
import type { Certificate, CertificateKind } from "../../../chain/consensus/types.ts";
import { type LightHeader, type LightProof, trustFrom, verifyProof } from "../../../chain/light-client/light-client.ts";
import { blsKeys } from "../../sim/bls-keys.ts";
import { CHAIN_ID, type TestValidators, testValidators } from "../consensus/support/validators.ts";

const keys = blsKeys();
const old = testValidators(keys, 4, "old");
const fresh = testValidators(keys, 4, "fresh");
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
// The engine of a browser checks what the node's engine signed.
const options = {
  chainId: CHAIN_ID,
  crypto: blsCrypto(portableBls),
  capDivisor: 4n,
  trustingPeriod: 10_000,
  maxSkew: 500,
};
const genesis: LightHeader = { hash: hash("00"), height: 0, epoch: 0, time: 1_000 };
const trust = trustFrom(genesis, old.stakes, 0, options.capDivisor);

function certificateOf(
  by: TestValidators,
  header: LightHeader,
  signers: readonly number[],
  kind: CertificateKind = "FINALIZE",
): Certificate {
  const content = { kind, epoch: header.epoch, view: 3, hash: header.hash as Hex };
  const votes = signers.map((index) => by.vote(index, content));
  return certify(votes, by.set, keys.crypto) as Certificate;
}

function proofOf(by: TestValidators, header: LightHeader, signers: readonly number[] = [0, 1, 2]): LightProof {
  return { header, certificate: certificateOf(by, header, signers), validators: by.stakes };
}

describe("the light client", () => {
  const header: LightHeader = { hash: hash("01"), height: 5, epoch: 0, time: 2_000 };
  const seal: LightHeader = { hash: hash("02"), height: 9, epoch: 0, time: 3_000, next: fresh.stakes };
  const after: LightHeader = { hash: hash("03"), height: 12, epoch: 1, time: 4_000 };

  it("follows a header of the trusted epoch by one certificate, over any number of blocks", () => {
    const result = verifyProof(trust, proofOf(old, header), 2_500, options);
    expect(result.verdict).toBe("trusted");
    expect(result.trust?.header.height).toBe(5);
  });

  it("takes the next set from a seal, however different it is", () => {
    const sealed = verifyProof(trust, proofOf(old, seal), 3_500, options).trust;
    expect(sealed?.epoch).toBe(1);
    expect(sealed && verifyProof(sealed, proofOf(fresh, after), 4_500, options).verdict).toBe("trusted");
  });

  it("skips epochs only with more than a third of the trusted set among the signers", () => {
    expect(verifyProof(trust, proofOf(fresh, after), 4_500, options).verdict).toBe("not-enough-trust");
    const later: LightHeader = { ...after, epoch: 4 };
    expect(verifyProof(trust, proofOf(old, later), 4_500, options).verdict).toBe("trusted");
  });

  it("refuses too few signatures, other kinds of certificates, and certificates of other blocks", () => {
    expect(verifyProof(trust, proofOf(old, header, [0, 1]), 2_500, options).verdict).toBe("not-enough-signatures");
    const notarized = { ...proofOf(old, header), certificate: certificateOf(old, header, [0, 1, 2], "NOTARIZE") };
    expect(verifyProof(trust, notarized, 2_500, options).verdict).toBe("wrong-certificate");
    const other = { ...proofOf(old, header), certificate: certificateOf(old, seal, [0, 1, 2]) };
    expect(verifyProof(trust, other, 2_500, options).verdict).toBe("wrong-certificate");
  });

  it("refuses signatures that are false, and validators that are not those of the epoch", () => {
    const proof = proofOf(old, header);
    const forged = { ...proof, certificate: { ...proof.certificate, view: 4 } };
    expect(verifyProof(trust, forged, 2_500, options).verdict).toBe("wrong-signature");
    expect(verifyProof(trust, proofOf(fresh, header), 2_500, options).verdict).toBe("wrong-validator-set");
    expect(verifyProof(trust, { ...proof, validators: [] }, 2_500, options).verdict).toBe("wrong-certificate");
  });

  it("refuses what is too old to trust from, not later, or in the future", () => {
    expect(verifyProof(trust, proofOf(old, header), 11_000, options).verdict).toBe("trusting-period-over");
    expect(verifyProof(trust, proofOf(old, { ...header, height: 0 }), 2_500, options).verdict).toBe("height-not-later");
    expect(verifyProof(trust, proofOf(old, { ...header, time: 999 }), 2_500, options).verdict).toBe("time-not-later");
    expect(verifyProof(trust, proofOf(old, header), 1_500, options).verdict).toBe("from-the-future");
  });
});
