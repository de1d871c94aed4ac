/**
 * A program that commits blocks as fast as it can and prints each block's number once it is durable, until somebody
 * kills it. Started again on the same folder, it goes on. It moves money without executing anything, because a test
 * starts it many times and the EVM takes a second to load.
 */
import { bigintToBytes, bytes32, bytesToHex, EMPTY_BYTES } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { ChainStore } from "../../../../chain/store/chain-store.ts";
import { FinalisedChain } from "../../../../chain/store/finalised-chain.ts";
import type { FinalBlock } from "../../../../chain/store/write-block.ts";
import type { RecoveredTransaction } from "../../../../vm/execution/execute-block.ts";
import { TOKEN_ADDRESS } from "../../../../vm/modules/addresses.ts";
import type { Receipt } from "../../../../vm/receipt/receipt.ts";
import { type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH } from "../../../../vm/state/account.ts";
import type { StateVersion } from "../../../../vm/state/state-version.ts";
import { WorkingState } from "../../../../vm/state/working-state.ts";
import { signTransaction } from "../../../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../../../vm/transaction/transaction.ts";
import { finalBlock, TEST_IDENTITY } from "./final-blocks.ts";

const TRANSFERS = 10;
const FUNDS = 10n ** 24n;
/** Where the token module keeps the supply at genesis, which the audit compares with all balances. */
const GENESIS_SUPPLY_SLOT = bytesToHex(bytes32(2n));

interface Key {
  readonly privateKey: Uint8Array;
  readonly address: Address;
}

const keys: readonly Key[] = Array.from({ length: 8 }, (_, i) => {
  const privateKey = keccak256(new Uint8Array([i]));
  return { privateKey, address: bytesToHex(privateKeyToAddress(privateKey)) };
});

function keyAt(index: number): Key {
  return keys[index % keys.length] as Key;
}

/** Every tenth recipient is new, so that the tree grows. */
function recipient(number: number, index: number): Address {
  if (index > 0) return keyAt(number + index).address;
  return bytesToHex(keccak256(new Uint8Array([number, number >> 8])).subarray(12));
}

function transfer(number: number, index: number, nonce: bigint): RecoveredTransaction {
  const { privateKey, address } = keyAt(number);
  const raw = signTransaction(
    {
      type: 2,
      chainId: TEST_IDENTITY.chainId,
      nonce,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      gasLimit: 21_000n,
      to: recipient(number, index),
      value: BigInt(number + 1),
      data: EMPTY_BYTES,
      accessList: [],
    },
    privateKey,
  );
  return { transaction: decodeTransaction(raw), sender: address };
}

function receipt(index: number): Receipt {
  return {
    type: 2,
    succeeded: true,
    gasUsed: 21_000n,
    cumulativeGasUsed: 21_000n * BigInt(index + 1),
    effectiveGasPrice: 0n,
    logs: [],
    createdAddress: undefined,
    output: EMPTY_BYTES,
  };
}

function genesisBlock(parent: StateVersion): FinalBlock {
  const state = new WorkingState(parent.reader);
  for (const { address } of keys) state.setAccount(address, { nonce: 0n, balance: FUNDS, codeHash: EMPTY_CODE_HASH });
  state.setStorage(TOKEN_ADDRESS, GENESIS_SUPPLY_SLOT, bigintToBytes(FUNDS * BigInt(keys.length)));
  return finalBlock(undefined, parent, state.changes());
}

function nextBlock(chain: FinalisedChain): FinalBlock {
  const { head } = chain;
  if (head === undefined) return genesisBlock(chain.state());
  const number = head.number + 1;
  const parent = chain.state();
  const state = new WorkingState(parent.reader);
  const { address } = keyAt(number);
  const included: RecoveredTransaction[] = [];
  for (let index = 0; index < TRANSFERS; index++) {
    const account = state.account(address) ?? EMPTY_ACCOUNT;
    const recovered = transfer(number, index, account.nonce);
    state.setAccount(address, { ...account, nonce: account.nonce + 1n });
    state.transfer(address, recipient(number, index), recovered.transaction.value);
    included.push(recovered);
  }
  // A slot that comes and goes.
  state.setStorage(address, GENESIS_SUPPLY_SLOT, number % 3 === 0 ? EMPTY_BYTES : bigintToBytes(BigInt(number)));
  return finalBlock(head, parent, state.changes(), { included, receipts: included.map((_, i) => receipt(i)) });
}

async function writeForever(chain: FinalisedChain): Promise<never> {
  for (;;) {
    await chain.room();
    const block = nextBlock(chain);
    chain.append(block).then(
      () => process.stdout.write(`${block.header.number}\n`),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
    // The printing above happens between two blocks.
    await new Promise(setImmediate);
  }
}

const [folder = "", mode] = process.argv.slice(2);
const store = await ChainStore.open(folder, { chain: TEST_IDENTITY, archive: mode === "archive" });
await writeForever(new FinalisedChain(store));
