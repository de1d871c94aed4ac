import type { Hex } from "../../base/bytes.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { MayMatch } from "../../chain/store/log-index.ts";
import type { Log } from "../../vm/receipt/log.ts";
import { type BlockReference, LATEST, prunedError, requireBlock } from "../block-reference.ts";
import type { ChainReads } from "../chain-view.ts";
import { JsonText } from "../envelope.ts";
import { receiptHash } from "../find-transaction.ts";
import { logText } from "../format.ts";
import { LOG_JSON_BYTES, type RpcLimits } from "../limits.ts";
import { type LogFilter, LogMatcher, logFilter } from "../log-filter.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { responseTooLarge } from "../request-budget.ts";
import { ref } from "../result-schemas.ts";
import { invalidParams, REFUSED, RpcError } from "../rpc-error.ts";
import { listOf } from "../schema.ts";

interface Found {
  /** So many. */
  logs: number;
  /** As JSON: put together only when it is sent, since each copy of a long text is new memory (a tenth of a query). */
  text: string;
  /** About what they take together. */
  bytes: number;
}

export const ethGetLogs: RpcMethod = defineMethod({
  name: "eth_getLogs",
  summary: "The logs of a range of blocks, or of one, by address and topics.",
  result: listOf(ref("Log")),
  parameters: [logFilter],
  run: async ({ chain, turn, limits }, filter) => {
    const { first, last } = rangeOf(chain, filter, limits);
    const found: Found = { logs: 0, text: "", bytes: 0 };
    const matcher = new LogMatcher(filter);
    // The index knows addresses and first topics; the bloom filters know the others too.
    const mayMatch: MayMatch | undefined =
      filter.topics.length > 1 ? (blooms, start) => matcher.mayMatchFurther(blooms, start) : undefined;
    const query = { first, last, addresses: filter.addresses, topics: filter.topics[0], mayMatch };
    for (const number of chain.logBlocks(query)) {
      const granted = turn();
      if (granted !== undefined) await granted;
      if (number === undefined) continue;
      const block = chain.header(number);
      if (block === undefined || !matcher.mayMatch(block.header.logsBloom)) continue;
      collect(chain, block, matcher, found, limits);
    }
    return new JsonText(`[${found.text}]`);
  },
});

function rangeOf(
  chain: ChainReads,
  filter: LogFilter,
  { logBlocks }: RpcLimits,
): { readonly first: number; readonly last: number } {
  const numberOf = (reference: BlockReference): number => Number(requireBlock(chain, reference).header.number);
  if (filter.blockHash !== undefined) {
    const number = numberOf({ hash: filter.blockHash });
    return kept(chain, { first: number, last: number });
  }
  const { fromBlock: from = LATEST, toBlock: to = LATEST } = filter;
  // Only where both are numbers: whoever polls from the block after the last is told that there is nothing yet.
  if ("number" in from && "number" in to && from.number > to.number) {
    throw invalidParams("invalid block range params: fromBlock is after toBlock");
  }
  // A range that reaches beyond the head is cut there, as Ethereum's clients do for callers that poll.
  const isAhead = "number" in to && to.number > chain.head.header.number;
  const last = numberOf(isAhead ? LATEST : to);
  const first = "number" in from ? Number(from.number) : numberOf(from);
  if (last - first >= logBlocks) {
    throw new RpcError(REFUSED, `query exceeds max block range ${logBlocks}`, { code: "LOG_RANGE_TOO_LONG" });
  }
  return kept(chain, { first, last });
}

/** Blocks before a snapshot have no receipts here: to say that they have no logs would be wrong. */
function kept<Range extends { readonly first: number }>(chain: ChainReads, range: Range): Range {
  if (chain.base > 0 && range.first <= chain.base) throw prunedError(chain.base);
  return range;
}

function collect(chain: ChainReads, block: StoredHeader, matcher: LogMatcher, found: Found, limits: RpcLimits): void {
  const number = Number(block.header.number);
  const body = chain.body(number);
  let logIndex = 0;
  for (const [index, { logs }] of (chain.receipts(number) ?? []).entries()) {
    let hash: Hex | undefined;
    for (const log of logs) {
      if (matcher.matches(log)) {
        checkRoom(found, log, limits);
        hash ??= receiptHash(body?.transactions[index], block);
        found.text += (found.logs === 0 ? "" : ",") + logText(log, hash, { block, index }, logIndex);
        found.logs++;
      }
      logIndex++;
    }
  }
}

/** Before the log is added, so that what cannot be sent is not gathered either. */
function checkRoom(found: Found, { data }: Log, limits: RpcLimits): void {
  if (found.logs === limits.logs) {
    throw new RpcError(REFUSED, `query returned more than ${limits.logs} results`, { code: "LOGS_TOO_MANY" });
  }
  found.bytes += LOG_JSON_BYTES + 2 * data.length;
  if (found.bytes > limits.answerBytes) throw responseTooLarge(limits.answerBytes);
}
