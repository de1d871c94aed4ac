/** Pages in memory: a whole tree, and the pages that updates wrote over another source. */
import { assert } from "../../base/errors.ts";
import { EMPTY_ROOT } from "./node-id.ts";
import type { Page, PageSource, TreeHead, TreeUpdate } from "./types.ts";

/** The tree without leaves. */
export const EMPTY_HEAD: TreeHead = { root: EMPTY_ROOT, rootPage: 0, nextPage: 1 };

/** A tree that lives in memory alone. */
export class MemoryPages implements PageSource {
  readonly #pages = new Map<number, Page>();

  page(number: number): Page {
    const page = this.#pages.get(number);
    assert(page !== undefined, `there is no page ${number}`);
    return page;
  }

  /** Puts a page in place, as a `TreeBuilder` makes them. */
  put(number: number, page: Page): void {
    this.#pages.set(number, page);
  }

  apply(update: Pick<TreeUpdate, "written" | "removed">): void {
    for (const [number, page] of update.written) this.#pages.set(number, page);
    for (const number of update.removed) {
      assert(this.#pages.delete(number), `removed page ${number} that was not there`);
    }
  }

  get numbers(): readonly number[] {
    return [...this.#pages.keys()];
  }
}

/** What an unfinalised block wrote, over the pages of its parent. Immutable like the update it shows. */
export class OverlayPages implements PageSource {
  readonly #update: TreeUpdate;
  readonly #parent: PageSource;

  constructor(parent: PageSource, update: TreeUpdate) {
    this.#parent = parent;
    this.#update = update;
  }

  get head(): TreeHead {
    return this.#update.head;
  }

  page(number: number): Page {
    return this.#update.written.get(number) ?? this.#parent.page(number);
  }
}
