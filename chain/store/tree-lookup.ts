import { findEntry } from "../../vm/tree/find-entry.ts";
import { ACCOUNT_KEY_BYTES, SLOT_KEY_BYTES } from "../../vm/tree/keys.ts";
import { SLOT_TAG } from "../../vm/tree/node-id.ts";
import { entryChild, entryTag } from "../../vm/tree/page.ts";
import type { PageSource, TreeHead, TreeKey } from "../../vm/tree/types.ts";

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
