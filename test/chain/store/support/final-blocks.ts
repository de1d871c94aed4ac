/** Blocks for the store's tests, made from changes of the state alone: nothing has to be executed. */
import { EMPTY_BYTES } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { type BlockHeader, hashHeader } from "../../../../chain/blocks/header.ts";
import { nextValidatorsHash } from "../../../../chain/blocks/validators-codec.ts";
import type { ValidatorStake } from "../../../../chain/consensus/validator-set.ts";
import type { ChainHead } from "../../../../chain/store/chain-store.ts";
import type { ChainIdentity } from "../../../../chain/store/meta.ts";
import type { FinalBlock } from "../../../../chain/store/write-block.ts";
import type { RecoveredTransaction } from "../../../../vm/execution/execute-block.ts";
import { orderedRoot } from "../../../../vm/patricia-root.ts";
import { bloomOfLogs } from "../../../../vm/receipt/bloom.ts";
import { encodeReceipt, type Receipt } from "../../../../vm/receipt/receipt.ts";
import type { Address } from "../../../../vm/state/account.ts";
import type { StateChanges } from "../../../../vm/state/reader.ts";
import { advanceState, type StateVersion } from "../../../../vm/state/state-version.ts";

export const TEST_IDENTITY: ChainIdentity = { chainId: 77n, genesisHash: keccak256(new Uint8Array([7])) };

const COINBASE: Address = "0xc0ffee0000000000000000000000000000000001";

export interface BlockContents {
  readonly included?: readonly RecoveredTransaction[];
  readonly receipts?: readonly Receipt[];
  readonly certificate?: Uint8Array;
  readonly nextValidators?: readonly ValidatorStake[];
}

/** The block after `head` (genesis when there is none) that changes the state so. */
export function finalBlock(
  head: ChainHead | undefined,
  parent: StateVersion,
  changes: StateChanges,
  { included = [], receipts = [], certificate, nextValidators }: BlockContents = {},
): FinalBlock {
  const { version, treeUpdate } = advanceState(parent, changes);
  const header: BlockHeader = {
    parentHash: head?.hash ?? new Uint8Array(32),
    coinbase: COINBASE,
    stateRoot: version.head.root,
    transactionsRoot: orderedRoot(included.map(({ transaction }) => transaction.raw)),
    receiptsRoot: orderedRoot(receipts.map(encodeReceipt)),
    logsBloom: bloomOfLogs(receipts.flatMap(({ logs }) => logs)),
    number: head === undefined ? 0n : head.header.number + 1n,
    gasLimit: 30_000_000n,
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
    timestamp: 1_700_000_000n + BigInt(head?.number ?? 0),
    extra: {
      epoch: 0,
      view: head?.number ?? 0,
      proposer: 3,
      milliseconds: 250,
      reservedGas: 0n,
      taskRoot: new Uint8Array(32),
      validatorSetHash: new Uint8Array(32).fill(9),
      nextValidatorSetHash: nextValidatorsHash(nextValidators),
      reveal: EMPTY_BYTES,
      parentCertificate: EMPTY_BYTES,
    },
    beacon: new Uint8Array(32).fill(5),
    baseFeePerGas: 1_000_000_000n,
  };
  const executed = { included, receipts, changes, treeUpdate, state: version };
  return {
    header,
    hash: hashHeader(header),
    executed,
    ...(certificate !== undefined && { certificate }),
    ...(nextValidators !== undefined && { nextValidators }),
  };
}
