import { describe, expect, it } from "vitest";
import { EMPTY_BYTES } from "../../../base/bytes.ts";
import { environmentOf } from "../../../chain/blocks/environment-of.ts";
import type { ExtraData } from "../../../chain/blocks/extra-data.ts";
import { type BlockHeader, hashHeader, headerTime } from "../../../chain/blocks/header.ts";
import { checkSuccessor, nextHeaderFields, sealHeader, verifyExecuted } from "../../../chain/blocks/next-header.ts";
import { transactionError } from "../../../vm/transaction/errors.ts";
import { HEADER } from "./support.ts";

const GAS_LIMIT = 30_000_000n;

const CONSENSUS: ExtraData = {
  ...HEADER.extra,
  epoch: 3,
  view: 40,
  nextValidatorSetHash: EMPTY_BYTES,
  reveal: new Uint8Array(96).fill(1),
  parentCertificate: new Uint8Array(150).fill(1),
};

const PARENT: BlockHeader = {
  ...HEADER,
  number: 6n,
  timestamp: 1_700_000_000n,
  gasLimit: GAS_LIMIT,
  gasUsed: GAS_LIMIT,
  baseFeePerGas: 800n,
  extra: { ...CONSENSUS, milliseconds: 900, reservedGas: 0n },
};

const RESULTS = {
  stateRoot: HEADER.stateRoot,
  transactionsRoot: HEADER.transactionsRoot,
  receiptsRoot: HEADER.receiptsRoot,
  logsBloom: HEADER.logsBloom,
  gasUsed: 21_000n,
  reservedGasUsed: 0n,
  rejected: [],
};

function child(now = 1_700_000_001_500): BlockHeader {
  const input = {
    now,
    gasLimit: GAS_LIMIT,
    coinbase: HEADER.coinbase,
    beacon: HEADER.beacon,
    extra: { ...CONSENSUS, view: 42 },
  };
  return sealHeader(nextHeaderFields(PARENT, input), RESULTS);
}

describe("the next header", () => {
  it("follows its parent by number, hash, time and base fee", () => {
    const header = child();
    expect(header.number).toBe(7n);
    expect(header.parentHash).toEqual(hashHeader(PARENT));
    expect(headerTime(header)).toBe(1_700_000_001_500);
    // A full parent raises the base fee by an eighth (EIP-1559).
    expect(header.baseFeePerGas).toBe(900n);
    expect(() => checkSuccessor(PARENT, hashHeader(PARENT), header, { gasLimit: GAS_LIMIT })).not.toThrow();
  });

  it("keeps the parent's time when the proposer's clock is behind", () => {
    const header = child(1_600_000_000_000);
    expect(headerTime(header)).toBe(headerTime(PARENT));
    expect(() => checkSuccessor(PARENT, hashHeader(PARENT), header, { gasLimit: GAS_LIMIT })).not.toThrow();
  });

  const wrong: Readonly<Record<string, Partial<BlockHeader>>> = {
    BLOCK_WRONG_NUMBER: { number: 8n },
    BLOCK_WRONG_PARENT: { parentHash: new Uint8Array(32) },
    BLOCK_WRONG_GAS_LIMIT: { gasLimit: GAS_LIMIT + 1n },
    BLOCK_WRONG_BASE_FEE: { baseFeePerGas: 901n },
    BLOCK_TIME_DECREASES: { timestamp: 1_700_000_000n, extra: { ...CONSENSUS, milliseconds: 899 } },
    BLOCK_WRONG_EPOCH: { extra: { ...child().extra, epoch: 4 } },
    BLOCK_WRONG_VIEW: { extra: { ...child().extra, view: 40 } },
    BLOCK_WRONG_VALIDATORS: { extra: { ...child().extra, validatorSetHash: new Uint8Array(32) } },
    BLOCK_NO_REVEAL: { extra: { ...child().extra, reveal: EMPTY_BYTES } },
    BLOCK_WRONG_CERTIFICATE: { extra: { ...child().extra, parentCertificate: EMPTY_BYTES } },
  };

  it.each(Object.keys(wrong))("that breaks a rule is refused with %s", (code) => {
    const header = { ...child(), ...wrong[code] };
    expect(() => checkSuccessor(PARENT, hashHeader(PARENT), header, { gasLimit: GAS_LIMIT })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it("of a seal is the first of the next epoch, of the set that the seal names and without a certificate", () => {
    const next = new Uint8Array(32).fill(8);
    const seal = { ...PARENT, extra: { ...PARENT.extra, nextValidatorSetHash: next } };
    const extra = { ...CONSENSUS, epoch: 4, view: 1, validatorSetHash: next, parentCertificate: EMPTY_BYTES };
    const check = (change: Partial<ExtraData>): void => {
      const header = { ...child(), parentHash: hashHeader(seal), extra: { ...extra, ...change } };
      checkSuccessor(seal, hashHeader(seal), header, { gasLimit: GAS_LIMIT });
    };
    expect(() => check({})).not.toThrow();
    const codes: readonly [string, Partial<ExtraData>][] = [
      ["BLOCK_WRONG_EPOCH", { epoch: 3 }],
      ["BLOCK_WRONG_VIEW", { view: 0 }],
      ["BLOCK_WRONG_VALIDATORS", { validatorSetHash: seal.extra.validatorSetHash }],
      ["BLOCK_WRONG_CERTIFICATE", { parentCertificate: CONSENSUS.parentCertificate }],
    ];
    for (const [code, change] of codes) expect(() => check(change)).toThrow(expect.objectContaining({ code }));
  });

  it("of genesis has no certificate", () => {
    const genesis = { ...PARENT, number: 0n, extra: { ...PARENT.extra, view: 0 } };
    const header = { ...child(), number: 1n, parentHash: hashHeader(genesis) };
    const check = (parentCertificate: Uint8Array): void =>
      checkSuccessor(
        genesis,
        hashHeader(genesis),
        { ...header, extra: { ...header.extra, parentCertificate } },
        { gasLimit: GAS_LIMIT },
      );
    expect(() => check(EMPTY_BYTES)).not.toThrow();
    expect(() => check(new Uint8Array(150))).toThrow(expect.objectContaining({ code: "BLOCK_WRONG_CERTIFICATE" }));
  });

  it("gives transactions the environment they see", () => {
    const environment = environmentOf(child(), (number) => (number === 6n ? hashHeader(PARENT) : undefined));
    expect(environment).toMatchObject({
      number: 7n,
      timestamp: 1_700_000_001n,
      gasLimit: GAS_LIMIT,
      baseFeePerGas: 900n,
    });
    expect(environment.prevRandao).toEqual(HEADER.beacon);
    expect(environment.blockHash(6n)).toEqual(hashHeader(PARENT));
  });
});

describe("an executed block", () => {
  it("that came to what its header says is accepted", () => {
    expect(() => verifyExecuted(child(), RESULTS)).not.toThrow();
  });

  const different: Readonly<Record<string, Partial<typeof RESULTS>>> = {
    BLOCK_TRANSACTIONS_ROOT_MISMATCH: { transactionsRoot: new Uint8Array(32) },
    BLOCK_GAS_USED_MISMATCH: { gasUsed: 1n },
    BLOCK_LOGS_BLOOM_MISMATCH: { logsBloom: new Uint8Array(256) },
    BLOCK_RECEIPTS_ROOT_MISMATCH: { receiptsRoot: new Uint8Array(32) },
    BLOCK_STATE_ROOT_MISMATCH: { stateRoot: new Uint8Array(32) },
  };

  it.each(Object.keys(different))("that came to something else is refused with %s", (code) => {
    expect(() => verifyExecuted(child(), { ...RESULTS, ...different[code] })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it("with a transaction that cannot be included is refused, naming it and the reason", () => {
    const error = transactionError("TX_NONCE_TOO_LOW", "nonce 1 was used");
    const transaction = { hash: new Uint8Array(32).fill(0xab) };
    const rejected = [{ transaction, sender: HEADER.coinbase, error }] as unknown as Parameters<
      typeof verifyExecuted
    >[1]["rejected"];
    expect(() => verifyExecuted(child(), { ...RESULTS, rejected })).toThrow(
      expect.objectContaining({
        code: "BLOCK_TRANSACTION_INVALID",
        data: expect.objectContaining({ transaction: `0x${"ab".repeat(32)}`, reason: "TX_NONCE_TOO_LOW" }),
      }),
    );
  });
});
