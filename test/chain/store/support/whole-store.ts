/** A small chain whose state tells which block made it, and reading all of it back. */
import { deepEqual, equal, notEqual } from "node:assert/strict";
import { isCoded } from "../../../../base/errors.ts";
import { auditStore } from "../../../../chain/store/audit.ts";
import { ChainStore } from "../../../../chain/store/chain-store.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../../vm/state/account.ts";
import type { StateChanges } from "../../../../vm/state/reader.ts";
import { TEST_IDENTITY } from "./final-blocks.ts";

export const BLOCKS = 12;
const ACCOUNTS = 300;

function addressOf(index: number): Address {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

/** Block n gives each n-th account a nonce of n, so that the state tells which block made it. */
export function changesOfBlock(number: number): StateChanges {
  const step = number === 0 ? 1 : number;
  const accounts = new Map();
  for (let i = 0; i < ACCOUNTS; i += step) {
    accounts.set(addressOf(i), { nonce: BigInt(number), balance: 1n, codeHash: EMPTY_CODE_HASH });
  }
  return { accounts, storage: new Map(), code: new Map() };
}

function expectedNonce(index: number, head: number): bigint {
  for (let number = head; number > 0; number--) if (index % number === 0) return BigInt(number);
  return 0n;
}

/** Opens and reads everything. Returns the head, or the code of the error that said so; throws where it reads otherwise. */
export async function readAll(folder: string): Promise<number | string> {
  let store: ChainStore | undefined;
  try {
    store = await ChainStore.open(folder, { chain: TEST_IDENTITY });
    const head = store.head?.number ?? -1;
    for (let i = 0; i < ACCOUNTS && head >= 0; i++) {
      equal(store.state().reader.account(addressOf(i))?.nonce, expectedNonce(i, head));
    }
    for (let number = 0; number <= head; number++) {
      equal(store.header(number)?.header.number, BigInt(number));
      notEqual(store.body(number), undefined);
      notEqual(store.receipts(number), undefined);
    }
    if (head >= 0) {
      const { problems } = await auditStore(store);
      deepEqual(
        problems.map(({ code }) => code),
        ["AUDIT_SUPPLY_MISMATCH"],
      );
    }
    return head;
  } catch (error) {
    if (isCoded(error)) return error.code;
    throw error;
  } finally {
    await store?.close();
  }
}
