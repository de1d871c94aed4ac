/** How a header follows from its parent: made by the proposer, checked by everybody else, by the same rules. */
import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import type { ExecutedBlock } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { type BlockErrorCode, blockError } from "./errors.ts";
import type { ExtraData } from "./extra-data.ts";
import { type BlockHeader, baseFeeAfter, hashHeader, headerTime, isSealHeader } from "./header.ts";

/** Everything of a header that is known before its block executes. */
export type HeaderFields = Omit<
  BlockHeader,
  "stateRoot" | "transactionsRoot" | "receiptsRoot" | "logsBloom" | "gasUsed"
>;

/** What the proposer brings along. */
export interface ProposerInput {
  /** Milliseconds since 1970, by the proposer's clock. */
  readonly now: number;
  /** Fixed by the chain spec. */
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  readonly beacon: Uint8Array;
  readonly extra: Omit<ExtraData, "milliseconds">;
}

/** The fields of the block after `parent`. A clock that runs behind the parent's time gives the parent's time. */
export function nextHeaderFields(parent: BlockHeader, input: ProposerInput): HeaderFields {
  const time = Math.max(headerTime(parent), Math.floor(input.now));
  return {
    parentHash: hashHeader(parent),
    coinbase: input.coinbase,
    number: parent.number + 1n,
    gasLimit: input.gasLimit,
    timestamp: BigInt(Math.floor(time / 1000)),
    extra: { ...input.extra, milliseconds: time % 1000 },
    beacon: input.beacon,
    baseFeePerGas: baseFeeAfter(parent),
  };
}

/** The header of an executed block. */
export function sealHeader(fields: HeaderFields, executed: Omit<Results, "rejected">): BlockHeader {
  const { stateRoot, transactionsRoot, receiptsRoot, logsBloom, gasUsed, reservedGasUsed } = executed;
  const extra = { ...fields.extra, reservedGas: reservedGasUsed };
  return { ...fields, extra, stateRoot, transactionsRoot, receiptsRoot, logsBloom, gasUsed };
}

/**
 * Throws unless `header` may follow `parent` (whose hash is given, since the caller always has it): number and
 * parent hash, the gas limit of the chain spec, the base fee by EIP-1559, a time that does not decrease, and of
 * consensus what two headers tell: epoch, view, validator set, and that reveal and certificate are there.
 */
export function checkSuccessor(
  parent: BlockHeader,
  parentHash: Uint8Array,
  header: BlockHeader,
  rules: { readonly gasLimit: bigint },
): void {
  if (header.number !== parent.number + 1n) {
    throw blockError("BLOCK_WRONG_NUMBER", `block ${header.number} does not follow block ${parent.number}`, {
      number: header.number,
      parent: parent.number,
    });
  }
  if (!equalBytes(header.parentHash, parentHash)) {
    throw blockError("BLOCK_WRONG_PARENT", `block ${header.number} has another parent`, {
      expected: bytesToHex(parentHash),
      found: bytesToHex(header.parentHash),
    });
  }
  if (header.gasLimit !== rules.gasLimit) {
    throw blockError("BLOCK_WRONG_GAS_LIMIT", `the chain's gas limit is ${rules.gasLimit}`, { found: header.gasLimit });
  }
  const baseFee = baseFeeAfter(parent);
  if (header.baseFeePerGas !== baseFee) {
    throw blockError("BLOCK_WRONG_BASE_FEE", `the base fee after block ${parent.number} is ${baseFee}`, {
      expected: baseFee,
      found: header.baseFeePerGas,
    });
  }
  if (headerTime(header) < headerTime(parent)) {
    throw blockError("BLOCK_TIME_DECREASES", `block ${header.number} is older than its parent`, {
      time: headerTime(header),
      parentTime: headerTime(parent),
    });
  }
  checkConsensusFields(parent, header);
}

/** A seal ends its epoch; it and genesis are roots of epochs, which need no certificate in the block after them. */
function checkConsensusFields(parent: BlockHeader, { number, extra }: BlockHeader): void {
  const isAfterSeal = isSealHeader(parent);
  const epoch = parent.extra.epoch + (isAfterSeal ? 1 : 0);
  if (extra.epoch !== epoch) {
    throw blockError("BLOCK_WRONG_EPOCH", `block ${number} is of epoch ${epoch}`, { found: extra.epoch });
  }
  const least = isAfterSeal ? 1 : parent.extra.view + 1;
  if (extra.view < least) {
    throw blockError("BLOCK_WRONG_VIEW", `the view of block ${number} is at least ${least}`, { found: extra.view });
  }
  const { validatorSetHash, nextValidatorSetHash } = parent.extra;
  const expected = isAfterSeal ? nextValidatorSetHash : validatorSetHash;
  if (!equalBytes(extra.validatorSetHash, expected)) {
    throw blockError("BLOCK_WRONG_VALIDATORS", `block ${number} names another validator set`, {
      expected: bytesToHex(expected),
      found: bytesToHex(extra.validatorSetHash),
    });
  }
  if (extra.reveal.length === 0) throw blockError("BLOCK_NO_REVEAL", `block ${number} has no reveal`);
  const isAfterRoot = isAfterSeal || parent.number === 0n;
  if ((extra.parentCertificate.length === 0) !== isAfterRoot) {
    const rule = isAfterRoot ? "no certificate: its parent is the root of the epoch" : "a certificate of its parent";
    throw blockError("BLOCK_WRONG_CERTIFICATE", `block ${number} has ${rule}`);
  }
}

/** What executing a block gave. */
type Results = Pick<
  ExecutedBlock,
  "rejected" | "gasUsed" | "reservedGasUsed" | "stateRoot" | "transactionsRoot" | "receiptsRoot" | "logsBloom"
>;

/**
 * Throws unless executing the block gave what its header claims. The order is the order in which a difference
 * explains the next: a wrong list of transactions makes everything else differ too.
 */
export function verifyExecuted(header: BlockHeader, executed: Results): void {
  const [first] = executed.rejected;
  if (first !== undefined) {
    throw blockError(
      "BLOCK_TRANSACTION_INVALID",
      `block ${header.number} contains an invalid transaction: ${first.error.message}`,
      {
        number: header.number,
        transaction: bytesToHex(first.transaction.hash),
        reason: first.error.code,
      },
    );
  }
  expectEqual(
    header,
    "BLOCK_TRANSACTIONS_ROOT_MISMATCH",
    "transactions root",
    header.transactionsRoot,
    executed.transactionsRoot,
  );
  expectGas(header, "gas", header.gasUsed, executed.gasUsed);
  expectGas(header, "reserved gas", header.extra.reservedGas, executed.reservedGasUsed);
  expectEqual(header, "BLOCK_LOGS_BLOOM_MISMATCH", "log filter", header.logsBloom, executed.logsBloom);
  expectEqual(header, "BLOCK_RECEIPTS_ROOT_MISMATCH", "receipts root", header.receiptsRoot, executed.receiptsRoot);
  expectEqual(header, "BLOCK_STATE_ROOT_MISMATCH", "state root", header.stateRoot, executed.stateRoot);
}

function expectGas({ number }: BlockHeader, what: string, claimed: bigint, computed: bigint): void {
  if (claimed === computed) return;
  throw blockError("BLOCK_GAS_USED_MISMATCH", `block ${number} used other ${what} than it claims`, {
    number,
    claimed,
    computed,
  });
}

function expectEqual(
  header: BlockHeader,
  code: BlockErrorCode,
  what: string,
  claimed: Uint8Array,
  computed: Uint8Array,
): void {
  if (equalBytes(claimed, computed)) return;
  throw blockError(code, `block ${header.number} has another ${what} than it claims`, {
    number: header.number,
    claimed: bytesToHex(claimed),
    computed: bytesToHex(computed),
  });
}
