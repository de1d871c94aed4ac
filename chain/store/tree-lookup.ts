/**
 * Checks what comes from the disk against the tree, and answers what the flat records cannot. A damaged file may lose
 * a key, or lose the newest version of a key and show the one before, whose own checksum is right. The root of the
 * state is the one thing that is known, and it commits to everything else.
 */
import { equalBytes } from "../../base/bytes.ts";
import { findEntry } from "../../vm/tree/find-entry.ts";
import { hashSubtrees } from "../../vm/tree/hash-subtrees.ts";
import { ACCOUNT_KEY_BYTES, SLOT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { ID_BYTES, SLOT_TAG } from "../../vm/tree/node-id.ts";
import { entryChild, entryHasId, entryId, entryTag, pagePrefix, pageTag } from "../../vm/tree/page.ts";
import type { NodeId, Page, PageSource, TreeHead, TreeKey } from "../../vm/tree/types.ts";

/** True when the tree has a slot of the account: the last leaf that is not above all its possible slots is one. */
export function hasSlots(head: TreeHead, pages: PageSource, account: TreeKey): boolean {
  const last = new Uint8Array(SLOT_KEY_BYTES).fill(0xff);
  last.set(account);
  let number = head.rootPage;
  while (number !== 0) {
    const page = pages.page(number);
    const { entry, gapBefore } = findEntry(page, last);
    if (entry < 0) return false;
    if (page.level === 0) return gapBefore >= ACCOUNT_KEY_BYTES * 8 && entryTag(page, entry) === SLOT_TAG;
    // Subtrees are disjoint, so slots of the account can only be in this one.
    number = entryChild(page, entry);
  }
  return false;
}

/** True when the tree's leaf with that key is `leaf`, or when it has none and `leaf` is `undefined`. */
export function isLeaf(head: TreeHead, pages: PageSource, key: TreeKey, leaf: NodeId | undefined): boolean {
  let number = head.rootPage;
  while (number !== 0) {
    const page = pages.page(number);
    const { entry, covered } = findEntry(page, key);
    if (!covered) return leaf === undefined;
    if (page.level === 0) return leaf !== undefined && entryHasId(page, entry, leaf);
    number = entryChild(page, entry);
  }
  return leaf === undefined;
}

/** True when the page is the one that the tree has under that number. Its ancestors are read from `pages`. */
export function isPage(head: TreeHead, pages: PageSource, number: number, page: Page): boolean {
  const expected = idOfPage(head, pages, number, page);
  return expected !== undefined && equalBytes(rootOfPage(page), expected);
}

/** The id that the parent has for page `number`; `page` serves to find the way. */
function idOfPage(head: TreeHead, pages: PageSource, number: number, page: Page): NodeId | undefined {
  if (number === head.rootPage) return head.root;
  const prefix = pagePrefix(page, pageTag(page));
  for (let at = head.rootPage; at !== 0; ) {
    const ancestor = pages.page(at);
    if (ancestor.level <= page.level) return undefined;
    const { entry } = findEntry(ancestor, prefix);
    if (entry < 0) return undefined;
    at = entryChild(ancestor, entry);
    if (at === number) return entryId(ancestor, entry);
  }
  return undefined;
}

function rootOfPage(page: Page): NodeId {
  const root = new Uint8Array(ID_BYTES);
  hashSubtrees([page], (_row, bytes, at) => {
    for (let i = 0; i < ID_BYTES; i++) root[i] = bytes[at + i] as number;
  });
  return root;
}
