/** The records of accounts and slots as one stream, in the order of the tree. */
import { compareBytes } from "../../base/bytes.ts";
import type { TreeKey } from "../../vm/tree/types.ts";
import { BUCKETS, type Bucket } from "./buckets.ts";
import type { Database, DatabaseEntry, DatabaseSnapshot } from "./database.ts";

/** The records of accounts and slots from a key on, in the order of the tree, in groups. */
export async function* leafRecords(
  database: Database,
  snapshot: DatabaseSnapshot,
  from?: TreeKey,
): AsyncGenerator<readonly DatabaseEntry[]> {
  const cursor = (bucket: Bucket): Cursor => new Cursor(database.entries(bucket, snapshot, from));
  const accounts = cursor(BUCKETS.accounts);
  const slots = cursor(BUCKETS.slots);
  try {
    await accounts.load();
    await slots.load();
    while (accounts.current !== undefined || slots.current !== undefined) {
      yield mergedGroup(accounts, slots);
      await accounts.load();
      await slots.load();
    }
  } finally {
    await accounts.close();
    await slots.close();
  }
}

/** A stream of records with the next one in hand. */
class Cursor {
  readonly #groups: AsyncGenerator<readonly DatabaseEntry[]>;
  #group: readonly DatabaseEntry[] = [];
  #position = 0;
  #isDone = false;

  constructor(groups: AsyncGenerator<readonly DatabaseEntry[]>) {
    this.#groups = groups;
  }

  /** Fetches the next group when this one is used up. */
  async load(): Promise<void> {
    if (this.current !== undefined || this.#isDone) return;
    const next = await this.#groups.next();
    this.#isDone = next.done === true;
    this.#group = next.done === true ? [] : next.value;
    this.#position = 0;
  }

  /** `undefined` when `load` is needed, or at the end. */
  get current(): DatabaseEntry | undefined {
    return this.#group[this.#position];
  }

  /** True when there is nothing in hand but more may come. */
  get mustLoad(): boolean {
    return this.current === undefined && !this.#isDone;
  }

  step(): void {
    this.#position++;
  }

  async close(): Promise<void> {
    await this.#groups.return(undefined);
  }
}

/** Merges until one of the two has to be loaded. */
function mergedGroup(accounts: Cursor, slots: Cursor): readonly DatabaseEntry[] {
  const leaves: DatabaseEntry[] = [];
  while (!accounts.mustLoad && !slots.mustLoad) {
    const account = accounts.current;
    const slot = slots.current;
    if (account !== undefined && (slot === undefined || compareBytes(account.key, slot.key) < 0)) {
      leaves.push(account);
      accounts.step();
    } else if (slot !== undefined) {
      leaves.push(slot);
      slots.step();
    } else break;
  }
  return leaves;
}
