/** The accounts of the test mnemonic. */
import { pbkdf2Sync } from "node:crypto";
import { HDKey } from "viem/accounts";
import { bytesToHex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { Address } from "../../vm/state/account.ts";
import { TEST_MNEMONIC } from "./test-mnemonic.ts";

export interface TestAccount {
  readonly index: number;
  readonly address: Address;
  readonly privateKey: Uint8Array;
}

let parent: HDKey | undefined;

/** From BIP-39's seed of the mnemonic, without a passphrase; Node's own function is the fast one. */
function deriveParent(): HDKey {
  const seed = new Uint8Array(pbkdf2Sync(TEST_MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
}

/** The account at m/44'/60'/0'/0/index. */
export function testAccount(index: number): TestAccount {
  parent ??= deriveParent();
  const { privateKey } = parent.deriveChild(index);
  assert(privateKey !== null, "a key derived from a private one is private");
  return { index, address: bytesToHex(privateKeyToAddress(privateKey)), privateKey };
}
