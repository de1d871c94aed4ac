/** Which blobs there are, whose they are and who wants them kept. Sums are kept along, so that a quota costs one look. */
import type { Hex } from "../../../base/bytes.ts";
import { agentError } from "../errors.ts";
import type { BlobLimits } from "../limits.ts";

export interface BlobEntry {
  readonly address: Hex;
  readonly bytes: number;
  /** Who brought it: `""` is the operator, who has no quota of its own. */
  readonly owner: string;
  /** Names of those who want it kept. */
  readonly pins: readonly string[];
  /** Milliseconds since 1970. */
  readonly used: number;
}

export class BlobIndex {
  readonly #limits: BlobLimits;
  /** Those used last are last. */
  readonly #entries = new Map<Hex, BlobEntry>();
  readonly #ownerBytes = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BlobLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#entries.size;
  }

  bytesOf(owner: string): number {
    return this.#ownerBytes.get(owner) ?? 0;
  }

  get(address: Hex): BlobEntry | undefined {
    return this.#entries.get(address);
  }

  entries(): IterableIterator<BlobEntry> {
    return this.#entries.values();
  }

  /** In the place of what was there under its address; it counts as used last. */
  set(entry: BlobEntry): void {
    this.delete(entry.address);
    this.#entries.set(entry.address, entry);
    this.#count(entry, 1);
  }

  delete(address: Hex): void {
    const entry = this.#entries.get(address);
    if (entry === undefined) return;
    this.#entries.delete(address);
    this.#count(entry, -1);
  }

  #count({ owner, bytes }: BlobEntry, sign: 1 | -1): void {
    this.#bytes += sign * bytes;
    const sum = this.bytesOf(owner) + sign * bytes;
    if (sum === 0) this.#ownerBytes.delete(owner);
    else this.#ownerBytes.set(owner, sum);
  }

  /** What may go, longest unused first: nobody pinned it. */
  *loose(): Generator<BlobEntry> {
    for (const entry of this.#entries.values()) if (entry.pins.length === 0) yield entry;
  }

  /**
   * What must go for `bytes` more of the owner, whose uploads under way have `reserved` already. Throws BLOB_QUOTA when
   * pins stand in the way: an owner makes room only at its own cost, so nobody can push out what others brought
   * before their time, but for the store as a whole.
   */
  roomFor(owner: string, bytes: number, reserved: { readonly owner: number; readonly all: number }): readonly Hex[] {
    const gone: Hex[] = [];
    let total = this.#bytes + reserved.all + bytes - this.#limits.totalBytes;
    let own = owner === "" ? 0 : this.bytesOf(owner) + reserved.owner + bytes - this.#limits.ownerBytes;
    let count = this.count + 1 - this.#limits.blobs;
    for (const entry of this.loose()) {
      if (total <= 0 && own <= 0 && count <= 0) break;
      const isOwn = entry.owner === owner;
      if (!isOwn && total <= 0 && count <= 0) continue;
      // Strangers never push out what the operator brought.
      if (!isOwn && entry.owner === "") continue;
      gone.push(entry.address);
      total -= entry.bytes;
      count--;
      if (isOwn) own -= entry.bytes;
    }
    if (total <= 0 && own <= 0 && count <= 0) return gone;
    const whose = own > 0 ? "your quota" : "the store";
    throw agentError("BLOB_QUOTA", `${whose} has no room for ${bytes} bytes more`, {
      ...{ bytes, owner },
      hint: "Try again later, with less, or at another provider.",
    });
  }
}
