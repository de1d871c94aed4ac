/** Signatures of development accounts over what people sign. */
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { signHash } from "../../base/secp256k1.ts";
import type { TestAccount } from "./test-accounts.ts";

/** r, s, and 27 or 28. */
function signatureOf({ privateKey }: TestAccount, hash: Uint8Array): Hex {
  const { r, s, yParity } = signHash(hash, privateKey);
  return bytesToHex(concatBytes(bytes32(r), bytes32(s), new Uint8Array([27 + yParity])));
}

/** EIP-191, version 0x45. */
export function signMessage(account: TestAccount, message: Uint8Array): Hex {
  const prefix = utf8(`\x19Ethereum Signed Message:\n${message.length}`);
  return signatureOf(account, keccak256(concatBytes(prefix, message)));
}

/** Over the hash of typed data (EIP-712). */
export function signTypedHash(account: TestAccount, hash: Hex): Hex {
  return signatureOf(account, hexToBytes(hash));
}
