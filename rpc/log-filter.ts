/** The filter of eth_getLogs: which blocks, and which logs of them. */
import { bytesToHex, type Hex, hexToBytes } from "../base/bytes.ts";
import { type Bloom, bloomMayContain } from "../vm/receipt/bloom.ts";
import type { Log } from "../vm/receipt/log.ts";
import type { Address } from "../vm/state/account.ts";
import { type BlockReference, blockReference } from "./block-reference.ts";
import { MAX_FILTER_CHOICES, MAX_TOPICS } from "./limits.ts";
import { address, hash, list, member, members, type Parameter } from "./parameters.ts";
import { invalidParams } from "./rpc-error.ts";

export interface LogFilter {
  readonly blockHash: Uint8Array | undefined;
  readonly fromBlock: BlockReference | undefined;
  readonly toBlock: BlockReference | undefined;
  /** Any of them; `undefined`: all. */
  readonly addresses: readonly Address[] | undefined;
  /** By position: any of them; `undefined`: all. */
  readonly topics: readonly (readonly Hex[] | undefined)[];
}

/** One value, or a list of which any may match. */
function choices<Value>(item: Parameter<Value>): Parameter<readonly Value[]> {
  const many = list(item, MAX_FILTER_CHOICES);
  return {
    wanted: `${item.wanted}, or a list`,
    read: (value, where) => (Array.isArray(value) ? many.read(value, where) : [item.read(value, where)]),
  };
}

/** null at a position means any topic; so does an empty list. */
const topicChoices: Parameter<readonly Hex[] | undefined> = {
  wanted: "a topic, a list of topics, or null",
  read: (value, where) => {
    if (value === null) return undefined;
    const topics = choices(hash).read(value, where).map(bytesToHex);
    return topics.length === 0 ? undefined : topics;
  },
};

export const logFilter: Parameter<LogFilter> = {
  wanted: "a filter: an object with fromBlock, toBlock, address, topics...",
  read(value, where) {
    const holder = members(value, where);
    const blockHash = member(holder, "blockHash", hash, where);
    const fromBlock = member(holder, "fromBlock", blockReference, where);
    const toBlock = member(holder, "toBlock", blockReference, where);
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw invalidParams(`${where} has a blockHash and also fromBlock or toBlock`);
    }
    const addresses = member(holder, "address", choices(address), where);
    return {
      blockHash,
      fromBlock,
      toBlock,
      addresses: addresses?.length === 0 ? undefined : addresses,
      topics: member(holder, "topics", list(topicChoices, MAX_TOPICS), where) ?? [],
    };
  },
};

/** False: surely no log of the block matches. */
export function mayMatch(filter: LogFilter, bloom: Bloom): boolean {
  const wanted = [filter.addresses, ...filter.topics].filter((group) => group !== undefined);
  return wanted.every((group) => group.some((item) => bloomMayContain(bloom, hexToBytes(item))));
}

export function matchesFilter(filter: LogFilter, log: Log): boolean {
  if (filter.addresses !== undefined && !filter.addresses.includes(log.address)) return false;
  if (filter.topics.length > log.topics.length) return false;
  return filter.topics.every((group, index) => group === undefined || group.includes(log.topics[index] as Hex));
}
