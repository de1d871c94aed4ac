import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { decodeHeader, encodeHeader, hashHeader } from "../../../chain/blocks/header.ts";
import type { SealProof } from "../../../chain/sync/messages.ts";
import { SealChain } from "../../../chain/sync/seal-chain.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { certificateOf, DAY, GENESIS_TIME, SampleChain, validatorsOf } from "./support/sample-chain.ts";

const folders = new TemporaryFolders();
const NOW = GENESIS_TIME + DAY;
let honest: SampleChain;
let evil: SampleChain;

beforeAll(async () => {
  honest = await SampleChain.create(folders.next(), { blocks: 8, seals: [3, 6] });
  evil = await SampleChain.create(folders.next(), { blocks: 8, seals: [3, 6], accounts: 5, signers: "evil" });
});

afterAll(async () => {
  await Promise.all([honest.store.close(), evil.store.close()]);
  folders.remove();
});

function codeOf(run: () => void): string {
  try {
    run();
    return "nothing thrown";
  } catch (error) {
    return isCoded(error) ? error.code : "not coded";
  }
}

function followed(epochs: number): SealChain {
  const chain = new SealChain(honest.trust());
  for (let epoch = 0; epoch < epochs; epoch++) chain.add(honest.sealOf(epoch), NOW);
  return chain;
}

function hashOf({ header }: SealProof): Hex {
  return bytesToHex(keccak256(header));
}

describe("following seals", () => {
  it("leads from genesis to the validators of every epoch, and to blocks that they certified", () => {
    const chain = followed(2);
    expect(chain.epoch).toBe(2);
    expect(chain.seals.map(({ epoch }) => epoch)).toEqual([0, 1]);
    for (const height of [1, 3, 5, 6, 8]) {
      const target = chain.checkOffer(honest.offerAt(height), NOW);
      expect(target.height).toBe(height);
      expect(target.root).toBe(bytesToHex(honest.headerAt(height).stateRoot));
    }
  });

  it("refuses seals out of turn, and blocks that are no seals", () => {
    const chain = followed(0);
    expect(codeOf(() => chain.add(honest.sealOf(1), NOW))).toBe("SYNC_INVALID");
    const { header, certificate } = honest.offerAt(2);
    const { nextValidators } = honest.sealOf(0);
    expect(codeOf(() => chain.add({ header, certificate, nextValidators }, NOW))).toBe("SYNC_INVALID");
    expect(chain.epoch).toBe(0);
  });

  it("refuses whatever others than the validators of the epoch have signed", () => {
    expect(codeOf(() => followed(0).add(evil.sealOf(0), NOW))).toBe("SYNC_INVALID");
    expect(codeOf(() => followed(2).checkOffer(evil.offerAt(8), NOW))).toBe("SYNC_INVALID");
    // Under the names of the right validators, which the attacker knows, but without their keys.
    const seal = honest.sealOf(0);
    const header = { ...decodeHeader(seal.header), gasUsed: 7n };
    const forged = {
      ...seal,
      header: encodeHeader(header),
      certificate: certificateOf(validatorsOf("evil", 0), 0, 3, bytesToHex(hashHeader(header))),
    };
    expect(codeOf(() => followed(0).add(forged, NOW))).toBe("SYNC_INVALID");
  });

  it("refuses a certificate of too few, of another block, or of another view", () => {
    const seal = honest.sealOf(0);
    const set = validatorsOf("honest", 0);
    const { view } = decodeHeader(seal.header).extra;
    const certificates = [
      certificateOf(set, 0, view, hashOf(seal), [0, 1]),
      honest.offerAt(2).certificate,
      certificateOf(set, 1, view, hashOf(seal)),
      new Uint8Array([0xc0]),
      new Uint8Array(0),
    ];
    for (const certificate of certificates) {
      expect(codeOf(() => followed(0).add({ ...seal, certificate }, NOW))).toBe("SYNC_INVALID");
    }
  });

  it("refuses a list of validators that is not the one in the header, without failing on any list", () => {
    const seal = honest.sealOf(0);
    const [first, second, ...rest] = seal.nextValidators;
    if (first === undefined || second === undefined) throw new Error("there are validators");
    const lists = [
      [],
      [first],
      [second, first, ...rest],
      [first, first, ...rest],
      [{ ...first, stake: 0n }, second, ...rest],
    ];
    for (const nextValidators of [...lists, evil.sealOf(0).nextValidators]) {
      expect(codeOf(() => followed(0).add({ ...seal, nextValidators }, NOW))).toBe("SYNC_INVALID");
    }
  });

  it("does not know the block of an epoch that it has not reached", () => {
    expect(codeOf(() => followed(1).checkOffer(honest.offerAt(8), NOW))).toBe("SYNC_INVALID");
  });
});

describe("the trusting period", () => {
  const { trustingPeriod } = { trustingPeriod: 14 * DAY };

  it("ends the trust in genesis", () => {
    const chain = new SealChain(honest.trust({ trustingPeriod }));
    expect(codeOf(() => chain.checkAge(NOW))).toBe("nothing thrown");
    const late = GENESIS_TIME + trustingPeriod + DAY;
    expect(codeOf(() => chain.checkAge(late))).toBe("SYNC_TRUST_EXPIRED");
    expect(codeOf(() => chain.add(honest.sealOf(0), late))).toBe("SYNC_TRUST_EXPIRED");
  });

  it("counts from the checkpoint when there is one", () => {
    const checkpoint = { epoch: 0, hash: hashOf(honest.sealOf(0)) };
    const chain = new SealChain(honest.trust({ trustingPeriod: 2_000, checkpoint }));
    // Genesis is three seconds older than the seal.
    const late = GENESIS_TIME + 4_000;
    expect(codeOf(() => chain.checkAge(late))).toBe("nothing thrown");
    expect(codeOf(() => chain.add(honest.sealOf(0), late))).toBe("nothing thrown");
    const later = new SealChain(honest.trust({ trustingPeriod: 2_000, checkpoint }));
    expect(codeOf(() => later.add(honest.sealOf(0), late + DAY))).toBe("SYNC_TRUST_EXPIRED");
  });
});

describe("a checkpoint", () => {
  it("stands in for everything before it", () => {
    const checkpoint = { epoch: 1, hash: hashOf(honest.sealOf(1)) };
    const chain = new SealChain(honest.trust({ checkpoint }));
    expect([chain.epoch, chain.firstEpoch, chain.knows(1)]).toEqual([1, 2, false]);
    chain.add(honest.sealOf(1), NOW);
    expect(chain.checkOffer(honest.offerAt(8), NOW).height).toBe(8);
    expect(codeOf(() => chain.checkOffer(honest.offerAt(5), NOW))).toBe("SYNC_INVALID");
    // Nobody here has checked its certificate, so it is not handed on.
    expect(chain.seals[0]?.certificate).toBeUndefined();
  });

  it("is the only seal that is taken in its place", () => {
    const checkpoint = { epoch: 1, hash: hashOf(honest.sealOf(1)) };
    const chain = new SealChain(honest.trust({ checkpoint }));
    expect(codeOf(() => chain.add(evil.sealOf(1), NOW))).toBe("SYNC_CHECKPOINT_UNKNOWN");
    expect(codeOf(() => chain.add(honest.sealOf(0), NOW))).toBe("SYNC_INVALID");
  });
});
