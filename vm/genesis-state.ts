/** The state before the first block, built from the chain spec. */
import { bytesToHex } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import { allocatedSupply, type ChainSpec, type GenesisAccount } from "../genesis/chain-spec.ts";
import { MODULE_CODE } from "./modules/module.ts";
import { writeGenesisSupply } from "./modules/token/token.ts";
import { modulesOfSpec } from "./rules-of-spec.ts";
import { MemoryState } from "./state/memory-state.ts";
import type { StateChanges } from "./state/reader.ts";
import { advanceState, type StateVersion } from "./state/state-version.ts";
import { WorkingState } from "./state/working-state.ts";
import { EMPTY_HEAD, MemoryPages } from "./tree/page-sources.ts";
import type { TreeUpdate } from "./tree/types.ts";

/** What genesis writes over nothing, in the form of what a block writes over its parent. */
export interface GenesisState {
  readonly version: StateVersion;
  readonly changes: StateChanges;
  readonly treeUpdate: TreeUpdate;
}

export function buildGenesisState(spec: ChainSpec): GenesisState {
  const empty: StateVersion = { reader: new MemoryState(), head: EMPTY_HEAD, pages: new MemoryPages() };
  const state = new WorkingState(empty.reader);
  for (const account of spec.accounts) writeAccount(state, account);
  for (const { address } of modulesOfSpec(spec)) {
    writeAccount(state, { address, balance: 0n, nonce: 1n, code: MODULE_CODE, storage: new Map() });
  }
  writeGenesisSupply(state, allocatedSupply(spec));
  state.endTransaction();
  const changes = state.changes();
  return { changes, ...advanceState(empty, changes) };
}

function writeAccount(state: WorkingState, account: Omit<GenesisAccount, "note">): void {
  const { address, balance, nonce, code, storage } = account;
  const codeHash = bytesToHex(keccak256(code));
  state.putCode(codeHash, code);
  state.setAccount(address, { nonce, balance, codeHash });
  for (const [slot, value] of storage) state.setStorage(address, slot, value);
}
