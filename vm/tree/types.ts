/**
 * The state tree's data: a path-compressed binary Merkle trie over 512-bit keys, stored in pages.
 * docs/adr/0001-state-tree.md says why it has this shape, docs/spec/state-tree.md how it is hashed.
 */

/**
 * 32 bytes that name a node: two bytes of tag, then the last 30 bytes of the node's SHA-256.
 * The tag of an inner node is its depth (the index of the first bit in which its two children differ, 0 to
 * 511); leaves have tags of their own (see node-id.ts). So the hash of a parent commits to the shape below it.
 */
export type NodeId = Uint8Array;

/** 32 bytes: the key of an account. 64 bytes: account key, then slot key. See keys.ts. */
export type TreeKey = Uint8Array;

/**
 * A complete subtree of the trie: sorted entries, each a leaf (level 0) or the root of a child page
 * (level 1 and above). Immutable: an update makes new pages. Inner nodes within a page are not stored, they
 * follow from the depths at which neighbours part.
 *
 * A page is its own encoding (see page.ts), because updates read and write thousands of pages: taking them apart
 * into arrays of keys and ids costs more than all the hashing (measured).
 */
export interface Page {
  readonly level: number;
  /** Entries; at least one. */
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Where a version of the tree starts. Page numbers are not part of any hash. */
export interface TreeHead {
  /** 32 zero bytes for the empty tree. */
  readonly root: NodeId;
  /** 0 for the empty tree. */
  readonly rootPage: number;
  /** The next page number to hand out; page numbers start at 1, and a removed page's number is not used again. */
  readonly nextPage: number;
}

/** Pages of one version of the tree: a cache over the disk, or an overlay over another source. */
export interface PageSource {
  /** Asserts that the page exists. */
  page(number: number): Page;
}

export interface LeafChange {
  readonly key: TreeKey;
  /** The leaf's node id; `undefined` removes the leaf. */
  readonly leaf: NodeId | undefined;
}

/**
 * What an update made: everything that is not listed here is as it was. A page that changed keeps its number,
 * so `written` replaces pages as well as adding them; no number is in both.
 */
export interface TreeUpdate {
  readonly head: TreeHead;
  readonly written: ReadonlyMap<number, Page>;
  readonly removed: readonly number[];
}
