/**
 * The keys of those who have sent something lately, and checking many signatures against them at once. Whoever sends much
 * is known, so most of what nodes hand on is checked so: 16 us a signature, where recovering its key takes 70 (measured,
 * 64 signatures of ten keys; `npm run bench -- recover`). What is confirmed is exactly what recovering would have found.
 */
import { randomFillSync } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { equalBytes } from "../../base/bytes.ts";
import { publicKeyToAddress } from "../../base/secp256k1.ts";
import { claimOfBytes, type SenderClaim } from "./claim.ts";

/** The addon that set-up compiles from the C++ sources in `native`, where there is a compiler. */
export interface KeyAddon {
  /** What makes checks against the key of 64 bytes (x, y) fast; `undefined` when it is no key. */
  makeTable(publicKey: Uint8Array): Uint8Array | undefined;
  /**
   * Whether each signature was made by the key that `keyOf` names in `tables`: exactly if recovering would give it. All or
   * none; `random` has 16 bytes for each that nobody could foresee.
   */
  check(signatures: Uint8Array, keyOf: Uint32Array, tables: readonly Uint8Array[], random: Uint8Array): boolean;
}

export interface ClaimedSignature {
  readonly claim: SenderClaim;
  /** What was signed. */
  readonly hash: Uint8Array;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: 0 | 1;
}

interface KnownKey {
  /** The address. */
  readonly sender: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Made when it is needed: most keys are met once. */
  table: Uint8Array | undefined;
}

const SIGNATURE_BYTES = 97;
const RANDOM_BYTES = 16;
/** Fewer are recovered as fast one by one (measured). */
const MIN_CHECKED = 4;
/** In each of two generations, at most; 3 kB each. */
const MAX_KEYS = 1_024;

export class KnownKeys {
  readonly #addon: KeyAddon;
  /** When the young one is full, the old one is forgotten. Keys that are used are young again. */
  #young = new Map<SenderClaim, KnownKey>();
  #old = new Map<SenderClaim, KnownKey>();

  constructor(addon: KeyAddon) {
    this.#addon = addon;
  }

  /** Of 64 bytes, as recovered. Returns its address. */
  remember(publicKey: Uint8Array): Uint8Array {
    const sender = publicKeyToAddress(publicKey);
    const claim = claimOfBytes(sender);
    const before = this.#find(claim);
    if (before === undefined || !equalBytes(before.sender, sender)) {
      this.#keep(claim, { sender, publicKey, table: undefined });
    }
    return sender;
  }

  knows(claim: SenderClaim): boolean {
    return this.#young.has(claim) || this.#old.has(claim);
  }

  /** The senders of all of these; `undefined` if one of the claims is false, or names no key that is known. */
  confirm(signatures: readonly ClaimedSignature[]): readonly Uint8Array[] | undefined {
    if (signatures.length < MIN_CHECKED) return undefined;
    const packed = new Uint8Array(signatures.length * SIGNATURE_BYTES);
    const keyOf = new Uint32Array(signatures.length);
    const places = new Map<SenderClaim, number>();
    const keys: KnownKey[] = [];
    const tables: Uint8Array[] = [];
    for (const [index, { claim, hash, r, s, yParity }] of signatures.entries()) {
      let place = places.get(claim);
      if (place === undefined) {
        const key = this.#find(claim);
        if (key !== undefined) key.table ??= this.#addon.makeTable(key.publicKey);
        if (key?.table === undefined) return undefined;
        place = keys.push(key) - 1;
        tables.push(key.table);
        places.set(claim, place);
      }
      keyOf[index] = place;
      const at = index * SIGNATURE_BYTES;
      packed.set(hash, at);
      packed.set(r, at + 64 - r.length);
      packed.set(s, at + 96 - s.length);
      packed[at + 96] = yParity;
    }
    const random = randomFillSync(new Uint8Array(signatures.length * RANDOM_BYTES));
    if (!this.#addon.check(packed, keyOf, tables, random)) return undefined;
    return [...keyOf].map((place) => (keys[place] as KnownKey).sender);
  }

  #find(claim: SenderClaim): KnownKey | undefined {
    const young = this.#young.get(claim);
    if (young !== undefined) return young;
    const old = this.#old.get(claim);
    if (old !== undefined) this.#keep(claim, old);
    return old;
  }

  #keep(claim: SenderClaim, key: KnownKey): void {
    if (this.#young.size >= MAX_KEYS) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(claim, key);
  }
}

/** From the sources and from `dist`, which lies one folder further down. */
const PLACES = ["../../build/native/senders.node", "../../../build/native/senders.node"];

/** `undefined` where it was not compiled: then every key is recovered. */
export function loadKeyAddon(): KeyAddon | undefined {
  const place = PLACES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (place === undefined) return undefined;
  try {
    return createRequire(import.meta.url)(place) as KeyAddon;
  } catch {
    return undefined;
  }
}
