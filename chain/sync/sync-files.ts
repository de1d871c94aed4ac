/**
 * What a node that catches up has fetched so far, as files in a folder, so that a killed process goes on where it was.
 *
 *   target          [[header, certificate, bytes], [[header, certificate, validators]...]]      RLP
 *   headers         [header...], the newest first
 *   <key>.chunk     [first key, end key, leaves]; named by the first key
 *   <hash>.code     [code...]; named by the hash of the first
 *
 * Each begins with the CRC-32 of the rest, is written under another name and renamed when it is whole. Chunks were
 * verified before they were written and are not verified again: the checksum finds what a power failure or a bad disk
 * did to them, and the import builds the whole tree and compares its root with the certified one in any case. Seals and
 * certificate are verified again, because time has passed; headers and code by their hashes, which costs nothing.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { bytesToHex, compareBytes, type Hex } from "../../base/bytes.ts";
import { isCoded, systemCodeOf } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { ACCOUNT_KEY_BYTES, isTreeKey } from "../../vm/tree/keys.ts";
import { type BlockHeader, decodeHeader } from "../blocks/header.ts";
import { validatorsItem, validatorsOfItem } from "../blocks/validators-codec.ts";
import { decodeAccount } from "../store/account-record.ts";
import type { ImportItem } from "../store/import-state.ts";
import { invalid } from "./errors.ts";
import type { FetchedChunk, ResumedChunk, ResumedSync, TargetRecord } from "./events.ts";
import { decodeLeaves, type LeafRecord } from "./leaf-codec.ts";
import type { SealProof } from "./messages.ts";
import { codeHashesOf } from "./verify-chunk.ts";

const CRC_BYTES = 4;
const TEMPORARY = ".new";

export class SyncFiles {
  readonly #directory: string;

  /** A folder of its own; it need not exist. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Starts over for another snapshot. */
  async begin(target: TargetRecord): Promise<void> {
    await this.remove();
    await mkdir(this.#directory, { recursive: true });
    await this.#write("target", encodeTarget(target));
  }

  async writeHeaders(headers: readonly Uint8Array[]): Promise<void> {
    await this.#write("headers", headers);
  }

  async writeChunk({ first, end, leaves }: FetchedChunk): Promise<void> {
    await this.#write(`${bytesToHex(first).slice(2)}.chunk`, [first, end, leaves]);
  }

  async writeCode(codes: readonly Uint8Array[]): Promise<void> {
    const [first = new Uint8Array(0)] = codes;
    await this.#write(`${bytesToHex(keccak256(first)).slice(2)}.code`, codes);
  }

  /** What is there and whole; anything else is deleted. `undefined` when there is no target. */
  async load(): Promise<ResumedSync | undefined> {
    for (const name of await this.#names(TEMPORARY)) await rm(join(this.#directory, name));
    const target = await this.#read("target", decodeTarget);
    if (target === undefined) {
      await this.remove();
      return undefined;
    }
    const headers = await this.#read("headers", (item) => rlpList(item).map((header) => rlpBytes(header)));
    const codes: Hex[] = [];
    for (const name of await this.#names(".code")) {
      codes.push(...((await this.#read(name, decodeCodes)) ?? []).map((code) => bytesToHex(keccak256(code))));
    }
    return { target, headers, chunks: await this.#chunks(), codes };
  }

  /** Everything in the order of an import: first the code, then the leaves. */
  async *items(): AsyncGenerator<readonly ImportItem[]> {
    for (const name of await this.#names(".code")) {
      const codes = (await this.#read(name, decodeCodes)) ?? [];
      yield codes.map((code) => ({ kind: "code", code }));
    }
    for (const name of await this.#names(".chunk")) {
      const chunk = await this.#read(name, decodeChunk);
      if (chunk !== undefined) yield decodeLeaves(chunk.leaves).map(leafOf);
    }
  }

  /** The newest first. */
  async headers(): Promise<readonly BlockHeader[]> {
    const headers = await this.#read("headers", (item) =>
      rlpList(item).map((header) => decodeHeader(rlpBytes(header))),
    );
    return headers ?? [];
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #chunks(): Promise<ResumedChunk[]> {
    const chunks: ResumedChunk[] = [];
    for (const name of await this.#names(".chunk")) {
      const chunk = await this.#read(name, decodeChunk);
      if (chunk === undefined) continue;
      const before = chunks.at(-1);
      // Never written so; but what overlaps would end the import.
      if (before !== undefined && compareBytes(before.end, chunk.first) >= 0) await rm(join(this.#directory, name));
      else chunks.push(resumedChunk(chunk));
    }
    return chunks;
  }

  /** Sorted: by their first key, in the case of chunks. */
  async #names(ending: string): Promise<readonly string[]> {
    try {
      return (await readdir(this.#directory)).filter((name) => name.endsWith(ending)).sort();
    } catch (error) {
      if (systemCodeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  async #write(name: string, item: RlpItem): Promise<void> {
    const body = encodeRlp(item);
    const sum = new Uint8Array(CRC_BYTES);
    new DataView(sum.buffer).setUint32(0, crc32(body));
    const path = join(this.#directory, name);
    await writeFile(path + TEMPORARY, [sum, body]);
    await rename(path + TEMPORARY, path);
  }

  /** `undefined` when it is not there; also when it is damaged, and then it is deleted. */
  async #read<T>(name: string, decode: (item: RlpItem) => T): Promise<T | undefined> {
    const path = join(this.#directory, name);
    const bytes = await fileAt(path);
    if (bytes === undefined) return undefined;
    try {
      const body = bytes.subarray(CRC_BYTES);
      const isWhole = bytes.length > CRC_BYTES && bytes.readUInt32BE(0) === crc32(body);
      if (isWhole) return decode(decodeRlp(body));
    } catch (error) {
      if (!isCoded(error)) throw error;
    }
    await rm(path);
    return undefined;
  }
}

async function fileAt(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function encodeTarget({ offer, seals }: TargetRecord): RlpItem {
  return [
    [offer.header, offer.certificate, rlpOfInteger(BigInt(offer.bytes))],
    seals.map(({ header, certificate, nextValidators }) => [header, certificate, validatorsItem(nextValidators)]),
  ];
}

function decodeTarget(item: RlpItem): TargetRecord {
  const [offer, seals] = rlpList(item, 2);
  const [header, certificate, bytes] = rlpList(offer as RlpItem, 3);
  return {
    offer: {
      header: rlpBytes(header as RlpItem),
      certificate: rlpBytes(certificate as RlpItem),
      bytes: Number(rlpInteger(bytes as RlpItem, 6)),
    },
    seals: rlpList(seals as RlpItem).map(decodeSeal),
  };
}

function decodeSeal(item: RlpItem): SealProof {
  const [header, certificate, validators] = rlpList(item, 3);
  return {
    header: rlpBytes(header as RlpItem),
    certificate: rlpBytes(certificate as RlpItem),
    nextValidators: validatorsOfItem(validators as RlpItem) ?? [],
  };
}

function decodeCodes(item: RlpItem): Uint8Array[] {
  return rlpList(item).map((code) => rlpBytes(code));
}

function decodeChunk(item: RlpItem): FetchedChunk {
  const [first, end, leaves] = rlpList(item, 3);
  const chunk = {
    first: rlpBytes(first as RlpItem),
    end: rlpBytes(end as RlpItem),
    leaves: rlpBytes(leaves as RlpItem),
  };
  if (!isTreeKey(chunk.first) || !isTreeKey(chunk.end)) throw invalid("a chunk has no such keys");
  return chunk;
}

function resumedChunk({ first, end, leaves }: FetchedChunk): ResumedChunk {
  const records = decodeLeaves(leaves);
  return { first, end, leaves: records.length, bytes: leaves.length, codeHashes: codeHashesOf(records) };
}

function leafOf({ key, value }: LeafRecord): ImportItem {
  if (key.length !== ACCOUNT_KEY_BYTES) return { kind: "slot", key, value };
  return { kind: "account", key, account: decodeAccount(value) };
}
