/** The filter of eth_getLogs: which blocks, and which logs of them. */
import { bytesToHex, type Hex, hexToBytes } from "../base/bytes.ts";
import { type Bloom, bloomBits, bloomMayContainAny } from "../vm/receipt/bloom.ts";
import type { Log } from "../vm/receipt/log.ts";
import type { Address } from "../vm/state/account.ts";
import { type BlockReference, blockReference } from "./block-reference.ts";
import { CHOICES_PER_FILTER, MAX_FILTER_CHOICES, MAX_TOPICS } from "./limits.ts";
import { address, hash, list, mapped, named, object, type Parameter } from "./parameters.ts";
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
    schema: { anyOf: [item.schema ?? {}, many.schema ?? {}] },
    read: (value, where) => (Array.isArray(value) ? many.read(value, where) : [item.read(value, where)]),
  };
}

/** null at a position means any topic; so does an empty list, and null in it. */
const topicChoices: Parameter<readonly Hex[] | undefined> = {
  wanted: "a topic, a list of topics, or null",
  schema: { anyOf: [{ type: "null" }, choices(hash).schema ?? {}] },
  read: (value, where) => {
    if (value === null || (Array.isArray(value) && value.includes(null))) return undefined;
    const topics = choices(hash).read(value, where).map(bytesToHex);
    return topics.length === 0 ? undefined : topics;
  },
};

export const logFilter: Parameter<LogFilter> = mapped(
  named(
    "filter",
    object("a filter: an object with fromBlock, toBlock, address, topics...", {
      blockHash: hash,
      fromBlock: blockReference,
      toBlock: blockReference,
      address: choices(address),
      topics: list(topicChoices, MAX_TOPICS),
    }),
  ),
  ({ blockHash, fromBlock, toBlock, address: addresses, topics }, where) => {
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw invalidParams(`${where}: cannot specify both blockHash and fromBlock/toBlock, choose one or the other`);
    }
    return {
      ...{ blockHash, fromBlock, toBlock },
      addresses: addresses?.length === 0 ? undefined : addresses,
      topics: topics ?? [],
    };
  },
);

/** As how many filters it counts, where many are kept: by what it holds. */
export function filterWeight({ addresses = [], topics }: LogFilter): number {
  const choices = topics.reduce((sum, group = []) => sum + group.length, addresses.length);
  return Math.max(1, Math.ceil(choices / CHOICES_PER_FILTER));
}

/** A filter made ready for many blocks and logs: looking takes the same time however many choices it has, or nearly. */
export class LogMatcher {
  readonly #addresses: ReadonlySet<Address> | undefined;
  readonly #topics: readonly (ReadonlySet<Hex> | undefined)[];
  /** Of the addresses, and of the topics at each place. */
  readonly #bits: readonly Uint16Array[];
  /** Of these, what an index of addresses and first topics does not know. */
  readonly #furtherBits: readonly Uint16Array[];

  constructor({ addresses, topics }: LogFilter) {
    this.#addresses = addresses && new Set(addresses);
    this.#topics = topics.map((group) => group && new Set(group));
    const bitsOf = (groups: readonly (readonly Hex[] | undefined)[]): readonly Uint16Array[] =>
      groups.filter((group) => group !== undefined).map((group) => bloomBits(group.map(hexToBytes)));
    this.#furtherBits = bitsOf(topics.slice(1));
    this.#bits = [...bitsOf([addresses, topics[0]]), ...this.#furtherBits];
  }

  /** By the block's filter. False: surely no log of the block matches. */
  mayMatch(bloom: Bloom): boolean {
    return this.#bits.every((bits) => bloomMayContainAny(bloom, bits));
  }

  /** The same for a block that has the address and the first topic, by its filter that begins at `start`. */
  mayMatchFurther(blooms: Uint8Array, start: number): boolean {
    for (const bits of this.#furtherBits) if (!bloomMayContainAny(blooms, bits, start)) return false;
    return true;
  }

  matches(log: Log): boolean {
    if (this.#addresses?.has(log.address) === false || this.#topics.length > log.topics.length) return false;
    return this.#topics.every((group, index) => group === undefined || group.has(log.topics[index] as Hex));
  }
}
