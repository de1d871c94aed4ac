/** Our side: a chain with funded accounts, and the pipeline from raw transactions to durable blocks. */
import { EMPTY_BYTES } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { environmentOf } from "../../chain/blocks/environment-of.ts";
import { type BlockHeader, hashHeader } from "../../chain/blocks/header.ts";
import { nextHeaderFields, sealHeader } from "../../chain/blocks/next-header.ts";
import type { RecoveryResult, SenderPool } from "../../chain/senders/sender-pool.ts";
import { ChainStore } from "../../chain/store/chain-store.ts";
import { FinalisedChain } from "../../chain/store/finalised-chain.ts";
import { BlockExecutor, type ExecutedBlock, type RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { createTokenModule, writeGenesisSupply } from "../../vm/modules/token/token.ts";
import { EMPTY_PATRICIA_ROOT } from "../../vm/patricia-root.ts";
import { EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { MemoryState } from "../../vm/state/memory-state.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { advanceState, type StateVersion } from "../../vm/state/state-version.ts";
import { WorkingState } from "../../vm/state/working-state.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { EMPTY_HEAD, MemoryPages } from "../../vm/tree/page-sources.ts";
import { BASE_FEE, CHAIN_ID, COINBASE, FUNDS, type Workload } from "./workload.ts";

/** Blocks whose senders are recovered while an earlier one executes. */
const BLOCKS_AHEAD = 2;

export const RULES: ExecutionRules = {
  chainId: CHAIN_ID,
  fork: "osaka",
  allowUnprotected: false,
  maxTransactionBytes: 131_072,
  modules: new Map([
    [
      TOKEN_ADDRESS,
      createTokenModule({ cap: 10n ** 30n, emission: { initialPerBlock: 10n ** 18n, halvingBlocks: 1_000n } }),
    ],
  ]),
};

const ZEROS = new Uint8Array(32);

function genesisChanges(parent: StateReader, { addresses }: Workload): ReturnType<WorkingState["changes"]> {
  const state = new WorkingState(parent);
  for (const address of addresses) state.setAccount(address, { nonce: 0n, balance: FUNDS, codeHash: EMPTY_CODE_HASH });
  writeGenesisSupply(state, FUNDS * BigInt(addresses.length));
  return state.changes();
}

function genesisHeader(stateRoot: Uint8Array, { gasLimit }: Workload): BlockHeader {
  return {
    parentHash: ZEROS,
    coinbase: COINBASE,
    stateRoot,
    transactionsRoot: EMPTY_PATRICIA_ROOT,
    receiptsRoot: EMPTY_PATRICIA_ROOT,
    logsBloom: new Uint8Array(256),
    number: 0n,
    gasLimit,
    // As if half full, so that the next base fee is this one.
    gasUsed: gasLimit / 2n,
    timestamp: 1_700_000_000n,
    extra: {
      epoch: 0,
      view: 0,
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
    baseFeePerGas: BASE_FEE,
  };
}

/** A new chain on disk whose genesis funds the accounts. */
export async function openChain(folder: string, workload: Workload): Promise<ChainStore> {
  const store = await ChainStore.open(folder, { chain: { chainId: CHAIN_ID, genesisHash: ZEROS } });
  const changes = genesisChanges(store.state().reader, workload);
  const { version, treeUpdate } = advanceState(store.state(), changes);
  const header = genesisHeader(version.head.root, workload);
  const executed = { included: [], receipts: [], changes, treeUpdate, state: version };
  await store.commit({ header, hash: hashHeader(header), executed });
  return store;
}

/** Runs all blocks through the chain; resolves with the number of transfers when the last is durable. */
export async function processBlocks(store: ChainStore, pool: SenderPool, { blocks }: Workload): Promise<number> {
  const chain = new FinalisedChain(store);
  const executor = new BlockExecutor(RULES);
  const recovering: Promise<readonly RecoveryResult[]>[] = [];
  const durable: Promise<void>[] = [];
  let transfers = 0;
  for (const [index, block] of blocks.entries()) {
    while (recovering.length <= index + BLOCKS_AHEAD && recovering.length < blocks.length) {
      recovering.push(pool.recover(blocks[recovering.length] as readonly Uint8Array[]));
    }
    const recovered = good(await (recovering[index] as Promise<readonly RecoveryResult[]>));
    await chain.room();
    durable.push((await appendBlock(chain, executor, recovered)).durable);
    transfers += block.length;
  }
  await Promise.all(durable);
  return transfers;
}

function good(results: readonly RecoveryResult[]): RecoveredTransaction[] {
  return results.map((result) => {
    if (result instanceof CodedError) throw result;
    return result;
  });
}

/** Executes and appends. Durability is in an object, because a promise of a promise would wait for both. */
async function appendBlock(
  chain: FinalisedChain,
  executor: BlockExecutor,
  transactions: readonly RecoveredTransaction[],
): Promise<{ readonly durable: Promise<void> }> {
  const { head } = chain;
  assert(head !== undefined, "the chain has a genesis");
  const { header: parent } = head;
  const fields = nextHeaderFields(parent, {
    now: Number(parent.timestamp) * 1000 + 1000,
    gasLimit: parent.gasLimit,
    coinbase: COINBASE,
    beacon: ZEROS,
    extra: parent.extra,
  });
  const environment = environmentOf(fields, (number) => chain.blockHash(number));
  const executed = executor.execute(chain.state(), environment, transactions);
  checkAll(executed);
  const header = sealHeader(fields, executed);
  return { durable: chain.append({ header, hash: hashHeader(header), executed }) };
}

function checkAll({ rejected, violations }: ExecutedBlock): void {
  assert(rejected.length === 0 && violations.length === 0, "every transfer of the workload is good");
}

/** The state after some transfers in one block. */
export async function executeInMemory(workload: Workload, raws: readonly Uint8Array[]): Promise<StateReader> {
  const empty: StateVersion = { reader: new MemoryState(), head: EMPTY_HEAD, pages: new MemoryPages() };
  const genesis = advanceState(empty, genesisChanges(empty.reader, workload)).version;
  const transactions = raws.map((raw) => {
    const transaction = decodeTransaction(raw);
    return { transaction, sender: recoverSender(transaction) };
  });
  const fields = { ...genesisHeader(genesis.head.root, workload), number: 1n };
  const executed = new BlockExecutor(RULES).execute(
    genesis,
    environmentOf(fields, () => undefined),
    transactions,
  );
  checkAll(executed);
  return executed.state.reader;
}
