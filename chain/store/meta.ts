/** The records about the database itself: schema, chain, head. RLP, so that each has one form. */
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { TreeHead } from "../../vm/tree/types.ts";
import { metaKey } from "./buckets.ts";
import type { Database, DatabaseBatch, DatabaseSnapshot } from "./database.ts";
import { damaged, storeError } from "./errors.ts";

/** Raised whenever a record changes its form. */
export const SCHEMA_VERSION = 1;

export interface ChainIdentity {
  readonly chainId: bigint;
  readonly genesisHash: Uint8Array;
}

export interface StoredChain extends ChainIdentity {
  readonly archive: boolean;
}

export interface StoredHead {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly tree: TreeHead;
}

/** Throws STORE_NEWER_SCHEMA. `undefined`: a database without any record. */
export function readSchema(database: Database): number | undefined {
  const bytes = database.get(metaKey("schema"));
  if (bytes === undefined) return undefined;
  const version = decoded("schema", () => Number(rlpInteger(decodeRlp(bytes), 4)));
  if (version > SCHEMA_VERSION) {
    throw storeError("STORE_NEWER_SCHEMA", `the database has schema ${version}, this program knows ${SCHEMA_VERSION}`, {
      found: version,
      known: SCHEMA_VERSION,
      hint: "Update ogpu.",
    });
  }
  return version;
}

export function readChain(database: Database): StoredChain | undefined {
  const bytes = database.get(metaKey("chain"));
  if (bytes === undefined) return undefined;
  return decoded("chain", () => {
    const [chainId, genesisHash, archive] = rlpList(decodeRlp(bytes), 3);
    return {
      chainId: rlpInteger(chainId as RlpItem, 8),
      genesisHash: rlpBytes(genesisHash as RlpItem, 32),
      archive: rlpInteger(archive as RlpItem, 1) === 1n,
    };
  });
}

/** The first records of a new database. */
export function putIdentity(batch: DatabaseBatch, { chainId, genesisHash, archive }: StoredChain): void {
  batch.put(metaKey("schema"), encodeRlp(rlpOfInteger(BigInt(SCHEMA_VERSION))));
  batch.put(metaKey("chain"), encodeRlp([rlpOfInteger(chainId), genesisHash, rlpOfInteger(archive ? 1n : 0n)]));
}

export function readHead(database: Database, snapshot?: DatabaseSnapshot): StoredHead | undefined {
  const bytes = database.get(metaKey("head"), snapshot);
  if (bytes === undefined) return undefined;
  return decoded("head", () => {
    const [number, hash, root, rootPage, nextPage] = rlpList(decodeRlp(bytes), 5);
    return {
      number: Number(rlpInteger(number as RlpItem, 6)),
      hash: rlpBytes(hash as RlpItem, 32),
      tree: {
        root: rlpBytes(root as RlpItem, 32),
        rootPage: Number(rlpInteger(rootPage as RlpItem, 6)),
        nextPage: Number(rlpInteger(nextPage as RlpItem, 6)),
      },
    };
  });
}

export function putHead(batch: DatabaseBatch, { number, hash, tree }: StoredHead): void {
  const integer = (value: number): Uint8Array => rlpOfInteger(BigInt(value));
  batch.put(
    metaKey("head"),
    encodeRlp([integer(number), hash, tree.root, integer(tree.rootPage), integer(tree.nextPage)]),
  );
}

/** The first block of the database: the imported one, or genesis. */
export function readBase(database: Database): number {
  const bytes = database.get(metaKey("base"));
  return bytes === undefined ? 0 : decoded("base", () => Number(rlpInteger(decodeRlp(bytes), 6)));
}

export function putBase(batch: DatabaseBatch, number: number): void {
  batch.put(metaKey("base"), encodeRlp(rlpOfInteger(BigInt(number))));
}

/** Throws STORE_WRONG_CHAIN. */
export function checkIdentity(found: StoredChain, wanted: ChainIdentity, directory: string): void {
  const foundHash = bytesToHex(found.genesisHash);
  const wantedHash = bytesToHex(wanted.genesisHash);
  if (found.chainId === wanted.chainId && foundHash === wantedHash) return;
  throw storeError(
    "STORE_WRONG_CHAIN",
    `${directory} holds chain ${found.chainId} with genesis ${foundHash}, not chain ${wanted.chainId} with genesis ${wantedHash}`,
    {
      found: found.chainId,
      foundGenesis: foundHash,
      wanted: wanted.chainId,
      wantedGenesis: wantedHash,
      hint: "Choose another folder with --data-dir, or give the chain spec that this one was made with.",
    },
  );
}

function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CodedError && error.code === "RLP_INVALID") throw damaged(`the ${what} record is malformed`);
    throw error;
  }
}
