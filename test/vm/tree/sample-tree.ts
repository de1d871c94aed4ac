/** Trees to test on. */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../../base/bytes.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import type { TreeHead } from "../../../vm/tree/types.ts";
import { updateTree } from "../../../vm/tree/update.ts";
import { someLeaf } from "./naive-tree.ts";

/** Account keys as hashes are: spread evenly. */
export function hashedKeys(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => sha256(utf8(`key ${i}`)));
}

export interface SampleTree {
  readonly head: TreeHead;
  readonly pages: MemoryPages;
}

/** A tree with `someLeaf` of version 0 at each key. */
export function treeOf(keys: readonly Uint8Array[]): SampleTree {
  const pages = new MemoryPages();
  const update = updateTree(
    EMPTY_HEAD,
    pages,
    keys.map((key) => ({ key, leaf: someLeaf(key, 0) })),
  );
  pages.apply(update);
  return { head: update.head, pages };
}
