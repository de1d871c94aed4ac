/** The state before the first block, built from the chain spec. */
import { bytesToHex } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import { allocatedSupply, type ChainSpec, type GenesisAccount } from "../genesis/chain-spec.ts";
import type { BlockEnvironment } from "./execution/environment.ts";
import { runHooks } from "./execution/run-hooks.ts";
import { MODULE_CODE } from "./modules/module.ts";
import { writeGenesisSupply } from "./modules/token/token.ts";
import { rulesOfSpec } from "./rules-of-spec.ts";
import type { Address } from "./state/account.ts";
import { MemoryState } from "./state/memory-state.ts";
import type { StateChanges } from "./state/reader.ts";
import { advanceState, type StateVersion } from "./state/state-version.ts";
import { WorkingState } from "./state/working-state.ts";
import { EMPTY_HEAD, MemoryPages } from "./tree/page-sources.ts";
import type { TreeUpdate } from "./tree/types.ts";

const NOBODY: Address = "0x0000000000000000000000000000000000000000";

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
  const rules = rulesOfSpec(spec);
  for (const address of rules.modules.keys()) {
    writeAccount(state, { address, balance: 0n, nonce: 1n, code: MODULE_CODE, storage: new Map() });
  }
  writeGenesisSupply(state, allocatedSupply(spec));
  runHooks(rules, "genesis", state, genesisEnvironment(spec));
  const changes = state.changes();
  return { changes, ...advanceState(empty, changes) };
}

function genesisEnvironment({ genesisTime, block }: ChainSpec): BlockEnvironment {
  return {
    number: 0n,
    timestamp: genesisTime,
    milliseconds: 0,
    consensus: undefined,
    coinbase: NOBODY,
    gasLimit: block.gasLimit,
    baseFeePerGas: block.initialBaseFee,
    prevRandao: new Uint8Array(32),
    blobBaseFee: 1n,
    blockHash: () => undefined,
  };
}

function writeAccount(state: WorkingState, account: Omit<GenesisAccount, "note">): void {
  const { address, balance, nonce, code, storage } = account;
  const codeHash = bytesToHex(keccak256(code));
  state.putCode(codeHash, code);
  state.setAccount(address, { nonce, balance, codeHash });
  for (const [slot, value] of storage) state.setStorage(address, slot, value);
}
