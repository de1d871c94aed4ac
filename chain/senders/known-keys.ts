/**
 * The keys of those who have sent something lately, and checking signatures against them. Whoever sends much is known, so
 * most signatures are checked so, 2.9 times as fast as by recovering keys (`npm run bench -- recover`, 64 at once).
 * What is confirmed is exactly what recovering would have found.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { bytes32, equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { publicKeyToAddress, recoverPublicKey, signHash } from "../../base/secp256k1.ts";
import { claimOfBytes, NO_CLAIM, type SenderClaim } from "./claim.ts";

/** The addon that set-up compiles from the C++ sources in `native`, where there is a compiler. */
export interface KeyAddon {
  /** What makes checks against the key of 64 bytes (x, y) fast; `undefined` when it is no key. */
  makeTable(publicKey: Uint8Array): Uint8Array | undefined;
  /** For each signature, 1 if it was made by the key that `keyOf` names in `tables`, exactly if recovering would give it. */
  check(signatures: Uint8Array, keyOf: Uint32Array, tables: readonly Uint8Array[]): Uint8Array;
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
  /** The address; `undefined` where two keys have one claim: whoever makes such keys would have theirs tried in vain. */
  readonly sender: Uint8Array | undefined;
  readonly publicKey: Uint8Array;
  /** Met before: worth a table, which costs half as much again as recovering it. Most keys are met once. */
  isUsed: boolean;
  table: Uint8Array | undefined;
}

/** A signature with the key that it is checked against. */
interface Candidate {
  readonly index: number;
  readonly signature: ClaimedSignature;
  readonly key: KnownKey;
}

const SIGNATURE_BYTES = 97;
/** In each of two generations, at most; 10 kB each when they have a table. */
const MAX_KEYS = 1_024;

export class KnownKeys {
  readonly #addon: KeyAddon;
  readonly #claimOf: (sender: Uint8Array) => SenderClaim;
  /** When the young one is full, the old one is forgotten. Keys that are used are young again. */
  #young = new Map<SenderClaim, KnownKey>();
  #old = new Map<SenderClaim, KnownKey>();

  /** `claimOf`: for tests, which have no two keys of one claim. */
  constructor(addon: KeyAddon, claimOf: (sender: Uint8Array) => SenderClaim = claimOfBytes) {
    this.#addon = addon;
    this.#claimOf = claimOf;
  }

  /** Of 64 bytes, as recovered. Returns its address. */
  remember(publicKey: Uint8Array): Uint8Array {
    const sender = publicKeyToAddress(publicKey);
    const claim = this.#claimOf(sender);
    const before = this.#find(claim);
    if (before === undefined) this.#keep(claim, { sender, publicKey, isUsed: false, table: undefined });
    else if (before.sender !== undefined && !equalBytes(before.sender, sender)) {
      this.#keep(claim, { sender: undefined, publicKey, isUsed: false, table: undefined });
    } else before.isUsed = true;
    return sender;
  }

  /** The sender of each whose claim names a known key that made it. */
  confirm(signatures: readonly ClaimedSignature[]): readonly (Uint8Array | undefined)[] {
    const senders = new Array<Uint8Array | undefined>(signatures.length).fill(undefined);
    const candidates = this.#candidates(signatures);
    if (candidates.length === 0) return senders;
    const results = this.#check(candidates);
    for (const [place, { index, key }] of candidates.entries()) if (results[place] === 1) senders[index] = key.sender;
    return senders;
  }

  /** Those whose key is known, and was met before or is claimed by several. */
  #candidates(signatures: readonly ClaimedSignature[]): readonly Candidate[] {
    const all: Candidate[] = [];
    for (const [index, signature] of signatures.entries()) {
      const key = signature.claim === NO_CLAIM ? undefined : this.#find(signature.claim);
      if (key?.sender !== undefined) all.push({ index, signature, key });
    }
    const met = new Set<KnownKey>();
    for (const { key } of all) {
      if (met.has(key)) key.isUsed = true;
      met.add(key);
    }
    const candidates = all.filter(({ key }) => key.isUsed);
    for (const key of met) key.isUsed = true;
    return candidates;
  }

  #check(candidates: readonly Candidate[]): Uint8Array {
    const packed = new Uint8Array(candidates.length * SIGNATURE_BYTES);
    const keyOf = new Uint32Array(candidates.length);
    const places = new Map<KnownKey, number>();
    const tables: Uint8Array[] = [];
    for (const [index, { signature, key }] of candidates.entries()) {
      let place = places.get(key);
      if (place === undefined) {
        key.table ??= this.#addon.makeTable(key.publicKey);
        assert(key.table !== undefined, "a key that was recovered is on the curve");
        place = tables.push(key.table) - 1;
        places.set(key, place);
      }
      keyOf[index] = place;
      const { hash, r, s, yParity } = signature;
      const at = index * SIGNATURE_BYTES;
      packed.set(hash, at);
      packed.set(r, at + 64 - r.length);
      packed.set(s, at + 96 - s.length);
      packed[at + 96] = yParity;
    }
    return this.#addon.check(packed, keyOf, tables);
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
    const addon = createRequire(import.meta.url)(place) as KeyAddon;
    return agrees(addon) ? addon : undefined;
  } catch {
    return undefined;
  }
}

/** A binary that loads but computes something else would split the chain. */
function agrees({ makeTable, check }: KeyAddon): boolean {
  const hash = new Uint8Array(32).fill(1);
  const { r, s, yParity } = signHash(hash, new Uint8Array(32).fill(2));
  const signature = Uint8Array.of(...hash, ...bytes32(r), ...bytes32(s), yParity);
  const key = recoverPublicKey(hash, bytes32(r), bytes32(s), yParity);
  const table = key && makeTable(key);
  if (table === undefined) return false;
  const says = (bytes: Uint8Array): boolean => check(bytes, Uint32Array.of(0), [table])[0] === 1;
  return says(signature) && !says(signature.with(0, 0));
}
