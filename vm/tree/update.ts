/**
 * Applies changes to the tree: one pass from the top decides the new shape of the pages, then all new pages are
 * hashed from the bottom, level by level, in batches. Each page is read once and written once.
 */
import {
  cut,
  Draft,
  draftPage,
  gapBetween,
  gapsOf,
  type Item,
  isSmall,
  itemOfDraft,
  itemOfLeaf,
  itemsOf,
  rootGap,
} from "./draft.ts";
import { findEntry } from "./find-entry.ts";
import { hashSubtrees } from "./hash-subtrees.ts";
import { copyBytes, EMPTY_ROOT, ID_BYTES, sharedBits } from "./node-id.ts";
import { copyPage, entryChild, entryHasId, entryId, entryTag, pageLimit, pageTag, setEntryId } from "./page.ts";
import { type SortedChanges, sortChanges } from "./sort-changes.ts";
import type { LeafChange, NodeId, Page, PageSource, TreeHead, TreeUpdate } from "./types.ts";

/** Keys of the changes must be distinct; their order does not matter. */
export function updateTree(head: TreeHead, source: PageSource, changes: readonly LeafChange[]): TreeUpdate {
  return new Update(head, source, sortChanges(changes)).run();
}

/**
 * What became of a page: `undefined` when nothing changed, one draft when it is still one page, else drafts, or none
 * when it is gone. Almost always it is still one page, and thousands of arrays of one are felt.
 */
type Outcome = Draft | readonly Draft[] | undefined;

/** A change in an inner page's list: drafts in place of an entry, or after it (-1: before the first). */
interface Part {
  readonly entry: number;
  readonly replaces: boolean;
  readonly drafts: readonly Draft[];
}

class Update {
  readonly #head: TreeHead;
  readonly #source: PageSource;
  readonly #changes: readonly LeafChange[];
  readonly #gaps: Uint16Array;
  readonly #removed: number[] = [];
  readonly #levels: Draft[][] = [];
  #nextPage: number;

  constructor(head: TreeHead, source: PageSource, { changes, gaps }: SortedChanges) {
    this.#head = head;
    this.#source = source;
    this.#changes = changes;
    this.#gaps = gaps;
    this.#nextPage = head.nextPage;
  }

  run(): TreeUpdate {
    const { rootPage } = this.#head;
    const end = this.#changes.length;
    const outcome = rootPage === 0 ? this.#build(0, this.#inserted(0, end)) : this.#visit(rootPage, 0, end);
    if (outcome === undefined) return { head: this.#head, written: new Map(), removed: [] };
    return this.#finish(this.#growRoot(listOf(outcome)));
  }

  #visit(number: number, start: number, end: number): Outcome {
    const page = this.#source.page(number);
    return page.level === 0 ? this.#visitLeaves(page, number, start, end) : this.#visitInner(page, number, start, end);
  }

  /** Most changes give existing leaves a new id: then the page keeps its keys and needs no new layout. */
  #visitLeaves(page: Page, number: number, start: number, end: number): Outcome {
    let copy: Page | undefined;
    for (let i = start; i < end; i++) {
      const { key, leaf } = this.#changes[i] as LeafChange;
      const { entry, covered } = findEntry(page, key);
      if (leaf === undefined && !covered) continue;
      if (leaf === undefined || !covered) return this.#mergeLeaves(page, number, start, end);
      if (entryHasId(page, entry, leaf)) continue;
      copy ??= copyPage(page);
      setEntryId(copy, entry, leaf, 0);
    }
    return copy === undefined ? undefined : this.#keep(copy, number);
  }

  #mergeLeaves(page: Page, number: number, start: number, end: number): readonly Draft[] {
    const old = itemsOf(page);
    const items: Item[] = [];
    let next = 0;
    for (let i = start; i < end; i++) {
      const { key, leaf } = this.#changes[i] as LeafChange;
      const { entry, covered } = findEntry(page, key);
      while (next < entry) items.push(old[next++] as Item);
      if (next === entry) {
        if (!covered) items.push(old[next] as Item);
        next++;
      }
      if (leaf !== undefined) items.push(itemOfLeaf(key, leaf));
    }
    while (next < old.length) items.push(old[next++] as Item);
    return this.#layOut(0, items, [number]);
  }

  #visitInner(page: Page, number: number, start: number, end: number): Outcome {
    let kept: Draft | undefined;
    let parts: Part[] | undefined;
    for (let i = start, stop = start; i < end; i = stop) {
      const { entry, covered } = findEntry(page, (this.#changes[i] as LeafChange).key);
      stop = covered ? this.#endOfCovered(sharedBits(entryTag(page, entry)), i, end) : this.#endOfStrays(page, i, end);
      const outcome = covered
        ? this.#visit(entryChild(page, entry), i, stop)
        : this.#buildStrays(page, entry, this.#inserted(i, stop));
      if (outcome === undefined) continue;
      if (outcome instanceof Draft && covered && keepsPlace(page, entry, outcome)) {
        outcome.slot = entry;
        outcome.next = kept;
        kept = outcome;
      } else {
        parts ??= [];
        parts.push({ entry, replaces: covered, drafts: listOf(outcome) });
      }
    }
    if (parts !== undefined) return this.#newLayout(page, number, kept, parts);
    return kept === undefined ? undefined : this.#keepLayout(page, number, kept);
  }

  /** The end of the run of changes that agree with the first one in `shared` bits: all lie in one subtree. */
  #endOfCovered(shared: number, start: number, end: number): number {
    let stop = start + 1;
    while (stop < end && (this.#gaps[stop] as number) >= shared) stop++;
    return stop;
  }

  /** The end of the run of changes that lie between two entries, in the subtree of neither. */
  #endOfStrays(page: Page, start: number, end: number): number {
    const { entry } = findEntry(page, (this.#changes[start] as LeafChange).key);
    let stop = start + 1;
    while (stop < end && findEntry(page, (this.#changes[stop] as LeafChange).key).entry === entry) stop++;
    return stop;
  }

  #inserted(start: number, end: number): Item[] {
    const items: Item[] = [];
    for (let i = start; i < end; i++) {
      const { key, leaf } = this.#changes[i] as LeafChange;
      if (leaf !== undefined) items.push(itemOfLeaf(key, leaf));
    }
    return items;
  }

  /**
   * New leaves that branch off between two entries, above the roots of both. Pages are complete subtrees, so the
   * leaves make pages of their own, one set for each subtree that they form without the entries around them.
   */
  #buildStrays(page: Page, entry: number, leaves: readonly Item[]): Outcome {
    const first = leaves[0];
    const last = leaves.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const around = itemsOf(page);
    const before = entry < 0 ? -1 : gapBetween(around[entry] as Item, first);
    const after = entry + 1 === page.count ? -1 : gapBetween(last, around[entry + 1] as Item);
    const gaps = gapsOf(leaves);
    const drafts: Draft[] = [];
    const group = (start: number, end: number, left: number, right: number): void => {
      const middle = end - start > 1 ? rootGap(gaps, start, end) : start;
      if (middle === start || (gaps[middle] as number) > Math.max(left, right)) {
        drafts.push(...listOf(this.#build(page.level - 1, leaves.slice(start, end))));
        return;
      }
      group(start, middle, left, gaps[middle] as number);
      group(middle, end, gaps[middle] as number, right);
    };
    group(0, leaves.length, before, after);
    return drafts;
  }

  /** Pages of one level for leaves that form a complete subtree; `undefined` when there are none. */
  #build(level: number, leaves: readonly Item[]): Outcome {
    if (leaves.length === 0) return undefined;
    let drafts = this.#layOut(0, leaves, []);
    for (let above = 1; above <= level; above++) drafts = this.#layOut(above, drafts.map(itemOfDraft), []);
    return drafts;
  }

  /** The page with new ids: each changed child is still one page with a root in the same place. */
  #keepLayout(page: Page, number: number, kept: Draft): Draft {
    const draft = this.#keep(copyPage(page), number);
    for (let child: Draft | undefined = kept; child !== undefined; child = child.next) child.parent = draft;
    return draft;
  }

  #newLayout(page: Page, number: number, kept: Draft | undefined, changed: readonly Part[]): readonly Draft[] {
    const parts = [...changed];
    for (let draft = kept; draft !== undefined; draft = draft.next) {
      parts.push({ entry: draft.slot, replaces: true, drafts: [draft] });
    }
    // What replaces an entry comes before what follows it.
    parts.sort((a, b) => a.entry - b.entry || Number(b.replaces) - Number(a.replaces));
    const old = itemsOf(page);
    const items: Item[] = [];
    let next = 0;
    for (const { entry, replaces, drafts } of parts) {
      while (next < entry) items.push(old[next++] as Item);
      if (next === entry) {
        if (!replaces) items.push(old[next] as Item);
        next++;
      }
      items.push(...drafts.map(itemOfDraft));
    }
    while (next < old.length) items.push(old[next++] as Item);
    return this.#layOut(page.level, this.#mergeSmall(page.level - 1, items), [number]);
  }

  /** Cuts entries into pages. The first pages take the numbers given; numbers that are left over are free. */
  #layOut(level: number, items: readonly Item[], numbers: readonly number[]): readonly Draft[] {
    const gaps = gapsOf(items);
    const pieces = items.length === 0 ? [] : cut(gaps, pageLimit(level));
    const drafts = pieces.map((piece, i) => {
      const number = numbers[i] ?? this.#nextPage++;
      return this.#register(draftPage(level, items, gaps, piece, number));
    });
    for (const number of numbers.slice(pieces.length)) this.#release(number);
    return drafts;
  }

  /** Joins pages that shrank with their siblings, so that removals do not leave a tree of tiny pages. */
  #mergeSmall(level: number, items: Item[]): Item[] {
    for (let i = 0; i < items.length; ) {
      const { draft } = items[i] as Item;
      const left = draft !== undefined && isSmall(draft) ? leftOfSiblings(items, i) : -1;
      const merged = left < 0 ? undefined : this.#merge(level, items[left] as Item, items[left + 1] as Item);
      if (merged === undefined) {
        i++;
      } else {
        items.splice(left, 2, itemOfDraft(merged));
        i = left;
      }
    }
    return items;
  }

  #merge(level: number, left: Item, right: Item): Draft | undefined {
    const leftPage = left.draft?.page ?? this.#source.page(left.child);
    const rightPage = right.draft?.page ?? this.#source.page(right.child);
    // Half a page, so that the next few insertions do not split it again.
    if ((leftPage.count + rightPage.count) * 2 > pageLimit(level)) return undefined;
    for (const { draft } of [left, right]) if (draft !== undefined) draft.live = false;
    const items = [...itemsOf(leftPage, this.#childrenOf(left)), ...itemsOf(rightPage, this.#childrenOf(right))];
    const joined = level === 0 ? items : this.#mergeSmall(level - 1, items);
    return this.#layOut(level, joined, [left.child, right.child])[0];
  }

  /** The drafts among the children of an entry's page. Merging is rare, so they are looked for. */
  #childrenOf({ draft }: Item): readonly Draft[] {
    if (draft === undefined || draft.page.level === 0) return [];
    const below = this.#levels[draft.page.level - 1] ?? [];
    return below.filter((child) => child.live && child.parent === draft);
  }

  /** A page with the layout that it had. */
  #keep(page: Page, number: number): Draft {
    return this.#register(new Draft(page, number, pageTag(page), false));
  }

  #register(draft: Draft): Draft {
    const { level } = draft.page;
    while (this.#levels.length <= level) this.#levels.push([]);
    this.#levels[level]?.push(draft);
    return draft;
  }

  /** Numbers handed out by this update were never seen by anybody. */
  #release(number: number): void {
    if (number < this.#head.nextPage) this.#removed.push(number);
  }

  #growRoot(outcome: readonly Draft[]): Draft | undefined {
    let drafts = outcome;
    while (drafts.length > 1) {
      drafts = this.#layOut((drafts[0] as Draft).page.level + 1, drafts.map(itemOfDraft), []);
    }
    return drafts[0];
  }

  #finish(top: Draft | undefined): TreeUpdate {
    const { root, rootPage } = top === undefined ? { root: EMPTY_ROOT, rootPage: 0 } : this.#shrinkRoot(top);
    const written = new Map<number, Page>();
    const hashed = new Uint8Array(ID_BYTES);
    for (const drafts of this.#levels) {
      const live = drafts.filter((draft) => draft.live);
      hashSubtrees(
        live.map(({ page }) => page),
        (i, id, at) => {
          const { parent, slot } = live[i] as Draft;
          if (parent === undefined) copyBytes(id, at, hashed, 0, ID_BYTES);
          else setEntryId(parent.page, slot, id, at);
        },
      );
      for (const { number, page } of live) written.set(number, page);
    }
    const head = { root: root ?? hashed, rootPage, nextPage: this.#nextPage };
    return { head, written, removed: this.#removed };
  }

  /** A root page with one child gives way to it. The root's id is known when that child did not change. */
  #shrinkRoot(top: Draft): { root: NodeId | undefined; rootPage: number } {
    let draft = top;
    while (draft.page.level > 0 && draft.page.count === 1) {
      draft.live = false;
      this.#release(draft.number);
      const [child] = this.#childrenOf(itemOfDraft(draft));
      if (child === undefined) return this.#shrinkKept(entryId(draft.page, 0), entryChild(draft.page, 0));
      child.parent = undefined;
      draft = child;
    }
    return { root: undefined, rootPage: draft.number };
  }

  #shrinkKept(root: NodeId, number: number): { root: NodeId; rootPage: number } {
    let rootPage = number;
    for (
      let page = this.#source.page(rootPage);
      page.level > 0 && page.count === 1;
      page = this.#source.page(rootPage)
    ) {
      this.#release(rootPage);
      rootPage = entryChild(page, 0);
    }
    return { root, rootPage };
  }
}

function listOf(outcome: Outcome): readonly Draft[] {
  if (outcome === undefined) return [];
  return outcome instanceof Draft ? [outcome] : outcome;
}

/** True when the draft fits in its parent as the page did that it replaces. */
function keepsPlace(parent: Page, entry: number, draft: Draft): boolean {
  return draft.tag === entryTag(parent, entry) && !isSmall(draft);
}

/** The left one of the two items that item `index` and its sibling are, -1 when its sibling is more than one item. */
function leftOfSiblings(items: readonly Item[], index: number): number {
  const gap = (i: number): number =>
    i <= 0 || i >= items.length ? -1 : gapBetween(items[i - 1] as Item, items[i] as Item);
  for (const left of [index - 1, index]) {
    const between = gap(left + 1);
    if (left >= 0 && between > gap(left) && between > gap(left + 2)) return left;
  }
  return -1;
}
