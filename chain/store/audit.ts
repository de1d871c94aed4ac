/**
 * Checks a database against itself, from the ground up: every account, slot, piece of code and page of the tree.
 *
 * - genesis + minted - burned is the sum of all balances;
 * - the tree built anew from the records has the root that the last header names;
 * - the stored pages are that tree: each page hashes to what its parent says (the store checks that whenever it reads
 *   one), and they hold as many leaves;
 * - code is what its hash says, and every account's code is there.
 */
import { bytesToHex, equalBytes, type Hex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { readSupply, type Supply } from "../../vm/modules/token/token.ts";
import { EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { TreeBuilder } from "../../vm/tree/bulk.ts";
import { entryChild } from "../../vm/tree/page.ts";
import { BUCKETS } from "./buckets.ts";
import type { ChainStore } from "./chain-store.ts";
import { storeError } from "./errors.ts";
import { addLeaves, type StateLeaf, stateLeaves } from "./state-leaves.ts";

export interface AuditProblem {
  readonly code:
    | "AUDIT_SUPPLY_MISMATCH"
    | "AUDIT_ROOT_MISMATCH"
    | "AUDIT_LEAF_COUNT_MISMATCH"
    | "AUDIT_CODE_MISMATCH"
    | "AUDIT_CODE_MISSING";
  readonly message: string;
}

export interface AuditReport {
  readonly number: number;
  readonly hash: Hex;
  readonly stateRoot: Hex;
  readonly accounts: number;
  readonly slots: number;
  readonly codes: number;
  readonly pages: number;
  /** Of all accounts, in wei. */
  readonly balances: bigint;
  readonly supply: Supply;
  /** Empty when all is well. */
  readonly problems: readonly AuditProblem[];
}

export type AuditProgress = (step: "code" | "state" | "tree", done: number) => void;

/** Throws STORE_DAMAGED when records cannot even be read, STORE_NO_SUCH_BLOCK when the chain is empty. */
export async function auditStore(store: ChainStore, onProgress: AuditProgress = () => {}): Promise<AuditReport> {
  const { head } = store;
  if (head === undefined)
    throw storeError("STORE_NO_SUCH_BLOCK", "the database has no block yet: there is nothing to audit");
  const audit = new Audit(store, onProgress);
  await audit.readCode();
  await audit.readState();
  audit.walkTree(store.state());
  return {
    number: head.number,
    hash: bytesToHex(head.hash),
    stateRoot: bytesToHex(head.header.stateRoot),
    ...audit.results(),
  };
}

class Audit {
  readonly #store: ChainStore;
  readonly #onProgress: AuditProgress;
  readonly #problems: AuditProblem[] = [];
  readonly #codes = new Set<Hex>();
  #accounts = 0;
  #slots = 0;
  #pages = 0;
  #balances = 0n;

  constructor(store: ChainStore, onProgress: AuditProgress) {
    this.#store = store;
    this.#onProgress = onProgress;
  }

  async readCode(): Promise<void> {
    for await (const group of this.#store.database.entries(BUCKETS.code)) {
      for (const { key, value } of group) {
        const hash = bytesToHex(key);
        this.#codes.add(hash);
        if (!equalBytes(keccak256(value), key))
          this.#problem("AUDIT_CODE_MISMATCH", `the code stored as ${hash} is another`);
      }
      this.#onProgress("code", this.#codes.size);
    }
  }

  async readState(): Promise<void> {
    const builder = new TreeBuilder(() => {});
    for await (const leaves of stateLeaves(this.#store)) {
      for (const leaf of leaves) this.#count(leaf);
      addLeaves(builder, leaves);
      this.#onProgress("state", this.#accounts + this.#slots);
    }
    this.#checkRoot(builder.finish().root);
    this.#checkSupply();
  }

  #count(leaf: StateLeaf): void {
    if (leaf.kind === "slot") {
      this.#slots++;
      return;
    }
    this.#accounts++;
    const { balance, codeHash } = leaf.account;
    this.#balances += balance;
    if (codeHash !== EMPTY_CODE_HASH && !this.#codes.has(codeHash)) {
      this.#problem("AUDIT_CODE_MISSING", `the code ${codeHash} of account ${bytesToHex(leaf.key)} is missing`);
    }
  }

  #checkRoot(root: Uint8Array): void {
    const claimed = this.#store.head?.header.stateRoot ?? new Uint8Array(0);
    if (equalBytes(root, claimed)) return;
    const message = `the records have the root ${bytesToHex(root)}, the header says ${bytesToHex(claimed)}`;
    this.#problem("AUDIT_ROOT_MISMATCH", message);
  }

  #checkSupply(): void {
    const { genesis, minted, burned } = readSupply(this.#store.state().reader);
    const expected = genesis + minted - burned;
    if (expected === this.#balances) return;
    const message = `genesis ${genesis} + minted ${minted} - burned ${burned} is ${expected}, the balances sum to ${this.#balances}`;
    this.#problem("AUDIT_SUPPLY_MISMATCH", message);
  }

  /** Reads every page, which checks it against its parent, and counts the leaves. */
  walkTree({ head, pages }: StateVersion): void {
    const pending = head.rootPage === 0 ? [] : [head.rootPage];
    let leaves = 0;
    // The stack holds at most one page's children per level.
    for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
      const page = pages.page(number);
      if (page.level === 0) leaves += page.count;
      else for (let i = 0; i < page.count; i++) pending.push(entryChild(page, i));
      if (++this.#pages % PROGRESS_PAGES === 0) this.#onProgress("tree", this.#pages);
    }
    if (leaves !== this.#accounts + this.#slots) {
      const message = `the tree has ${leaves} leaves, the records are ${this.#accounts + this.#slots}`;
      this.#problem("AUDIT_LEAF_COUNT_MISMATCH", message);
    }
  }

  results(): Omit<AuditReport, "number" | "hash" | "stateRoot"> {
    return {
      accounts: this.#accounts,
      slots: this.#slots,
      codes: this.#codes.size,
      pages: this.#pages,
      balances: this.#balances,
      supply: readSupply(this.#store.state().reader),
      problems: this.#problems,
    };
  }

  #problem(code: AuditProblem["code"], message: string): void {
    // A broken disk breaks thousands of records; the first ones tell the story.
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ code, message });
  }
}

const MAX_PROBLEMS = 100;
const PROGRESS_PAGES = 1000;
