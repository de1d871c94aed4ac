import { bls12_381 } from "@noble/curves/bls12-381.js";
import { describe, expect, it } from "vitest";
import { portableBls } from "../../../base/bls-portable.ts";
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { voteMessage } from "../../../base/votes.ts";
import { blsCrypto, blsPossession, blsSigner } from "../../../chain/consensus/bls-crypto.ts";
import { bitmapOf, certify } from "../../../chain/consensus/certificate.ts";
import type { Certificate, CertificateKind } from "../../../chain/consensus/types.ts";
import { makeValidatorSet, type ValidatorId, type ValidatorStake } from "../../../chain/consensus/validator-set.ts";
import { type LightProof, trustFrom, verifyProof } from "../../../chain/light-client/light-client.ts";
import type { LightHeader } from "../../../chain/light-client/light-header.ts";
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
  trustingPeriod: 10_000,
  maxSkew: 500,
  verifyPossession: blsPossession(portableBls),
};
const ofOld = { validatorSetHash: old.set.hash };
const ofFresh = { validatorSetHash: fresh.set.hash };
const genesis: LightHeader = { hash: hash("00"), height: 0, epoch: 0, time: 1_000, ...ofOld };
const trust = trustFrom(genesis, old.stakes, 0);

function certificateOf(
  by: TestValidators,
  header: LightHeader,
  signers: readonly number[],
  kind: CertificateKind = "FINALIZE",
): Certificate {
  const content = { kind, epoch: header.epoch, view: 3, hash: header.hash };
  const votes = signers.map((index) => by.vote(index, content));
  return certify(votes, by.set, keys.crypto) as Certificate;
}

function proofOf(by: TestValidators, header: LightHeader, signers: readonly number[] = [0, 1, 2]): LightProof {
  return { header, certificate: certificateOf(by, header, signers), validators: by.stakes };
}

describe("the light client", () => {
  const header: LightHeader = { hash: hash("01"), height: 5, epoch: 0, time: 2_000, ...ofOld };
  const seal: LightHeader = { hash: hash("02"), height: 9, epoch: 0, time: 3_000, ...ofOld, next: fresh.stakes };
  const after: LightHeader = { hash: hash("03"), height: 12, epoch: 1, time: 4_000, ...ofFresh };

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
    const later: LightHeader = { ...after, ...ofOld, epoch: 4 };
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

  it("takes a header only with the validators that it names", () => {
    const later: LightHeader = { ...after, ...ofOld, epoch: 4 };
    const stakes = old.stakes.map(({ id }, index) => ({ id, stake: BigInt(index + 1) }));
    expect(verifyProof(trust, { ...proofOf(old, later), validators: stakes }, 4_500, options).verdict).toBe(
      "wrong-validator-set",
    );
    const sealed = trustFrom(seal, fresh.stakes, 1);
    const earlier = { ...header, height: 20, time: 4_000 };
    expect(verifyProof(sealed, proofOf(old, earlier), 4_500, options).verdict).toBe("wrong-validator-set");
  });
});

describe("skipping epochs with new validators", () => {
  const secret = (name: string): Uint8Array => portableBls.privateKeyFromSeed(sha256(utf8(name)));
  const joining = [secret("joins first"), secret("joins second")];
  const [first, second] = old.signers;
  const signers = [...joining.map((key) => blsSigner(portableBls, key)), first, second].flatMap((one) => one ?? []);
  const validators: readonly ValidatorStake[] = signers.map(({ id }) => ({ id, stake: 10n }));
  const set = makeValidatorSet(validators);
  const header: LightHeader = { ...genesis, hash: hash("05"), height: 30, epoch: 3, validatorSetHash: set.hash };

  function proofBy(ids: readonly ValidatorId[], signature: Uint8Array, on: LightHeader): LightProof["certificate"] {
    const indices = ids.map((id) => set.indexOf.get(id) ?? 0);
    return { kind: "FINALIZE", epoch: 3, view: 1, hash: on.hash, signers: bitmapOf(indices, 4), signature };
  }

  const message = voteMessage(CHAIN_ID, { kind: "FINALIZE", epoch: 3, view: 1, hash: header.hash });
  const signature = portableBls.aggregateSignatures(signers.map((one) => one.sign(message)));
  const certificate = proofBy(set.ids, signature, header);
  const possessions = new Map(
    joining.map((key) => [bytesToHex(portableBls.publicKeyOf(key).bytes), portableBls.provePossession(key)]),
  );

  it("asks for proof that somebody has their keys", () => {
    const proof = { header, certificate, validators };
    expect(verifyProof(trust, { ...proof, possessions }, 1_500, options).verdict).toBe("trusted");
    expect(verifyProof(trust, proof, 1_500, options).verdict).toBe("unproven-key");
    const [one, two] = [...possessions];
    const swapped = new Map([
      [one?.[0] ?? "0x", two?.[1] ?? new Uint8Array()],
      [two?.[0] ?? "0x", one?.[1] ?? new Uint8Array()],
    ] as const);
    expect(verifyProof(trust, { ...proof, possessions: swapped }, 1_500, options).verdict).toBe("unproven-key");
  });

  it("refuses a key made up to cancel those of the trusted validators, with which one forger signs for all", () => {
    const forger = secret("forger");
    const pointOf = (id: Hex) => bls12_381.G1.Point.fromHex(id.slice(2));
    const honest = [first, second].flatMap((one) => (one === undefined ? [] : [one.id]));
    const cancelled = honest.reduce(
      (sum, id) => sum.subtract(pointOf(id)),
      pointOf(bytesToHex(portableBls.publicKeyOf(forger).bytes)),
    );
    const rogue = bytesToHex(cancelled.toBytes(true));
    const stakes = [...honest, rogue].map((id) => ({ id, stake: 10n }));
    const forgedSet = makeValidatorSet(stakes);
    const forged: LightHeader = { ...header, hash: hash("66"), validatorSetHash: forgedSet.hash };
    const content = voteMessage(CHAIN_ID, { kind: "FINALIZE", epoch: 3, view: 1, hash: forged.hash });
    const lie = {
      header: forged,
      certificate: { ...proofBy([], portableBls.sign(forger, content), forged), signers: bitmapOf([0, 1, 2], 3) },
      validators: stakes,
    };
    // The signature itself holds: nothing but the missing proof gives the forger away.
    expect(options.crypto.verifyAggregate(forgedSet.ids, content, lie.certificate.signature)).toBe(true);
    expect(verifyProof(trust, lie, 1_500, options).verdict).toBe("unproven-key");
    const proofs = new Map([[rogue, portableBls.provePossession(forger)]]);
    expect(verifyProof(trust, { ...lie, possessions: proofs }, 1_500, options).verdict).toBe("unproven-key");
  });
});
