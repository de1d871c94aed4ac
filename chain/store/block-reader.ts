/** The finalised blocks of a database, for whoever knows which is the last. They never change, so no snapshot is needed. */
import type { Receipt } from "../../vm/receipt/receipt.ts";
import {
  readBlockNumber,
  readBody,
  readCertificate,
  readEncodedBlock,
  readHeader,
  readLocation,
  readReceipts,
  readSeal,
  type StoredBody,
  type StoredHeader,
  type StoredSeal,
  type TransactionLocation,
} from "./block-records.ts";
import type { Database } from "./database.ts";
import { BloomGroups, type LogQuery, logBlocks } from "./log-index.ts";

export abstract class BlockReader {
  /** For the other files of this folder. */
  readonly database: Database;
  readonly #blooms = new BloomGroups();

  constructor(database: Database) {
    this.database = database;
  }

  /** The last final block, if there is any. */
  abstract get head(): { readonly number: number } | undefined;

  header(number: number): StoredHeader | undefined {
    return this.isFinal(number) ? readHeader(this.database, number) : undefined;
  }

  /** The number of the final block with that hash. */
  numberOf(hash: Uint8Array): number | undefined {
    const number = readBlockNumber(this.database, hash);
    return number !== undefined && this.isFinal(number) ? number : undefined;
  }

  body(number: number): StoredBody | undefined {
    return this.isFinal(number) ? readBody(this.database, number) : undefined;
  }

  /** The block as nodes send it. `undefined` also for a block whose state was imported: its body is not here. */
  encodedBlock(number: number): Uint8Array | undefined {
    return this.isFinal(number) ? readEncodedBlock(this.database, number) : undefined;
  }

  /** The block that ended an epoch, and the validators of the next one. */
  seal(epoch: number): StoredSeal | undefined {
    const seal = readSeal(this.database, epoch);
    return seal !== undefined && this.isFinal(seal.number) ? seal : undefined;
  }

  receipts(number: number): readonly Receipt[] | undefined {
    return this.isFinal(number) ? readReceipts(this.database, number) : undefined;
  }

  certificate(number: number): Uint8Array | undefined {
    return this.isFinal(number) ? readCertificate(this.database, number) : undefined;
  }

  /** Where a final block has the transaction. */
  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    const location = readLocation(this.database, transactionHash);
    return location !== undefined && this.isFinal(location.number) ? location : undefined;
  }

  /** Numbers of the blocks that may have logs like these, ascending, and `undefined` now and then: log-index.ts. */
  logBlocks(query: LogQuery): Iterable<number | undefined> {
    return logBlocks(this.database, { ...query, last: Math.min(query.last, this.head?.number ?? -1) }, this.#blooms);
  }

  protected isFinal(number: number): boolean {
    const { head } = this;
    return head !== undefined && number >= 0 && number <= head.number;
  }
}
