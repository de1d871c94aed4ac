import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { type Hex, hexToBytes, stripLeadingZeros } from "../../base/bytes.ts";
import { blsCrypto } from "../../chain/consensus/bls-crypto.ts";
import { decodeCertificate } from "../../chain/consensus/certificate.ts";
import type { ValidatorStake } from "../../chain/consensus/validator-set.ts";
import { genesisWeights } from "../../chain/consensus-parameters.ts";
import { type LightOptions, type LightTrust, trustFrom, verifyProof } from "../../chain/light-client/light-client.ts";
import { lightHeaderOf } from "../../chain/light-client/light-header.ts";
import { keyOfAccount, keyOfSlot } from "../../vm/state/keys.ts";
import { decodeProof, verifyAccount, verifySlot } from "../../vm/tree/proof.ts";
import { ALICE, STRANGER, singleSpec } from "../chain/runtime/support/single-node.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
const EPOCH_BLOCKS = 4;

beforeAll(async () => {
  const spec = singleSpec();
  fixture = await RpcFixture.open(false, { consensus: { ...spec.consensus, epochBlocks: EPOCH_BLOCKS } });
  for (let nonce = 0n; nonce < 14n; nonce++) await fixture.include(fixture.alone.sign(ALICE, { nonce }));
});
afterAll(() => fixture.close());

interface Proven {
  readonly stateRoot: Hex;
  readonly balance: Hex;
  readonly nonce: Hex;
  readonly codeHash: Hex;
  readonly proof: Hex;
  readonly slots: readonly { readonly slot: Hex; readonly value: Hex; readonly proof: Hex }[];
}

describe("ogpu_getProof", () => {
  const prove = (address: Hex, slots: readonly Hex[], block = "latest"): Promise<Proven> =>
    fixture.call("ogpu_getProof", address, slots, block);

  it("proves an account that is there, and that one is not", async () => {
    const { stateRoot, balance, nonce, codeHash, proof } = await prove(ALICE.address, []);
    const account = { balance: BigInt(balance), nonce: BigInt(nonce), codeHash };
    expect(account.nonce).toBe(14n);
    verifyAccount(hexToBytes(stateRoot), keyOfAccount(ALICE.address), account, decodeProof(hexToBytes(proof)));
    const absent = await prove(STRANGER.address, []);
    const decoded = decodeProof(hexToBytes(absent.proof));
    verifyAccount(hexToBytes(absent.stateRoot), keyOfAccount(STRANGER.address), undefined, decoded);
  });

  it("proves slots, of recent blocks too", async () => {
    const token: Hex = "0x6f4750554d6f64756c6500000000000000000001";
    const wanted: Hex[] = [`0x${"00".repeat(32)}`, `0x${"ff".repeat(32)}`];
    for (const block of ["latest", "0x5"]) {
      const { stateRoot, slots } = await prove(token, wanted, block);
      for (const { slot, value, proof } of slots) {
        const decoded = decodeProof(hexToBytes(proof));
        verifySlot(hexToBytes(stateRoot), keyOfSlot(token, slot), stripLeadingZeros(hexToBytes(value)), decoded);
      }
      const { stateRoot: ofBlock } = (await fixture.call("eth_getBlockByNumber", block, false)) as { stateRoot: Hex };
      expect(stateRoot).toBe(ofBlock);
    }
  });

  it("is what eth_getProof has in Ethereum's form", async () => {
    const { proof } = await prove(ALICE.address, []);
    const answer = (await fixture.call("eth_getProof", ALICE.address, ["0x0"], "latest")) as { accountProof: Hex[] };
    expect(answer.accountProof).toEqual([proof]);
  });
});

interface Validator {
  readonly publicKey: Hex;
  readonly weight: Hex;
}

interface LightProofJson {
  readonly blockNumber: Hex;
  readonly header: Hex;
  readonly certificate: Hex;
  readonly validators: readonly Validator[];
  readonly nextValidators?: readonly Validator[];
  readonly seals: readonly {
    readonly header: Hex;
    readonly certificate: Hex;
    readonly nextValidators: readonly Validator[];
  }[];
}

const stakes = (validators: readonly Validator[]): readonly ValidatorStake[] =>
  validators.map(({ publicKey, weight }) => ({ id: publicKey, stake: BigInt(weight) }));

describe("ogpu_getLightClientProof", () => {
  const now = (): number => fixture.alone.clock.now();

  function options(): LightOptions {
    const { chainId, consensus } = fixture.chain.spec;
    return {
      chainId,
      crypto: blsCrypto(bls),
      trustingPeriod: consensus.trustingPeriodSeconds * 1000,
      maxSkew: 10_000,
    };
  }

  /** Follows the seals from genesis, then the header: what a client does that knows the chain spec alone. */
  function follow(proof: LightProofJson): string {
    const { spec } = fixture.chain;
    const genesis = { height: 0, time: Number(spec.genesisTime) * 1000 };
    let trust: LightTrust = trustFrom(genesis, genesisWeights(spec), 0);
    let validators = stakes(proof.validators);
    const [first] = proof.seals;
    if (first !== undefined) validators = genesisWeights(spec);
    for (const seal of proof.seals) {
      const next = stakes(seal.nextValidators);
      const header = lightHeaderOf(hexToBytes(seal.header), next);
      const certificate = decodeCertificate(hexToBytes(seal.certificate));
      const result = verifyProof(trust, { header, certificate, validators }, now(), options());
      if (result.trust === undefined) return result.verdict;
      trust = result.trust;
      validators = next;
    }
    const next = proof.nextValidators && stakes(proof.nextValidators);
    const header = lightHeaderOf(hexToBytes(proof.header), next);
    const certificate = decodeCertificate(hexToBytes(proof.certificate));
    return verifyProof(trust, { header, certificate, validators: stakes(proof.validators) }, now(), options()).verdict;
  }

  it("is what a light client that knows the chain spec alone trusts, over several epochs", async () => {
    const proof = (await fixture.call("ogpu_getLightClientProof", "latest", 0)) as LightProofJson;
    expect(proof.seals.length).toBeGreaterThanOrEqual(2);
    expect(follow(proof)).toBe("trusted");
  });

  it("is not trusted when one byte of its certificate is other", async () => {
    const proof = (await fixture.call("ogpu_getLightClientProof", "latest", 0)) as LightProofJson;
    const last = proof.certificate.at(-1) === "0" ? "1" : "0";
    expect(() => {
      expect(follow({ ...proof, certificate: `${proof.certificate.slice(0, -1)}${last}` as Hex })).not.toBe("trusted");
    }).not.toThrow();
  });

  it("refuses genesis, which nobody signed, and epochs that are to come", async () => {
    const genesis = await fixture.ask("ogpu_getLightClientProof", "earliest");
    expect(genesis.error).toMatchObject({ data: { code: "NOT_CERTIFIED" } });
    expect((await fixture.ask("ogpu_getLightClientProof", "latest", 99)).error?.code).toBe(-32_602);
  });
});

describe("ogpu_getFinality", () => {
  it("names the signers, what they weigh, and the block that the certificate is of", async () => {
    const { certificate, blockNumber } = (await fixture.call("ogpu_getFinality", "0x3")) as {
      blockNumber: Hex;
      certificate: { kind: string; blockNumber: Hex; signers: Validator[]; signedWeight: Hex; totalWeight: Hex };
    };
    expect(blockNumber).toBe("0x3");
    expect(certificate.kind).toBe("FINALIZE");
    expect(Number(certificate.blockNumber)).toBeGreaterThanOrEqual(3);
    expect(certificate.signers).toHaveLength(1);
    expect(certificate.signedWeight).toBe(certificate.totalWeight);
  });
});

describe("ogpu_getValidators", () => {
  it("has those of every epoch so far, and of no later one", async () => {
    const { epoch, validators } = (await fixture.call("ogpu_getValidators")) as {
      epoch: number;
      validators: Validator[];
    };
    expect(epoch).toBeGreaterThanOrEqual(2);
    expect(validators).toHaveLength(1);
    expect((await fixture.ask("ogpu_getValidators", epoch + 1)).error).toMatchObject({
      data: { code: "EPOCH_UNKNOWN" },
    });
  });
});
