/**
 * Which blocks have logs of an address, or with a first topic, or any at all: one bit per block, in sections. Found by key
 * alone, so that it is read synchronously, and a question about 10,000 blocks reads ten small records per address. What it
 * cannot tell, such as further topics, the blocks' own filters can, which are kept together too.
 *
 *   index   kind 1 | first 8 bytes of the address's or topic's keccak-256 | section 4   ->   128 bytes, one bit per block
 *   blooms  group of 16 blocks 6   ->   their filters up to the last that has logs, 256 bytes each
 *
 * Two names that share eight bytes only cost a look at a block that has nothing. The index goes from some block to the
 * head without a gap: it begins where the program that writes it first ran, or where a snapshot did. Blocks before that
 * are looked at one by one.
 */
import { EMPTY_BYTES, type Hex, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeRlp, encodeRlp, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Work } from "../../base/work.ts";
import { BLOOM_BYTES, type Bloom } from "../../vm/receipt/bloom.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import type { Address } from "../../vm/state/account.ts";
import { BUCKETS, metaKey, numberKey, STORED_NUMBER_BYTES } from "./buckets.ts";
import type { Database, DatabaseBatch } from "./database.ts";
import { damaged } from "./errors.ts";

/** Blocks of a section: a record is rewritten for each block that it has a bit for, so it is small. */
const SECTION_BLOCKS = 1024;
const SECTION_BYTES = SECTION_BLOCKS / 8;
const NAME_BYTES = 8;
/** Blocks of a group: its record, too, is rewritten for each block. */
const GROUP_BLOCKS = 16;
/** In memory: 4 MiB at most, of 16,384 blocks. */
const KEPT_GROUPS = 1_024;

const ANY = 0;
const ADDRESS = 1;
const TOPIC = 2;

/** Kind and name. */
type Subject = Uint8Array;

export interface LogQuery {
  readonly first: number;
  readonly last: number;
  /** Any of them; `undefined`: all. */
  readonly addresses: readonly Address[] | undefined;
  /** Any of them, as the first topic; `undefined`: all. */
  readonly topics: readonly Hex[] | undefined;
  /** Passes over blocks whose filters say that nothing else of what is asked for is there. */
  readonly mayMatch?: MayMatch | undefined;
}

/** Looks at the filter that begins there. */
export type MayMatch = (blooms: Uint8Array, start: number) => boolean;

interface Extent {
  readonly first: number;
  readonly last: number;
  /** The first block whose filter is kept, or the one after the last: an older program kept none. */
  readonly blooms: number;
}

const ANYTHING: Subject = new Uint8Array(1 + NAME_BYTES).fill(ANY);

function subject(kind: number, name: Hex): Subject {
  const bytes = new Uint8Array(1 + NAME_BYTES);
  bytes[0] = kind;
  bytes.set(keccak256(hexToBytes(name)).subarray(0, NAME_BYTES), 1);
  return bytes;
}

/**
 * Adds a block to the index, in steps: a block may have as many topics as it has gas for. Commits come one after the
 * other, so what is read here is what was written last.
 */
export function* puttingLogIndex(
  database: Database,
  batch: DatabaseBatch,
  number: number,
  receipts: readonly Receipt[],
  bloom: Bloom,
): Work<void> {
  const extent = readExtent(database);
  // A program that knew no index may have written blocks in between: then it begins anew.
  const { first, blooms } = extent?.last === number - 1 ? extent : { first: number, blooms: number };
  batch.put(metaKey("logIndex"), encodeRlp([first, number, blooms].map((value) => rlpOfInteger(BigInt(value)))));
  for (const name of subjectsOf(receipts)) {
    const key = sectionKey(name, Math.floor(number / SECTION_BLOCKS));
    const section = readSection(database, key)?.slice() ?? new Uint8Array(SECTION_BYTES);
    const bit = number % SECTION_BLOCKS;
    section[bit >> 3] = (section[bit >> 3] as number) | (1 << (bit & 7));
    batch.put(key, section);
    yield;
  }
  if (receipts.some(({ logs }) => logs.length > 0)) putBloom(database, batch, number, bloom);
}

function putBloom(database: Database, batch: DatabaseBatch, number: number, bloom: Bloom): void {
  const key = groupKey(number);
  const before = readGroup(database, key);
  const start = (number % GROUP_BLOCKS) * BLOOM_BYTES;
  const group = new Uint8Array(Math.max(before.length, start + BLOOM_BYTES));
  group.set(before);
  group.set(bloom, start);
  batch.put(key, group);
}

function* subjectsOf(receipts: readonly Receipt[]): Iterable<Subject> {
  const addresses = new Set<Address>();
  const topics = new Set<Hex>();
  for (const { logs } of receipts) {
    for (const { address, topics: own } of logs) {
      addresses.add(address);
      if (own[0] !== undefined) topics.add(own[0]);
    }
  }
  if (addresses.size > 0) yield ANYTHING;
  for (const address of addresses) yield subject(ADDRESS, address);
  for (const topic of topics) yield subject(TOPIC, topic);
}

/**
 * Ascending, found as they are asked for; `undefined` now and then where nothing was found in a while. A block that is not
 * among them has no such log.
 */
export function* logBlocks(
  database: Database,
  { first, last, addresses, topics, mayMatch }: LogQuery,
  groups: BloomGroups = new BloomGroups(),
): Generator<number | undefined, void, undefined> {
  const extent = readExtent(database);
  const begin = extent?.first ?? last + 1;
  for (let number = first; number <= Math.min(last, begin - 1); number++) yield number;
  const wanted = [
    addresses?.map((address) => subject(ADDRESS, address)),
    topics?.map((topic) => subject(TOPIC, topic)),
  ].filter((subjects) => subjects !== undefined);
  const asked = wanted.length === 0 ? [[ANYTHING]] : wanted;
  const [kept, indexed] = [extent?.blooms ?? 0, extent?.last ?? 0];
  const isMatch = (number: number): boolean =>
    mayMatch === undefined || number < kept || groups.mayMatch(database, number, indexed, mayMatch);
  for (let number = Math.max(first, begin); number <= last; ) {
    const section = Math.floor(number / SECTION_BLOCKS);
    const end = Math.min(last + 1, (section + 1) * SECTION_BLOCKS);
    const bits = sectionBits(database, asked, section);
    for (; number < end; number++) {
      if (bits !== undefined && hasBit(bits, number) && isMatch(number)) yield number;
    }
    yield undefined;
  }
}

/** Groups of filters that were read lately: a wide range takes hundreds, and whoever asks for one asks again. */
export class BloomGroups {
  readonly #groups = new Map<number, Uint8Array>();
  #number = -1;
  #group = EMPTY_BYTES;

  /** `indexed`: the last block that has a filter. A group that it ends, or that is before it, never changes any more. */
  mayMatch(database: Database, number: number, indexed: number, isMatch: MayMatch): boolean {
    const group = Math.floor(number / GROUP_BLOCKS);
    if (group !== this.#number) {
      this.#group = this.#read(database, group, indexed);
      this.#number = (group + 1) * GROUP_BLOCKS <= indexed + 1 ? group : -1;
    }
    return isMatch(this.#group, (number % GROUP_BLOCKS) * BLOOM_BYTES);
  }

  #read(database: Database, group: number, indexed: number): Uint8Array {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const read = readGroup(database, groupKey(group * GROUP_BLOCKS));
    if ((group + 1) * GROUP_BLOCKS > indexed + 1) return read;
    if (this.#groups.size >= KEPT_GROUPS) {
      const [oldest = 0] = this.#groups.keys();
      this.#groups.delete(oldest);
    }
    this.#groups.set(group, read);
    return read;
  }
}

/** Blocks of the section that have something of every group; `undefined`: none. */
function sectionBits(
  database: Database,
  groups: readonly (readonly Subject[])[],
  section: number,
): Uint8Array | undefined {
  let bits: Uint8Array | undefined;
  for (const group of groups) {
    const found = unionOf(database, group, section);
    if (found === undefined) return undefined;
    bits = bits === undefined ? found : bits.map((byte, i) => byte & (found[i] as number));
  }
  return bits;
}

function unionOf(database: Database, group: readonly Subject[], section: number): Uint8Array | undefined {
  let union: Uint8Array | undefined;
  for (const name of group) {
    const found = readSection(database, sectionKey(name, section));
    if (found !== undefined) union = union === undefined ? found : union.map((byte, i) => byte | (found[i] as number));
  }
  return union;
}

function hasBit(bits: Uint8Array, number: number): boolean {
  const bit = number % SECTION_BLOCKS;
  return ((bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
}

function readSection(database: Database, key: Uint8Array): Uint8Array | undefined {
  const section = database.get(key);
  if (section !== undefined && section.length !== SECTION_BYTES)
    throw damaged("a section of the log index is malformed");
  return section;
}

function sectionKey(name: Subject, section: number): Uint8Array {
  const key = new Uint8Array(1 + name.length + 4);
  key[0] = BUCKETS.logIndex;
  key.set(name, 1);
  new DataView(key.buffer).setUint32(1 + name.length, section);
  return key;
}

function groupKey(number: number): Uint8Array {
  return numberKey(BUCKETS.blooms, Math.floor(number / GROUP_BLOCKS));
}

function readGroup(database: Database, key: Uint8Array): Uint8Array {
  const group = database.get(key) ?? EMPTY_BYTES;
  if (group.length % BLOOM_BYTES !== 0 || group.length > GROUP_BLOCKS * BLOOM_BYTES)
    throw damaged("a group of the log index is malformed");
  return group;
}

function readExtent(database: Database): Extent | undefined {
  const bytes = database.get(metaKey("logIndex"));
  if (bytes === undefined) return undefined;
  const [first, last, blooms] = rlpList(decodeRlp(bytes)).map((item) => Number(rlpInteger(item, STORED_NUMBER_BYTES)));
  if (first === undefined || last === undefined) throw damaged("the extent of the log index is malformed");
  return { first, last, blooms: blooms ?? last + 1 };
}
