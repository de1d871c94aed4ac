import { afterEach, describe, expect, it } from "vitest";
import { bigintToBytes, bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { encodeAccount } from "../../../chain/store/account-record.ts";
import { auditStore } from "../../../chain/store/audit.ts";
import { BUCKETS, bucketKey } from "../../../chain/store/buckets.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { MODULE_CODE } from "../../../vm/modules/module.ts";
import { writeGenesisSupply } from "../../../vm/modules/token/token.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { keyOfAccount } from "../../../vm/state/keys.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

const CODE_HASH = bytesToHex(keccak256(MODULE_CODE));
const ACCOUNTS = 200;

function addressOf(index: number): Address {
  return `0x${(index + 1).toString(16).padStart(40, "0")}`;
}

/** Accounts of 10 wei each, the token module, and as much supply as told. */
async function auditable(folder: string, supply: bigint = 10n * BigInt(ACCOUNTS)): Promise<ChainStore> {
  const store = await ChainStore.open(folder, { chain: TEST_IDENTITY });
  const state = new WorkingState(store.state().reader);
  for (let i = 0; i < ACCOUNTS; i++) {
    state.setAccount(addressOf(i), { nonce: 0n, balance: 10n, codeHash: EMPTY_CODE_HASH });
    if (i % 10 === 0) state.setStorage(addressOf(i), `0x${"00".repeat(32)}`, bigintToBytes(5n));
  }
  state.putCode(CODE_HASH, MODULE_CODE);
  state.setAccount(TOKEN_ADDRESS, { nonce: 1n, balance: 0n, codeHash: CODE_HASH });
  writeGenesisSupply(state, supply);
  await store.commit(finalBlock(undefined, store.state(), state.changes()));
  return store;
}

/** Changes a record behind the store's back, with a checksum that fits, and opens it again. */
async function tampered(
  change: (store: ChainStore) => [key: Uint8Array, value: Uint8Array | undefined],
): Promise<ChainStore> {
  const folder = folders.next();
  const store = await auditable(folder);
  const batch = store.database.batch();
  const [key, value] = change(store);
  if (value === undefined) batch.delete(key);
  else batch.put(key, value);
  await batch.write(true);
  await store.close();
  return ChainStore.open(folder);
}

describe("an audit", () => {
  it("of a good database counts everything and finds nothing", async () => {
    const store = await auditable(folders.next());
    const steps = new Set<string>();
    const report = await auditStore(store, (step) => steps.add(step));
    expect(report).toMatchObject({
      number: 0,
      accounts: ACCOUNTS + 1,
      slots: ACCOUNTS / 10 + 1,
      codes: 1,
      balances: 2000n,
      supply: { genesis: 2000n, minted: 0n, burned: 0n },
      problems: [],
    });
    expect(report.stateRoot).toBe(bytesToHex(store.state().head.root));
    expect([...steps]).toEqual(["code", "state"]);
    await store.close();
  });

  it("finds money that nobody minted", async () => {
    const store = await auditable(folders.next(), 1999n);
    expect((await auditStore(store)).problems).toEqual([
      { code: "AUDIT_SUPPLY_MISMATCH", message: expect.stringContaining("the balances sum to 2000") },
    ]);
    await store.close();
  });

  it("finds a balance that was changed on disk", async () => {
    const account = { nonce: 0n, balance: 11n, codeHash: EMPTY_CODE_HASH } as const;
    const store = await tampered(() => [
      bucketKey(BUCKETS.accounts, keyOfAccount(addressOf(3))),
      encodeAccount(account),
    ]);
    const { problems } = await auditStore(store);
    expect(problems.map(({ code }) => code)).toEqual(["AUDIT_ROOT_MISMATCH", "AUDIT_SUPPLY_MISMATCH"]);
    expect(() => store.state().reader.account(addressOf(3))).toThrow(
      expect.objectContaining({ code: "STORE_DAMAGED" }),
    );
    await store.close();
  });

  it("finds an account that is gone", async () => {
    const store = await tampered(() => [bucketKey(BUCKETS.accounts, keyOfAccount(addressOf(3))), undefined]);
    const { problems } = await auditStore(store);
    expect(problems.map(({ code }) => code)).toEqual([
      "AUDIT_ROOT_MISMATCH",
      "AUDIT_SUPPLY_MISMATCH",
      "AUDIT_LEAF_COUNT_MISMATCH",
    ]);
    expect(() => store.state().reader.account(addressOf(3))).toThrow(
      expect.objectContaining({ code: "STORE_DAMAGED" }),
    );
    await store.close();
  });

  it("finds code that is another or missing", async () => {
    const key = bucketKey(BUCKETS.code, hexToBytes(CODE_HASH));
    const changed = await tampered(() => [key, new Uint8Array([1])]);
    expect((await auditStore(changed)).problems.map(({ code }) => code)).toEqual(["AUDIT_CODE_MISMATCH"]);
    await changed.close();
    const missing = await tampered(() => [key, undefined]);
    expect((await auditStore(missing)).problems.map(({ code }) => code)).toEqual(["AUDIT_CODE_MISSING"]);
    await missing.close();
  });

  it("of a chain without blocks says that there is nothing to audit", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    await expect(auditStore(store)).rejects.toMatchObject({ code: "STORE_NO_SUCH_BLOCK" });
    await store.close();
  });
});
