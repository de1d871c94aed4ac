import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { CodedError, isCoded } from "../../../base/errors.ts";
import { encodeRlp } from "../../../base/rlp.ts";
import { type Block, encodeBlock } from "../../../chain/blocks/block.ts";
import { announcedBlockOf, consensusBlockOf, genesisConsensusBlock } from "../../../chain/blocks/consensus-block.ts";
import type { ExtraData } from "../../../chain/blocks/extra-data.ts";
import { encodeHeader, hashHeader, headerTime } from "../../../chain/blocks/header.ts";
import { MAX_CERTIFICATE_BYTES, MAX_HEADER_BYTES, MAX_VALIDATORS } from "../../../chain/blocks/limits.ts";
import { nextValidatorsHash, nextValidatorsOf } from "../../../chain/blocks/validators-codec.ts";
import { encodeCertificate } from "../../../chain/consensus/certificate.ts";
import type { Certificate } from "../../../chain/consensus/types.ts";
import { makeValidatorSet } from "../../../chain/consensus/validator-set.ts";
import { buildGenesisBlock } from "../../../chain/genesis-block.ts";
import { networkSpec } from "../../../genesis/networks.ts";
import { orderedRoot } from "../../../vm/patricia-root.ts";
import { HEADER, someValidators } from "./support.ts";

const anyTransactions = fc.array(fc.uint8Array({ minLength: 1, maxLength: 150 }), { maxLength: 5 });
const anyBody = fc.record({
  transactions: anyTransactions,
  nextValidators: fc.option(someValidators, { nil: undefined }),
});

const CERTIFICATE: Certificate = {
  kind: "NOTARIZE",
  epoch: 3,
  view: 40,
  hash: bytesToHex(HEADER.parentHash),
  signers: new Uint8Array([7]),
  signature: new Uint8Array(96).fill(5),
};

/** A block whose header commits to its body. */
function blockOf(body: Omit<Block, "header">, extra: Partial<ExtraData> = {}): Block {
  const header = {
    ...HEADER,
    transactionsRoot: orderedRoot(body.transactions),
    extra: {
      ...HEADER.extra,
      epoch: 3,
      view: 42,
      reveal: new Uint8Array(96).fill(1),
      nextValidatorSetHash: nextValidatorsHash(body.nextValidators),
      parentCertificate: encodeCertificate(CERTIFICATE),
      ...extra,
    },
  };
  return { header, ...body };
}

const EMPTY = { transactions: [], nextValidators: undefined };

function refusal(block: Block): unknown {
  try {
    consensusBlockOf(encodeBlock(block));
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a block for consensus", () => {
  it("has what the header says, the header's hash, and the whole encoding as its body", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const block = blockOf(body);
        const encoded = encodeBlock(block);
        const { next, ...read } = consensusBlockOf(encoded);
        expect(read).toEqual({
          hash: bytesToHex(hashHeader(block.header)),
          parent: bytesToHex(HEADER.parentHash),
          height: Number(HEADER.number),
          epoch: 3,
          view: 42,
          proposer: HEADER.extra.proposer,
          time: headerTime(block.header),
          empty: body.transactions.length === 0,
          reveal: block.header.extra.reveal,
          beacon: bytesToHex(HEADER.beacon),
          parentCertificate: CERTIFICATE,
          body: encoded,
        });
        expect(next).toEqual(body.nextValidators);
      }),
      { numRuns: 50 },
    );
  });

  it("is announced by its header alone, whatever follows it", () => {
    fc.assert(
      fc.property(anyBody, fc.uint8Array({ maxLength: 200 }), (body, junk) => {
        const block = blockOf(body);
        const { next, ...whole } = consensusBlockOf(encodeBlock(block));
        const announced = announcedBlockOf(encodeBlock(block));
        expect(announced).toEqual({ ...whole, ...(next && { next: [] }) });
        const header = encodeHeader(block.header);
        const other = encodeRlp([header, junk]);
        expect(announcedBlockOf(other)).toEqual({ ...announced, body: other });
        const encodings = [encodeRlp([[header], junk]), encodeRlp([]), junk, encodeBlock(block).subarray(1)];
        for (const bytes of encodings) expect(() => announcedBlockOf(bytes)).toThrow(CodedError);
      }),
      { numRuns: 50 },
    );
  });

  it("cannot be had with another body under the same hash", () => {
    fc.assert(
      fc.property(anyBody, anyBody, (claimed, brought) => {
        const block = { ...blockOf(claimed), ...brought };
        const isSame = bytesToHex(encodeBlock(block)) === bytesToHex(encodeBlock(blockOf(claimed)));
        const codes = ["BLOCK_TRANSACTIONS_ROOT_MISMATCH", "BLOCK_NEXT_VALIDATORS_MISMATCH"];
        const error = refusal(block);
        if (isSame) expect(error).toBeUndefined();
        else expect(isCoded(error, ...codes)).toBe(true);
      }),
    );
  });

  it("is a seal exactly when header and body both say so", () => {
    const [nextValidators] = fc.sample(someValidators, { seed: 2, numRuns: 1 });
    const mismatch = expect.objectContaining({ code: "BLOCK_NEXT_VALIDATORS_MISMATCH" });
    expect(refusal({ ...blockOf(EMPTY), nextValidators })).toEqual(mismatch);
    expect(refusal(blockOf(EMPTY, { nextValidatorSetHash: new Uint8Array(32).fill(1) }))).toEqual(mismatch);
  });

  const wrong: Readonly<Record<string, Uint8Array>> = {
    "that is no certificate": new Uint8Array([1, 2, 3]),
    "that gives a view up": encodeCertificate({ ...CERTIFICATE, kind: "NULLIFY", hash: "0x" }),
    "of another block": encodeCertificate({ ...CERTIFICATE, hash: `0x${"11".repeat(32)}` }),
    "of another epoch": encodeCertificate({ ...CERTIFICATE, epoch: 2 }),
    "with a signature of 95 bytes": encodeCertificate({ ...CERTIFICATE, signature: new Uint8Array(95) }),
  };

  it.each(Object.keys(wrong))("with a parent certificate %s is refused", (name) => {
    const block = blockOf(EMPTY, { parentCertificate: wrong[name] as Uint8Array });
    expect(refusal(block)).toEqual(expect.objectContaining({ code: "BLOCK_WRONG_CERTIFICATE" }));
  });

  it("from arbitrary bytes is a block or a coded error", () => {
    const valid = encodeBlock(blockOf({ transactions: [new Uint8Array(9).fill(1)], nextValidators: undefined }));
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.nat(255))
      .map(([at, byte]) => valid.map((old, i) => (i === at ? byte : old)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 1000 }), mutated), (bytes) => {
        try {
          expect(consensusBlockOf(bytes).body).toBe(bytes);
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^BLOCK_/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("of genesis is made from its header alone, and reads back", () => {
    const { header } = buildGenesisBlock(networkSpec("devnet"));
    const genesis = genesisConsensusBlock(header);
    expect(genesis).toMatchObject({ height: 0, epoch: 0, view: 0, empty: true, parentCertificate: undefined });
    expect(genesis.reveal).toEqual(EMPTY_BYTES);
    expect(consensusBlockOf(genesis.body)).toEqual(genesis);
  });
});

describe("the next validators of a seal", () => {
  it("hash to the hash of their set, and make that set again", () => {
    fc.assert(
      fc.property(someValidators, (validators) => {
        const set = makeValidatorSet(validators);
        const listed = nextValidatorsOf(set);
        expect(bytesToHex(nextValidatorsHash(listed))).toBe(set.hash);
        expect(makeValidatorSet(listed)).toEqual(set);
      }),
    );
  });
});

describe("a header", () => {
  it("has room for the certificate of the most validators there may be", () => {
    const certificate = encodeCertificate({
      ...CERTIFICATE,
      epoch: 2 ** 48 - 1,
      view: 2 ** 48 - 1,
      signers: new Uint8Array(Math.ceil(MAX_VALIDATORS / 8)).fill(255),
    });
    expect(certificate.length).toBeLessThanOrEqual(MAX_CERTIFICATE_BYTES);
    const largest = encodeHeader({
      ...HEADER,
      number: 2n ** 48n - 1n,
      gasLimit: 2n ** 64n - 1n,
      gasUsed: 2n ** 64n - 1n,
      baseFeePerGas: 2n ** 256n - 1n,
      extra: {
        ...HEADER.extra,
        epoch: 2 ** 48 - 1,
        view: 2 ** 48 - 1,
        nextValidatorSetHash: new Uint8Array(32),
        reveal: new Uint8Array(96),
        parentCertificate: new Uint8Array(MAX_CERTIFICATE_BYTES),
      },
    });
    expect(largest.length).toBeLessThanOrEqual(MAX_HEADER_BYTES);
  });
});
