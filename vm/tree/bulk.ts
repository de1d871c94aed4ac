/**
 * Builds a tree bottom-up from its leaves in ascending order, in memory that does not grow with the tree: for
 * importing snapshots, genesis and large states. Pages are the largest complete subtrees within the limits, which
 * leaves them about 70% full; the same leaves give the same root as `updateTree`.
 */
import { assert } from "../../base/errors.ts";
import { hashSubtrees } from "./hash-subtrees.ts";
import { bitAt, criticalBitOf, isTreeKey } from "./keys.ts";
import { copyBytes, EMPTY_ROOT, ID_BYTES, KEY_BITS, leafTag, tagOf } from "./node-id.ts";
import { type Entry, makePage, pageLimit, pagePrefix, pageTag } from "./page.ts";
import type { NodeId, Page, TreeHead, TreeKey } from "./types.ts";

/** Receives each finished page once. */
export type PageSink = (number: number, page: Page) => void;

/** Pages hashed together; each has tens of nodes, so this fills the native hasher's batches. */
const HASH_BATCH = 512;

const NO_GAP = -1;

interface UnhashedPage {
  readonly page: Page;
  readonly gap: number;
}

/** One level: entries that are not yet in a page, and pages that are not yet hashed. */
class Level {
  readonly #level: number;
  readonly #limit: number;
  #entries: Entry[] = [];
  /** Per entry, the depth at which it parts from the one before it, also when that one is in a page already. */
  #gaps: number[] = [];
  #pages: UnhashedPage[] = [];

  constructor(level: number) {
    this.#level = level;
    this.#limit = pageLimit(level);
  }

  /** Adds an entry; a full batch of pages is handed to `hashed`. */
  add(entry: Entry, gap: number, hashed: (level: number, pages: readonly UnhashedPage[]) => void): void {
    this.#entries.push(entry);
    this.#gaps.push(gap);
    if (this.#entries.length > this.#limit) this.#cutPage(this.#firstSubtree());
    if (this.#pages.length >= HASH_BATCH) hashed(this.#level, this.takePages());
  }

  /** No entry will follow: the rest of the entries become pages. */
  close(): void {
    while (this.#entries.length > 0) {
      const end = this.#firstReturn();
      this.#cutPage(end < 0 ? this.#entries.length : end);
    }
  }

  takePages(): readonly UnhashedPage[] {
    const pages = this.#pages;
    this.#pages = [];
    return pages;
  }

  /**
   * The length of the largest complete subtree that starts at the first entry and fits in a page. There are more
   * entries than fit, and what came before the first entry did not fit with it either.
   */
  #firstSubtree(): number {
    const end = this.#firstReturn();
    if (end >= 0) return end;
    let least = 1;
    for (let i = 2; i < this.#gaps.length; i++) {
      if ((this.#gaps[i] as number) < (this.#gaps[least] as number)) least = i;
    }
    return least;
  }

  /** The first entry outside of the subtree that the first entry began, -1 when there is none yet. */
  #firstReturn(): number {
    const gap = this.#gaps[0] as number;
    return this.#gaps.findIndex((each) => each < gap);
  }

  #cutPage(length: number): void {
    const page = makePage(this.#level, this.#entries, Uint16Array.from(this.#gaps), 0, length);
    this.#pages.push({ page, gap: this.#gaps[0] as number });
    this.#entries = this.#entries.slice(length);
    this.#gaps = this.#gaps.slice(length);
  }
}

export class TreeBuilder {
  readonly #sink: PageSink;
  readonly #levels: Level[] = [new Level(0)];
  #nextPage: number;
  #lastKey: TreeKey | undefined;

  constructor(sink: PageSink, firstPage = 1) {
    this.#sink = sink;
    this.#nextPage = firstPage;
  }

  /** Keys ascend. The caller may reuse neither array. */
  add(key: TreeKey, leaf: NodeId): void {
    assert(isTreeKey(key) && tagOf(leaf) === leafTag(key.length), "a leaf has the wrong kind of key");
    const gap = this.#gapBefore(key);
    this.#lastKey = key;
    const entry = { key, keyAt: 0, tag: leafTag(key.length), id: leaf, idAt: 0, child: 0 };
    this.#level(0).add(entry, gap, this.#hashed);
  }

  finish(): TreeHead {
    if (this.#lastKey === undefined) return { root: EMPTY_ROOT, rootPage: 0, nextPage: this.#nextPage };
    for (let number = 0; ; number++) {
      const level = this.#level(number);
      level.close();
      const pages = level.takePages();
      if (number === this.#levels.length - 1 && pages.length === 1) return this.#head(pages);
      this.#hashed(number, pages);
    }
  }

  #gapBefore(key: TreeKey): number {
    if (this.#lastKey === undefined) return NO_GAP;
    const gap = criticalBitOf(this.#lastKey, key);
    assert(gap < KEY_BITS && bitAt(key, gap) === 1, "leaves must come in ascending order of their keys");
    return gap;
  }

  #level(number: number): Level {
    const found = this.#levels[number];
    if (found !== undefined) return found;
    const made = new Level(number);
    this.#levels.push(made);
    return made;
  }

  /** Hashes pages, hands them out and adds them to the level above. */
  readonly #hashed = (level: number, pages: readonly UnhashedPage[]): void => {
    const ids = rootsOf(pages);
    for (const [i, { page, gap }] of pages.entries()) {
      const child = this.#nextPage++;
      this.#sink(child, page);
      const tag = pageTag(page);
      const entry = { key: pagePrefix(page, tag), keyAt: 0, tag, id: ids[i] as NodeId, idAt: 0, child };
      this.#level(level + 1).add(entry, gap, this.#hashed);
    }
  };

  #head(pages: readonly UnhashedPage[]): TreeHead {
    const { page } = pages[0] as UnhashedPage;
    const rootPage = this.#nextPage++;
    this.#sink(rootPage, page);
    return { root: rootsOf(pages)[0] as NodeId, rootPage, nextPage: this.#nextPage };
  }
}

function rootsOf(pages: readonly UnhashedPage[]): NodeId[] {
  const roots = pages.map(() => new Uint8Array(ID_BYTES));
  hashSubtrees(
    pages.map(({ page }) => page),
    (i, id, at) => copyBytes(id, at, roots[i] as NodeId, 0, ID_BYTES),
  );
  return roots;
}
