import { bytesToHex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { Log } from "../../vm/receipt/log.ts";
import { type BlockReference, LATEST, requireBlock } from "../block-reference.ts";
import type { ChainView } from "../chain-view.ts";
import { logJson } from "../format.ts";
import { MAX_ANSWER_BYTES, MAX_LOG_BLOCKS, MAX_LOGS } from "../limits.ts";
import { type LogFilter, logFilter, matchesFilter, mayMatch } from "../log-filter.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { responseTooLarge } from "../request-budget.ts";
import { invalidParams, REFUSED, RpcError } from "../rpc-error.ts";

/** The fields of a log in JSON apart from its data. */
const LOG_JSON_BYTES = 700;

interface Found {
  readonly logs: object[];
  /** About what they take as JSON. */
  bytes: number;
}

export const ethGetLogs: RpcMethod = defineMethod({
  name: "eth_getLogs",
  parameters: [logFilter],
  run: async ({ chain, turn }, filter) => {
    const { first, last } = rangeOf(chain, filter);
    const found: Found = { logs: [], bytes: 0 };
    for (let number = first; number <= last; number++) {
      await turn();
      const block = chain.header(number);
      if (block === undefined || !mayMatch(filter, block.header.logsBloom)) continue;
      collect(chain, block, filter, found);
    }
    return found.logs;
  },
});

function rangeOf(chain: ChainView, filter: LogFilter): { readonly first: number; readonly last: number } {
  const numberOf = (reference: BlockReference): number => Number(requireBlock(chain, reference).header.number);
  if (filter.blockHash !== undefined) {
    const number = numberOf({ hash: filter.blockHash });
    return { first: number, last: number };
  }
  const to = filter.toBlock ?? LATEST;
  // A range that reaches beyond the head is cut there, as Ethereum's clients do for callers that poll.
  const isAhead = "number" in to && to.number > chain.head.header.number;
  const last = numberOf(isAhead ? LATEST : to);
  const from = filter.fromBlock ?? LATEST;
  const first = "number" in from ? Number(from.number) : numberOf(from);
  if (first > last && !isAhead) throw invalidParams("fromBlock is after toBlock");
  if (last - first >= MAX_LOG_BLOCKS) {
    throw new RpcError(REFUSED, `query exceeds max block range ${MAX_LOG_BLOCKS}`, { code: "LOG_RANGE_TOO_LONG" });
  }
  return { first, last };
}

function collect(chain: ChainView, block: StoredHeader, filter: LogFilter, found: Found): void {
  const number = Number(block.header.number);
  const body = chain.body(number);
  let logIndex = 0;
  for (const [index, { logs }] of (chain.receipts(number) ?? []).entries()) {
    for (const log of logs) {
      if (matchesFilter(filter, log)) {
        checkRoom(found, log);
        found.logs.push(
          logJson(log, bytesToHex(keccak256(body?.transactions[index] as Uint8Array)), { block, index }, logIndex),
        );
      }
      logIndex++;
    }
  }
}

/** Before the log is added, so that what cannot be sent is not gathered either. */
function checkRoom(found: Found, { data }: Log): void {
  if (found.logs.length === MAX_LOGS) {
    throw new RpcError(REFUSED, `query returned more than ${MAX_LOGS} results`, { code: "LOGS_TOO_MANY" });
  }
  found.bytes += LOG_JSON_BYTES + 2 * data.length;
  if (found.bytes > MAX_ANSWER_BYTES) throw responseTooLarge();
}
