/** Ethereum's TrieTests: roots of Merkle-Patricia tries over sets of entries, plain and with hashed keys. */
import { bytesToHex, compareBytes, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { patriciaRoot } from "../../vm/patricia-root.ts";
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";

interface TrieTest {
  /** Entries in any order, or a sequence of writes in which null deletes. */
  readonly in: Readonly<Record<string, string | null>> | readonly (readonly [string, string | null])[];
  readonly root: Hex;
}

type TrieFile = Readonly<Record<string, TrieTest>>;

export const suite: Suite = {
  name: "trie-tests",
  description: "Ethereum's TrieTests: Merkle-Patricia roots",
  *run(path: string): Generator<CaseResult> {
    for (const { name, content } of jsonFiles(path)) {
      const isSingle = Object.values(content as object).every((value) => "in" in Object(value));
      const groups = isSingle ? { [name]: content as TrieFile } : (content as Readonly<Record<string, TrieFile>>);
      for (const [group, tests] of Object.entries(groups)) {
        for (const [test, trie] of Object.entries(tests)) {
          yield "root" in Object(trie)
            ? runCase(`${group}/${test}`, () => checkTrie(trie, /secure/i.test(group)))
            : runCase(`${group}/${test}`, () => checkNeighbours(trie as unknown as NeighbourTest));
        }
      }
    }
  },
};

function toBytes(text: string): Uint8Array {
  return text.startsWith("0x") ? hexToBytes(text) : utf8(text);
}

function checkTrie(test: TrieTest, isSecure: boolean): void {
  const writes = Array.isArray(test.in) ? test.in : Object.entries(test.in);
  const values = new Map<Hex, Uint8Array>();
  for (const [key, value] of writes as readonly (readonly [string, string | null])[]) {
    const name = bytesToHex(toBytes(key));
    if (value === null || value === "") values.delete(name);
    else values.set(name, toBytes(value));
  }
  const root = patriciaRoot(
    [...values].map(([key, value]) => ({ key: isSecure ? keccak256(hexToBytes(key)) : hexToBytes(key), value })),
  );
  if (bytesToHex(root) !== test.root) throw new Error(`root ${bytesToHex(root)}, expected ${test.root}`);
}

/** Keys, and for each probe the key before it and the key after it ("" for none). */
interface NeighbourTest {
  readonly in: readonly string[];
  readonly tests: readonly (readonly [probe: string, before: string, after: string])[];
}

/** The trie has no cursor here: what is checked is the order of keys that our tree and store iterate in. */
function checkNeighbours(test: NeighbourTest): void {
  const keys = test.in.map(toBytes).sort(compareBytes);
  for (const [probe, before, after] of test.tests) {
    const last = keys.filter((key) => compareBytes(key, toBytes(probe)) < 0).at(-1);
    const next = keys.find((key) => compareBytes(key, toBytes(probe)) > 0);
    if (compareBytes(last ?? utf8(""), toBytes(before)) !== 0) throw new Error(`wrong key before "${probe}"`);
    if (compareBytes(next ?? utf8(""), toBytes(after)) !== 0) throw new Error(`wrong key after "${probe}"`);
  }
}
