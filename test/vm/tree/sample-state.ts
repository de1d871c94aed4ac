/** A small state with values, whose leaves can be proven. */
import fc from "fast-check";
import { bytesToHex, equalBytes, padLeft } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { type Account, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import { accountPayload } from "../../../vm/tree/proof.ts";
import type { PayloadSource } from "../../../vm/tree/prove.ts";
import type { Leaf } from "../../../vm/tree/scan.ts";
import type { NodeId, PageSource, TreeHead, TreeKey } from "../../../vm/tree/types.ts";
import { updateTree } from "../../../vm/tree/update.ts";
import { anyKey } from "./arbitraries.ts";
import { naiveAccountLeaf, naiveSlotLeaf } from "./naive-tree.ts";

export function accountOf(key: TreeKey): Account {
  return { nonce: BigInt(key[5] as number), balance: BigInt(key[9] as number) << 64n, codeHash: EMPTY_CODE_HASH };
}

/** Not zero. */
export function slotValue(key: TreeKey): Uint8Array {
  return new Uint8Array([(key[40] as number) | 1, key[50] as number]);
}

function leafOf(key: TreeKey): NodeId {
  if (key.length === 64) return naiveSlotLeaf(key, slotValue(key));
  const { nonce, balance } = accountOf(key);
  const bytes = (value: bigint): Uint8Array =>
    Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"));
  return naiveAccountLeaf(key, bytes(nonce), bytes(balance), Buffer.from(EMPTY_CODE_HASH.slice(2), "hex"));
}

export class SampleState implements PayloadSource {
  readonly head: TreeHead;
  readonly pages: PageSource;
  /** In order. */
  readonly leaves: readonly Leaf[];

  constructor(keys: readonly TreeKey[]) {
    const unique = new Map(keys.map((key) => [bytesToHex(key), key]));
    const order = [...unique.keys()].sort();
    this.leaves = order.map((text) => unique.get(text) as TreeKey).map((key) => ({ key, leaf: leafOf(key) }));
    const pages = new MemoryPages();
    const update = updateTree(EMPTY_HEAD, pages, this.leaves);
    pages.apply(update);
    this.pages = pages;
    this.head = update.head;
  }

  has(key: TreeKey): boolean {
    return this.leaves.some((leaf) => equalBytes(leaf.key, key));
  }

  payload(key: TreeKey): Uint8Array {
    assert(this.has(key), "asked for a value that the state does not have");
    return key.length === 64 ? padLeft(slotValue(key), 32) : accountPayload(accountOf(key));
  }
}

export const anyState: fc.Arbitrary<SampleState> = fc
  .array(anyKey, { maxLength: 150, size: "max" })
  .map((keys) => new SampleState(keys));
