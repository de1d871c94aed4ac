/** Headers for tests: any that may exist, as an arbitrary. */
import fc from "fast-check";
import { bytesToHex } from "../../../base/bytes.ts";
import type { BlockHeader } from "../../../chain/blocks/header.ts";
import type { ValidatorStake } from "../../../chain/consensus/validator-set.ts";
import type { Address } from "../../../vm/state/account.ts";

function bytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

const address: fc.Arbitrary<Address> = bytes(20).map(bytesToHex);
const uint64: fc.Arbitrary<bigint> = fc.bigInt(0n, 2n ** 64n - 1n);
const uint48: fc.Arbitrary<number> = fc.maxSafeNat().map((value) => value % 2 ** 48);
const height: fc.Arbitrary<bigint> = fc.bigInt(0n, 2n ** 48n - 1n);
const seconds: fc.Arbitrary<bigint> = fc.bigInt(0n, 8_639_999_999_999n);

/** As a seal lists them: ascending keys, each once. */
export const someValidators: fc.Arbitrary<readonly ValidatorStake[]> = fc
  .uniqueArray(fc.record({ id: bytes(48).map(bytesToHex), stake: fc.bigInt(1n, 2n ** 128n - 1n) }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 12,
  })
  .map((validators) => validators.sort((a, b) => (a.id < b.id ? -1 : 1)));

export const anyHeader: fc.Arbitrary<BlockHeader> = fc.record({
  parentHash: bytes(32),
  coinbase: address,
  stateRoot: bytes(32),
  transactionsRoot: bytes(32),
  receiptsRoot: bytes(32),
  logsBloom: bytes(256),
  number: height,
  gasLimit: uint64,
  gasUsed: uint64,
  timestamp: seconds,
  extra: fc.record({
    epoch: uint48,
    view: uint48,
    proposer: fc.nat(4095),
    milliseconds: fc.nat(999),
    reservedGas: fc.bigInt({ min: 0n, max: 30_000_000n }),
    taskRoot: bytes(32),
    validatorSetHash: bytes(32),
    nextValidatorSetHash: fc.oneof(bytes(32), bytes(0)),
    reveal: fc.oneof(bytes(96), bytes(0)),
    parentCertificate: fc.uint8Array({ maxLength: 200 }),
  }),
  beacon: bytes(32),
  baseFeePerGas: fc.bigInt(0n, 2n ** 256n - 1n),
});

export const HEADER: BlockHeader = fc.sample(anyHeader, { seed: 1, numRuns: 1 })[0] as BlockHeader;
