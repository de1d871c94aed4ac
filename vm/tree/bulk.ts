/**
 * Builds a tree bottom-up from its leaves in ascending order, in memory that does not grow with the tree: for
 * importing snapshots, genesis and large states. Pages are the largest complete subtrees within the limits, which
 * leaves them about 70% full; the same leaves give the same root as `updateTree`.
 */
import { assert } from "../../base/errors.ts";
import { prefix } from "./draft.ts";
import { hashSubtrees } from "./hash-subtrees.ts";
import { bitAt, criticalBitOf, isTreeKey } from "./keys.ts";
import { copyId, EMPTY_ROOT, ID_WORDS, idWords, KEY_BITS, keyBytes, leafTag, tagOf } from "./node-id.ts";
import { newPage, pageLimit, pageTag } from "./page.ts";
import type { NodeId, Page, TreeHead, TreeKey } from "./types.ts";

/** Receives each finished page once. */
export type PageSink = (number: number, page: Page) => void;

/** Pages hashed together; each has tens of nodes, so this fills the native hasher's batches. */
const HASH_BATCH = 512;

const NO_GAP = -1;

/** An entry on its way into a page; `gap` is the depth at which it parts from the entry before it. */
interface Entry {
  readonly key: Uint8Array;
  readonly tag: number;
  readonly ids: Uint32Array;
  readonly child: number;
  readonly gap: number;
}

interface UnhashedPage {
  readonly page: Page;
  readonly gap: number;
}

/** One level: entries that are not yet in a page, and pages that are not yet hashed. */
class Level {
  readonly #level: number;
  readonly #limit: number;
  #entries: Entry[] = [];
  #pages: UnhashedPage[] = [];

  constructor(level: number) {
    this.#level = level;
    this.#limit = pageLimit(level);
  }

  /** Adds an entry; a full batch of pages is handed to `hashed`. */
  add(entry: Entry, hashed: (level: number, pages: readonly UnhashedPage[]) => void): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.#limit) this.#cutPage(this.#firstSubtree());
    if (this.#pages.length >= HASH_BATCH) hashed(this.#level, this.takePages());
  }

  /** No entry will follow: the rest of the entries become pages. */
  close(): void {
    while (this.#entries.length > 0) {
      const end = this.#returnBelow((this.#entries[0] as Entry).gap);
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
    const end = this.#returnBelow((this.#entries[0] as Entry).gap);
    if (end >= 0) return end;
    let least = 1;
    for (let i = 2; i < this.#entries.length; i++) {
      if ((this.#entries[i] as Entry).gap < (this.#entries[least] as Entry).gap) least = i;
    }
    return least;
  }

  /** The first entry that parts from its predecessor above `gap`, -1 when there is none yet. */
  #returnBelow(gap: number): number {
    for (let i = 1; i < this.#entries.length; i++) if ((this.#entries[i] as Entry).gap < gap) return i;
    return -1;
  }

  #cutPage(length: number): void {
    const entries = this.#entries.slice(0, length);
    this.#entries = this.#entries.slice(length);
    let stride = 0;
    for (const { key } of entries) if (key.length > stride) stride = key.length;
    const page = newPage(this.#level, length, stride, this.#level === 0 ? [] : entries.map(({ child }) => child));
    for (const [i, { key, ids, gap }] of entries.entries()) {
      page.keys.set(key, i * stride);
      copyId(ids, 0, page.ids, i * ID_WORDS);
      if (i > 0) page.gaps[i] = gap;
    }
    this.#pages.push({ page, gap: (entries[0] as Entry).gap });
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
    this.#level(0).add({ key, tag: leafTag(key.length), ids: idWords(leaf), child: 0, gap }, this.#hashed);
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
      const key = prefix(page.keys, keyBytes(tag), tag);
      this.#level(level + 1).add({ key, tag, ids: ids[i] as Uint32Array, child, gap }, this.#hashed);
    }
  };

  #head(pages: readonly UnhashedPage[]): TreeHead {
    const { page } = pages[0] as UnhashedPage;
    const rootPage = this.#nextPage++;
    this.#sink(rootPage, page);
    const root = new Uint8Array((rootsOf(pages)[0] as Uint32Array).buffer);
    return { root, rootPage, nextPage: this.#nextPage };
  }
}

function rootsOf(pages: readonly UnhashedPage[]): Uint32Array<ArrayBuffer>[] {
  const roots = pages.map(() => new Uint32Array(ID_WORDS));
  hashSubtrees(
    pages.map(({ page }) => page),
    (i, words, at) => copyId(words, at, roots[i] as Uint32Array, 0),
  );
  return roots;
}
