/** Makes real blocks for a liar: on any parent that it has, and with roots that are right or wrong. */

import type { Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import type { Prng } from "../../base/prng.ts";
import { revealMessage } from "../../base/votes.ts";
import { decodeBlock, encodeBlock } from "../../chain/blocks/block.ts";
import { consensusBlockOf } from "../../chain/blocks/consensus-block.ts";
import type { Signer } from "../../chain/consensus/crypto.ts";
import type { ConsensusState } from "../../chain/consensus/state.ts";
import type { Block } from "../../chain/consensus/types.ts";
import { Ledger } from "../../chain/runtime/ledger.ts";
import type { ChainStore } from "../../chain/store/chain-store.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { rulesOfSpec } from "../../vm/rules-of-spec.ts";
import { coinbaseOf, type LedgerWorld } from "./ledger-world.ts";
import { certificateOver } from "./sim-node.ts";

const REMEMBERED = 500;

type Fields = Pick<Block, "view" | "time" | "proposer" | "reveal" | "parentCertificate">;

export interface ForgerOptions {
  readonly index: number;
  readonly world: LedgerWorld;
  readonly store: ChainStore;
  readonly state: ConsensusState;
  readonly signer: Signer;
  readonly prng: Prng;
  now(): number;
}

export class Forger {
  readonly #options: ForgerOptions;
  readonly #ledger: Ledger;
  readonly #seen = new Map<Hex, Block>();

  constructor(options: ForgerOptions) {
    const { world, store, index } = options;
    this.#options = options;
    this.#ledger = new Ledger({
      rules: rulesOfSpec(world.spec),
      gasLimit: world.spec.block.gasLimit,
      capDivisor: BigInt(world.spec.consensus.weightCapDivisor),
      validators: world.validators,
      final: store,
      coinbase: coinbaseOf(index),
      onViolation: () => undefined,
      onFault: () => undefined,
    });
  }

  remember(block: Block): void {
    this.#seen.set(block.hash, block);
    if (this.#seen.size <= REMEMBERED) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  blockOn(parent: Block, view: number): Block | undefined {
    const { state, signer, now } = this.#options;
    if (!this.#execute(parent)) return undefined;
    const epoch = state.epoch.number;
    return this.#build(parent, {
      view,
      time: Math.max(parent.time, now()),
      proposer: state.own ?? 0,
      reveal: signer.sign(revealMessage(state.parameters.chainId, epoch, view)),
      parentCertificate: certificateOver(state, parent),
    });
  }

  variantOf(block: Block, rootIsRight: boolean): Block {
    const { prng } = this.#options;
    const parent = this.#find(block.parent);
    const time = block.time + 1 + prng.below(5);
    const right = rootIsRight && parent && this.#execute(parent) && this.#build(parent, { ...block, time });
    if (right) return right;
    const { header, ...body } = decodeBlock(block.body);
    return consensusBlockOf(encodeBlock({ header: { ...header, stateRoot: prng.bytes(32) }, ...body }));
  }

  #build(parent: Block, { view, time, proposer, reveal, parentCertificate }: Fields): Block | undefined {
    const { epoch } = this.#options.state;
    if (parent.epoch !== epoch.number && parent.hash !== epoch.root.hash) return undefined;
    const content = { view, time, proposer, reveal, parentCertificate };
    const effect = { type: "build", epoch: epoch.number, parent, emptyOnly: true, ...content } as const;
    return this.#ledger.build(effect, [], epoch).block;
  }

  #find(hash: Hex): Block | undefined {
    const { state } = this.#options;
    if (hash === state.final.hash) return state.final;
    return state.blocks.get(hash)?.block ?? this.#seen.get(hash);
  }

  /** Whether it has executed here, now if not before. */
  #execute(block: Block): boolean {
    this.#ledger.prune();
    if (this.#ledger.has(block.hash)) return true;
    const { state, world, store } = this.#options;
    if (block.epoch !== state.epoch.number || block.height <= (store.head?.number ?? 0)) return false;
    const parent = this.#find(block.parent);
    if (!this.#ledger.has(block.parent) && (parent === undefined || !this.#execute(parent))) return false;
    try {
      const transactions = world.recover(decodeBlock(block.body).transactions);
      this.#ledger.execute(block, transactions as RecoveredTransaction[], state.epoch);
      return true;
    } catch (error) {
      if (isCoded(error)) return false;
      throw error;
    }
  }
}
