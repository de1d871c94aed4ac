/** The root that Ethereum's state trie would have over one of our states. */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { encodeRlp, rlpOfInteger } from "../../../base/rlp.ts";
import { patriciaRoot } from "../../../vm/patricia-root.ts";
import type { MemoryState } from "../../../vm/state/memory-state.ts";

export function patriciaStateRoot(state: MemoryState): Hex {
  const entries = [...state.accounts].map(([address, { nonce, balance, codeHash }]) => {
    const storageRoot = patriciaRoot(
      [...(state.slots.get(address) ?? [])].map(([slot, value]) => ({
        key: keccak256(hexToBytes(slot)),
        value: encodeRlp(value),
      })),
    );
    const value = encodeRlp([rlpOfInteger(nonce), rlpOfInteger(balance), storageRoot, hexToBytes(codeHash)]);
    return { key: keccak256(hexToBytes(address)), value };
  });
  return bytesToHex(patriciaRoot(entries));
}
