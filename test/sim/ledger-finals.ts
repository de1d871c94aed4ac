/** The final chain of a whole node, read from its store after every commit and every start. */
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { consensusBlockOf, genesisConsensusBlock } from "../../chain/blocks/consensus-block.ts";
import { decodeCertificate } from "../../chain/consensus/certificate.ts";
import { type Epoch, type FinalBase, makeEpoch } from "../../chain/consensus/state.ts";
import type { Block, Certificate } from "../../chain/consensus/types.ts";
import { genesisWeights } from "../../chain/consensus-parameters.ts";
import { finalBase } from "../../chain/runtime/final-blocks.ts";
import type { ChainStore } from "../../chain/store/chain-store.ts";
import type { LedgerWorld } from "./ledger-world.ts";
import type { FinalView } from "./sim-node.ts";

export class LedgerFinals implements FinalView {
  readonly #world: LedgerWorld;
  readonly #blocks = new Map<number, Block>();
  readonly #byHash = new Map<Hex, Block>();
  readonly #certificates = new Map<number, Certificate>();
  readonly #epochs = new Map<number, Epoch>();
  height = 0;
  lastEpoch = 0;

  constructor(world: LedgerWorld) {
    this.#world = world;
    this.wipe();
  }

  epoch(number: number): Epoch | undefined {
    return this.#epochs.get(number);
  }

  block(height: number): Block | undefined {
    return this.#blocks.get(height);
  }

  blockOf(hash: Hex): Block | undefined {
    return this.#byHash.get(hash);
  }

  certificate(height: number): Certificate | undefined {
    return this.#certificates.get(height);
  }

  base(): FinalBase {
    const epoch = this.#epochs.get(this.lastEpoch);
    const final = this.#blocks.get(this.height);
    assert(epoch !== undefined && final !== undefined, "the last block and its epoch are known");
    return { epoch, final, certificate: this.#certificates.get(this.height) };
  }

  /** Takes over what the store has above the own height. */
  follow(store: ChainStore): void {
    const head = store.head?.number ?? 0;
    if (store.base > this.height) this.#jump(store);
    for (let height = this.height + 1; height <= head; height++) {
      const encoded = store.encodedBlock(height);
      assert(encoded !== undefined, "the store has every block above its first");
      this.#add(consensusBlockOf(encoded), store.certificate(height));
    }
  }

  wipe(): void {
    for (const map of [this.#blocks, this.#byHash, this.#certificates, this.#epochs]) map.clear();
    const { genesis, spec } = this.#world;
    const root = genesisConsensusBlock(genesis.header);
    this.height = 0;
    this.lastEpoch = 0;
    this.#blocks.set(0, root);
    this.#byHash.set(root.hash, root);
    this.#epochs.set(0, makeEpoch(0, genesisWeights(spec), root));
  }

  /** A state was imported: there is nothing between genesis and its block. */
  #jump(store: ChainStore): void {
    const header = store.header(store.base);
    assert(header !== undefined && store.base === store.head?.number, "an import is looked at before the next block");
    const { final, epoch, certificate } = finalBase(store, this.#world.spec);
    this.height = final.height;
    this.lastEpoch = epoch.number;
    this.#blocks.set(final.height, final);
    this.#byHash.set(final.hash, final);
    this.#epochs.set(epoch.number, epoch);
    if (certificate !== undefined) this.#certificates.set(final.height, certificate);
  }

  #add(block: Block, certificate: Uint8Array | undefined): void {
    this.height = block.height;
    this.#blocks.set(block.height, block);
    this.#byHash.set(block.hash, block);
    if (certificate !== undefined) this.#certificates.set(block.height, decodeCertificate(certificate));
    if (block.next === undefined) return;
    this.lastEpoch++;
    this.#epochs.set(this.lastEpoch, makeEpoch(this.lastEpoch, block.next, block));
  }
}
