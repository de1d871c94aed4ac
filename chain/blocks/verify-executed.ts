import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import type { ExecutedBlock } from "../../vm/execution/execute-block.ts";
import { type BlockErrorCode, blockError } from "./errors.ts";
import type { BlockHeader } from "./header.ts";

type Results = Pick<
  ExecutedBlock,
  "rejected" | "gasUsed" | "stateRoot" | "transactionsRoot" | "receiptsRoot" | "logsBloom"
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
  if (header.gasUsed !== executed.gasUsed) {
    throw blockError("BLOCK_GAS_USED_MISMATCH", `block ${header.number} used other gas than it claims`, {
      number: header.number,
      claimed: header.gasUsed,
      computed: executed.gasUsed,
    });
  }
  expectEqual(header, "BLOCK_LOGS_BLOOM_MISMATCH", "log filter", header.logsBloom, executed.logsBloom);
  expectEqual(header, "BLOCK_RECEIPTS_ROOT_MISMATCH", "receipts root", header.receiptsRoot, executed.receiptsRoot);
  expectEqual(header, "BLOCK_STATE_ROOT_MISMATCH", "state root", header.stateRoot, executed.stateRoot);
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
