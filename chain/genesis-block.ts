/** The genesis block: the header over the state of a chain spec. Its hash names the chain. */
import { EMPTY_BYTES, hexToBytes } from "../base/bytes.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { specHash } from "../genesis/spec-hash.ts";
import type { ExecutedBlock } from "../vm/execution/execute-block.ts";
import { buildGenesisState } from "../vm/genesis-state.ts";
import { EMPTY_PATRICIA_ROOT } from "../vm/patricia-root.ts";
import { bloomOfLogs } from "../vm/receipt/bloom.ts";
import type { Address } from "../vm/state/account.ts";
import type { BlockHeader } from "./blocks/header.ts";
import { sealHeader } from "./blocks/next-header.ts";
import { makeValidatorSet } from "./consensus/validator-set.ts";
import { genesisWeights } from "./consensus-parameters.ts";

const NO_HASH = new Uint8Array(32);
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

export interface GenesisBlock {
  readonly header: BlockHeader;
  /** As if block 0 had executed, so that it is committed by the path of every other block. */
  readonly executed: ExecutedBlock;
}

export function buildGenesisBlock(spec: ChainSpec): GenesisBlock {
  const { version, changes, treeUpdate } = buildGenesisState(spec);
  const executed: ExecutedBlock = {
    included: [],
    receipts: [],
    rejected: [],
    gasUsed: 0n,
    reservedGasUsed: 0n,
    logsBloom: bloomOfLogs([]),
    stateRoot: version.head.root,
    transactionsRoot: EMPTY_PATRICIA_ROOT,
    receiptsRoot: EMPTY_PATRICIA_ROOT,
    state: version,
    changes,
    treeUpdate,
    violations: [],
    faults: [],
  };
  const header = sealHeader(
    {
      parentHash: NO_HASH,
      coinbase: NOBODY,
      number: 0n,
      gasLimit: spec.block.gasLimit,
      timestamp: spec.genesisTime,
      extra: {
        epoch: 0,
        view: 0,
        proposer: 0,
        milliseconds: 0,
        taskRoot: NO_HASH,
        reservedGas: 0n,
        validatorSetHash: firstSetHash(spec),
        nextValidatorSetHash: EMPTY_BYTES,
        reveal: EMPTY_BYTES,
        parentCertificate: EMPTY_BYTES,
      },
      // The first beacon is the spec's hash: so the block's hash commits to every parameter, not to the state alone.
      beacon: specHash(spec),
      baseFeePerGas: spec.block.initialBaseFee,
    },
    executed,
  );
  return { header, executed };
}

/** A network that is not launched has no set yet. */
function firstSetHash(spec: ChainSpec): Uint8Array {
  const stakes = genesisWeights(spec);
  if (stakes.length === 0) return NO_HASH;
  return hexToBytes(makeValidatorSet(stakes).hash);
}
