import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { ChainReads } from "../chain-view.ts";
import type { Filter } from "../filters/filters.ts";
import { runGetLogs } from "../filters/get-logs.ts";
import { defineMethod, type RpcContext, type RpcMethod } from "../method.ts";
import { ref } from "../result-schemas.ts";
import { RpcError } from "../rpc-error.ts";
import { HASH, listOf } from "../schema.ts";
import { filterId } from "../subscriptions/parameters.ts";

/** What was not read in time is left out: a filter that nobody polled for so long tells what it can at once. */
export const ethGetFilterChanges: RpcMethod = defineMethod({
  name: "eth_getFilterChanges",
  summary: "What is new since a filter was made or polled last.",
  result: { anyOf: [listOf(HASH), listOf(ref("Log"))] },
  parameters: [filterId],
  run: (context, id) => {
    const filter = context.filters.use(id);
    if (filter.kind === "logs") return newLogs(context, filter);
    if (filter.kind === "pending") return context.filters.takePending(filter);
    const { first, last } = rangeOf(context, filter.next);
    filter.next = last + 1;
    return blockHashes(context.chain, first, last);
  },
});

function rangeOf({ chain, limits }: RpcContext, next: number): { readonly first: number; readonly last: number } {
  const head = Number(chain.head.header.number);
  return { first: next, last: Math.min(head, next + limits.logBlocks - 1) };
}

function blockHashes(chain: ChainReads, first: number, last: number): readonly Hex[] {
  const hashes: Hex[] = [];
  for (let number = first; number <= last; number++) {
    const block = chain.header(number);
    if (block !== undefined) hashes.push(bytesToHex(block.hash));
  }
  return hashes;
}

type LogsFilter = Filter & { readonly kind: "logs" };

async function newLogs(context: RpcContext, filter: LogsFilter): Promise<unknown> {
  const { toBlock } = filter.filter;
  const until = toBlock !== undefined && "number" in toBlock ? Number(toBlock.number) : Number.POSITIVE_INFINITY;
  const range = rangeOf(context, filter.next);
  const last = Math.min(range.last, until);
  return range.first > last ? [] : await logsUpTo(context, filter, last);
}

/** Of as many blocks as can be told at once; the next poll goes on after them. One block alone may be too much. */
async function logsUpTo(context: RpcContext, filter: LogsFilter, last: number): Promise<unknown> {
  const first = filter.next;
  try {
    const found = await runGetLogs(context, {
      ...filter.filter,
      fromBlock: { number: BigInt(first) },
      toBlock: { number: BigInt(last) },
    });
    // Only now: what could not be told, as it was too much, is not lost.
    filter.next = last + 1;
    return found;
  } catch (error) {
    if (first === last || !isTooMuch(error)) throw error;
    return await logsUpTo(context, filter, Math.floor((first + last) / 2));
  }
}

function isTooMuch(error: unknown): boolean {
  const data: unknown = error instanceof RpcError ? error.body.data : undefined;
  const code = typeof data === "object" && data !== null && "code" in data ? data.code : undefined;
  return code === "LOGS_TOO_MANY" || code === "RESPONSE_TOO_LARGE";
}
