/**
 * Checks what comes from the disk against the tree. A damaged file may lose a key, or lose the newest version of a key
 * and show the one before, whose own checksum is right. The root of the state is the one thing that is known, and it
 * commits to everything else.
 */
import { equalBytes } from "../../base/bytes.ts";
import { findEntry } from "../../vm/tree/find-entry.ts";
import { hashSubtrees } from "../../vm/tree/hash-subtrees.ts";
import { ID_BYTES } from "../../vm/tree/node-id.ts";
import { entryChild, entryHasId, entryId, pagePrefix, pageTag } from "../../vm/tree/page.ts";
import type { NodeId, Page, PageSource, TreeHead, TreeKey } from "../../vm/tree/types.ts";

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
