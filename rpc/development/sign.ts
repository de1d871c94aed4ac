/** Signatures of development accounts over what people sign. */
import { hashTypedData } from "viem/utils";
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { signHash } from "../../base/secp256k1.ts";
import { invalidParams } from "../rpc-error.ts";
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

/** EIP-712. Throws -32602 for what is no typed data. */
export function signTypedData(account: TestAccount, typedData: unknown): Hex {
  let hash: Hex;
  try {
    hash = hashTypedData(typedData as Parameters<typeof hashTypedData>[0]);
  } catch (error) {
    throw invalidParams(`parameter 2 (typedData) is no typed data (EIP-712): ${reasonOf(error)}`);
  }
  return signatureOf(account, hexToBytes(hash));
}

/** The first line: libraries write essays. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? "";
}
