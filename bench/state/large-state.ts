/** Large states: accounts in the order of their keys, as a snapshot brings them, and changes to some of them. */
import { bytesToHex, EMPTY_BYTES, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { Prng } from "../../base/prng.ts";
import { type BlockHeader, hashHeader } from "../../chain/blocks/header.ts";
import { ChainStore } from "../../chain/store/chain-store.ts";
import { importState } from "../../chain/store/import-state.ts";
import type { AccountOfState } from "../../chain/store/state-leaves.ts";
import { EMPTY_PATRICIA_ROOT } from "../../vm/patricia-root.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import type { StateChanges } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import type { TreeUpdate } from "../../vm/tree/types.ts";

const GROUP = 8_192;
const ZEROS = new Uint8Array(32);
const COINBASE: Address = "0x00000000000000000000000000000000000000c0";

function addressBytes(index: number): Uint8Array {
  const bytes = new Uint8Array(20).fill(0x11);
  new DataView(bytes.buffer).setUint32(16, index);
  return bytes;
}

export function addressOf(index: number): Address {
  return bytesToHex(addressBytes(index));
}

export function accountOf(index: number): Account {
  return { nonce: 1n, balance: 10n ** 18n + BigInt(index), codeHash: EMPTY_CODE_HASH };
}

/** All accounts, in the order of their keys. */
export function* accountsInOrder(count: number): Generator<readonly AccountOfState[]> {
  const keys = new Uint8Array(count * 32);
  // The first 53 bits of a key sort as a number, and are different for all these addresses.
  const order = new Float64Array(count);
  const view = new DataView(keys.buffer);
  for (let index = 0; index < count; index++) {
    keys.set(keccak256(addressBytes(index)), index * 32);
    order[index] = view.getUint32(index * 32) * 2 ** 21 + (view.getUint32(index * 32 + 4) >>> 11);
  }
  const indices = new Uint32Array(count).map((_, index) => index);
  indices.sort((a, b) => (order[a] as number) - (order[b] as number));
  for (let start = 0; start < count; start += GROUP) {
    yield Array.from(indices.subarray(start, start + GROUP), (index) => {
      const key = keys.slice(index * 32, index * 32 + 32);
      return { kind: "account" as const, key, account: accountOf(index) };
    });
  }
}

/** All accounts after the changes with these seeds, in the order of their keys. */
export function* accountsAfter(
  count: number,
  size: number,
  seeds: readonly string[],
): Generator<readonly AccountOfState[]> {
  const changed = new Map<string, Account>();
  for (const seed of seeds) {
    for (const [address, account] of someChanges(count, size, seed).accounts) {
      if (account !== undefined) changed.set(bytesToHex(keccak256(hexToBytes(address))), account);
    }
  }
  for (const group of accountsInOrder(count)) {
    yield group.map((leaf) => ({ ...leaf, account: changed.get(bytesToHex(leaf.key)) ?? leaf.account }));
  }
}

/** `size` distinct accounts out of `count`, each with one transaction more and one wei less. */
export function someChanges(count: number, size: number, seed: string): StateChanges {
  const prng = new Prng(seed);
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(prng.below(count));
  const accounts = new Map<Address, Account>();
  for (const index of chosen) {
    const { balance, codeHash } = accountOf(index);
    accounts.set(addressOf(index), { nonce: BigInt(accounts.size) + 2n, balance: balance - 1n, codeHash });
  }
  return { accounts, storage: new Map(), code: new Map() };
}

function headerOf(number: bigint, parentHash: Uint8Array, stateRoot: Uint8Array): BlockHeader {
  return {
    parentHash,
    coinbase: COINBASE,
    stateRoot,
    transactionsRoot: EMPTY_PATRICIA_ROOT,
    receiptsRoot: EMPTY_PATRICIA_ROOT,
    logsBloom: new Uint8Array(256),
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1_700_000_000n + number,
    extra: {
      epoch: 0,
      view: Number(number),
      proposer: 0,
      milliseconds: 0,
      reservedGas: 0n,
      taskRoot: ZEROS,
      validatorSetHash: ZEROS,
      nextValidatorSetHash: EMPTY_BYTES,
      reveal: EMPTY_BYTES,
      parentCertificate: EMPTY_BYTES,
    },
    beacon: ZEROS,
    baseFeePerGas: 7n,
  };
}

/** A database with that many accounts, loaded bottom-up as a snapshot is. */
export async function loadStore(folder: string, count: number): Promise<void> {
  const chain = { chainId: 1n, genesisHash: ZEROS };
  const store = await ChainStore.open(folder, { chain, forImport: true });
  await importState(store, { items: accountsInOrder(count), header: (root) => headerOf(0n, ZEROS, root) });
  await store.close();
}

/** Writes a block that made these changes and nothing else. */
export async function commitChanges(
  store: ChainStore,
  changes: StateChanges,
  state: StateVersion,
  treeUpdate: TreeUpdate,
): Promise<void> {
  const { head } = store;
  if (head === undefined) throw new Error("the store has no block");
  const header = headerOf(BigInt(head.number) + 1n, head.hash, treeUpdate.head.root);
  await store.commit({
    header,
    hash: hashHeader(header),
    executed: { included: [], receipts: [], changes, treeUpdate, state },
  });
}
