import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToBytes, bytesToBigint, bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpList, rlpOfInteger } from "../../../base/rlp.ts";
import { privateKeyToAddress, SECP256K1_ORDER } from "../../../base/secp256k1.ts";
import { FAILURES, packTransactions, RESULT_BYTES, recoverBatch } from "../../../chain/senders/batch.ts";
import { claimOf, NO_CLAIM } from "../../../chain/senders/claim.ts";
import { type KeyAddon, KnownKeys, loadKeyAddon } from "../../../chain/senders/known-keys.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { TransactionErrorCode } from "../../../vm/transaction/errors.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { decodeTransaction, encodeSigned } from "../../../vm/transaction/transaction.ts";

const loaded = loadKeyAddon();

/** Legacy, without a chain id: [nonce, gasPrice, gasLimit, to, value, data, v, r, s]. */
const GOOD = signTransaction(
  {
    ...{ type: 0, chainId: undefined, nonce: 1n, maxFeePerGas: 10n, maxPriorityFeePerGas: 10n, gasLimit: 21_000n },
    ...{ to: `0x${"11".repeat(20)}`, value: 1n, data: EMPTY_BYTES, accessList: [] },
  },
  keccak256(new Uint8Array([1])),
);

function withField(index: number, item: RlpItem): Uint8Array {
  return encodeRlp(rlpList(decodeRlp(GOOD)).map((field, i) => (i === index ? item : field)));
}

/** 0 or the number of a failure, for each. */
function outcomes(raws: readonly Uint8Array[]): readonly number[] {
  const results = recoverBatch(packTransactions(raws, 0, raws.length));
  return raws.map((_, i) => results[i * RESULT_BYTES] as number);
}

/** secp256k1's order. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const SAMPLES: Readonly<Partial<Record<TransactionErrorCode, Uint8Array>>> = {
  TX_MALFORMED: GOOD.subarray(0, GOOD.length - 1),
  TX_TYPE_UNSUPPORTED: new Uint8Array([3, 0xc0]),
  TX_NONCE_OVERFLOW: withField(0, rlpOfInteger(2n ** 64n - 1n)),
  TX_SIGNATURE_INVALID: withField(7, bigintToBytes(ORDER)),
  TX_SIGNATURE_HIGH_S: withField(8, bigintToBytes(ORDER - 1n)),
};

describe("a batch for the workers", () => {
  it("tells each reason by its own number", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...FAILURES].sort());
    for (const [code, raw] of Object.entries(SAMPLES)) {
      expect(outcomes([GOOD, raw]), code).toEqual([0, 1 + FAILURES.indexOf(code as TransactionErrorCode)]);
    }
  });

  it("knows every reason that bytes of whatever kind can give", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const flipped = fc
      .tuple(fc.nat(GOOD.length - 1), fc.integer({ min: 1, max: 255 }))
      .map(([at, change]) => GOOD.map((byte, i) => (i === at ? byte ^ change : byte)));
    const field = fc.tuple(fc.nat(8), fc.uint8Array({ maxLength: 40 })).map(([at, item]) => withField(at, item));
    fc.assert(
      fc.property(fc.array(fc.oneof(bytes, flipped, field), { maxLength: 5 }), (raws) => {
        for (const outcome of outcomes(raws)) expect(outcome).toBeLessThanOrEqual(FAILURES.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe.runIf(loaded !== undefined)("a batch with claims", () => {
  const SECRETS = Array.from({ length: 4 }, (_, index) => keccak256(new Uint8Array([2, index])));
  const ADDRESSES = SECRETS.map((secret) => bytesToHex(privateKeyToAddress(secret)));
  const signed = (sender: number, nonce: number): Uint8Array =>
    signTransaction(
      {
        ...{ type: 0, chainId: 1n, nonce: BigInt(nonce), maxFeePerGas: 10n, maxPriorityFeePerGas: 10n },
        ...{ gasLimit: 21_000n, to: `0x${"11".repeat(20)}`, value: 1n, data: EMPTY_BYTES, accessList: [] },
      },
      SECRETS[sender] as Uint8Array,
    );

  /** Tells of each signature that was checked what came out. */
  function watched(): { readonly keys: KnownKeys; readonly checks: boolean[] } {
    const { makeTable, check } = loaded as KeyAddon;
    const checks: boolean[] = [];
    const addon: KeyAddon = {
      makeTable,
      check: (...all) => {
        const results = check(...all);
        checks.push(...[...results].map((result) => result === 1));
        return results;
      },
    };
    return { keys: new KnownKeys(addon), checks };
  }

  it("gives the same senders and failures as one without, whatever is claimed", () => {
    const { keys, checks } = watched();
    // Nobody, somebody who is not known, and everybody who is.
    const claims = [NO_CLAIM, 1n, ...ADDRESSES.map(claimOf)];
    const honest = fc.tuple(fc.nat(3), fc.nat(20)).map(([sender, nonce]) => {
      return { raw: signed(sender, nonce), claim: claimOf(ADDRESSES[sender] as Address) };
    });
    const anything = fc.record({
      raw: fc.oneof(fc.constantFrom(GOOD, ...Object.values(SAMPLES)), fc.uint8Array({ maxLength: 100 })),
      claim: fc.constantFrom(...claims),
    });
    const lying = fc.tuple(honest, fc.constantFrom(...claims)).map(([{ raw }, claim]) => ({ raw, claim }));
    const batches = fc.oneof(
      fc.array(honest, { minLength: 4, maxLength: 12 }),
      fc.array(fc.oneof(honest, anything), { maxLength: 12 }),
      fc.array(fc.oneof(honest, lying, anything), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(batches, (batch) => {
        const raws = batch.map(({ raw }) => raw);
        const packed = packTransactions(
          raws,
          0,
          raws.length,
          batch.map(({ claim }) => claim),
        );
        expect(recoverBatch(packed, keys)).toEqual(recoverBatch(packTransactions(raws, 0, raws.length)));
      }),
      { numRuns: 150 },
    );
    expect(new Set(checks)).toEqual(new Set([true, false]));
  });

  it("refuses a high s of a known sender with a true claim", () => {
    const { keys, checks } = watched();
    const claim = claimOf(ADDRESSES[0] as Address);
    const raws = Array.from({ length: 8 }, (_, nonce) => signed(0, nonce));
    const { r, s, yParity, ...unsigned } = decodeTransaction(raws[7] as Uint8Array);
    const otherS = SECP256K1_ORDER - bytesToBigint(s);
    const high = encodeSigned(unsigned, { r: bytesToBigint(r), s: otherS, yParity: yParity === 0 ? 1 : 0 });
    const all = [...raws.slice(0, 7), high];
    const packed = () => packTransactions(all, 0, 8, new Array(8).fill(claim));
    recoverBatch(packed(), keys);
    const results = recoverBatch(packed(), keys);
    expect(checks).toEqual(new Array(7).fill(true));
    expect(results).toEqual(recoverBatch(packed()));
    expect(results[7 * RESULT_BYTES]).toBe(FAILURES.indexOf("TX_SIGNATURE_HIGH_S") + 1);
  });

  it("checks r and s that begin with zeros, also after what is no transaction", () => {
    const { keys, checks } = watched();
    const short = (field: "r" | "s"): Uint8Array => {
      for (let nonce = 0; ; nonce++) {
        const raw = signed(0, nonce);
        if (decodeTransaction(raw)[field].length < 32) return raw;
      }
    };
    const raws = [GOOD.subarray(1), short("r"), GOOD.subarray(1), short("s"), signed(0, 0)];
    const claim = claimOf(ADDRESSES[0] as Address);
    const packed = () => packTransactions(raws, 0, 5, [NO_CLAIM, claim, NO_CLAIM, claim, claim]);
    for (let i = 0; i < 2; i++) expect(recoverBatch(packed(), keys)).toEqual(recoverBatch(packed()));
    expect(checks).toEqual([true, true, true]);
  });

  it("recovers each key once, and checks what follows", () => {
    const { keys, checks } = watched();
    const raws = Array.from({ length: 20 }, (_, nonce) => signed(nonce % 2, nonce));
    const claims = raws.map((_, nonce) => claimOf(ADDRESSES[nonce % 2] as Address));
    recoverBatch(packTransactions(raws, 0, 2, claims), keys);
    expect(checks).toEqual([]);
    recoverBatch(packTransactions(raws, 2, 20, claims), keys);
    expect(checks).toEqual(new Array(18).fill(true));
  });
});
