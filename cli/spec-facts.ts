/** What a chain spec comes to: its genesis block and its supply. */
import { bytesToHex } from "../base/bytes.ts";
import { hashHeader } from "../chain/blocks/header.ts";
import { buildGenesisBlock } from "../chain/genesis-block.ts";
import { allocatedSupply, type ChainSpec } from "../genesis/chain-spec.ts";
import { totalEmission } from "../genesis/emission.ts";

export interface SpecFacts {
  readonly name: string;
  readonly chainId: bigint;
  readonly genesisHash: string;
  readonly stateRoot: string;
  readonly accounts: number;
  readonly validators: number;
  /** In wei. */
  readonly supply: {
    readonly allocated: bigint;
    readonly toBeEmitted: bigint;
    readonly cap: bigint;
    readonly remainder: bigint;
  };
}

export function factsOf(spec: ChainSpec): SpecFacts {
  const { header } = buildGenesisBlock(spec);
  const { cap, emission } = spec.modules.token;
  const allocated = allocatedSupply(spec);
  const toBeEmitted = totalEmission(emission);
  return {
    name: spec.name,
    chainId: spec.chainId,
    genesisHash: bytesToHex(hashHeader(header)),
    stateRoot: bytesToHex(header.stateRoot),
    accounts: spec.accounts.length,
    validators: spec.validators.length,
    supply: { allocated, toBeEmitted, cap, remainder: cap - allocated - toBeEmitted },
  };
}
