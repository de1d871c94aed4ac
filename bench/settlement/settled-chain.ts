/** The chain of tests with every block written down as soon as it is executed, as final ones are: reads do not go through overlays. */
import { EconomyChain } from "../../test/vm/support/economy-chain.ts";
import type { ExecutedBlock } from "../../vm/execution/execute-block.ts";
import { buildGenesisState } from "../../vm/genesis-state.ts";
import { MemoryState } from "../../vm/state/memory-state.ts";
import { MemoryPages } from "../../vm/tree/page-sources.ts";

export class SettledChain extends EconomyChain {
  readonly #values = new MemoryState();
  readonly #pages = new MemoryPages();

  constructor() {
    super();
    this.#write(buildGenesisState(this.spec));
  }

  override block(...args: Parameters<EconomyChain["block"]>): ExecutedBlock {
    const executed = super.block(...args);
    this.#write(executed);
    return executed;
  }

  #write({ changes, treeUpdate }: Pick<ExecutedBlock, "changes" | "treeUpdate">): void {
    this.#values.apply(changes);
    this.#pages.apply(treeUpdate);
    this.state = { reader: this.#values, head: treeUpdate.head, pages: this.#pages };
  }
}
