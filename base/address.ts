/** Addresses: their text with the EIP-55 checksum, and the addresses of new contracts. */
import { bytesToHex, concatBytes, type Hex, hexToBytes, utf8 } from "./bytes.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { assert, CodedError } from "./errors.ts";
import { keccak256 } from "./keccak.ts";
import { encodeRlp, rlpOfInteger } from "./rlp.ts";

const ADDRESS_LENGTH = 20;
const ADDRESS_TEXT = /^0x[0-9a-fA-F]{40}$/;
const CREATE2_PREFIX = new Uint8Array([0xff]);

/** The text of an address with capitals as EIP-55 sets them. */
export function checksumAddress(address: Uint8Array): Hex {
  assert(address.length === ADDRESS_LENGTH, "an address has 20 bytes");
  const plain = bytesToHex(address);
  const hash = bytesToHex(keccak256(utf8(plain.slice(2))));
  let text = "0x";
  for (let i = 2; i < plain.length; i++) {
    const character = plain.charAt(i);
    // Capital where the digit of the hash at the same place is 8 or above.
    text += hash.charAt(i) >= "8" ? character.toUpperCase() : character;
  }
  return text as Hex;
}

/**
 * The address that `text` names. Capitals, when both cases occur, must be the EIP-55 checksum: that catches
 * nearly every mistyped address. Throws BAD_ADDRESS.
 */
export function parseAddress(text: string): Uint8Array {
  if (!ADDRESS_TEXT.test(text)) {
    throw new CodedError<BaseErrorCode>("BAD_ADDRESS", "an address is 0x and 40 hexadecimal digits", { text });
  }
  const address = hexToBytes(text);
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && text !== checksumAddress(address)) {
    throw new CodedError<BaseErrorCode>("BAD_ADDRESS", "the capitals of the address do not match it: is it mistyped?", {
      text,
      expected: checksumAddress(address),
    });
  }
  return address;
}

/** The address of the contract that `sender` creates with a transaction or CREATE at `nonce`. */
export function createAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  assert(sender.length === ADDRESS_LENGTH, "an address has 20 bytes");
  return keccak256(encodeRlp([sender, rlpOfInteger(nonce)])).slice(12);
}

/** The address of the contract that `sender` creates by CREATE2 (EIP-1014). */
export function create2Address(sender: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  assert(sender.length === ADDRESS_LENGTH, "an address has 20 bytes");
  assert(salt.length === 32 && initCodeHash.length === 32, "a salt and a hash have 32 bytes");
  return keccak256(concatBytes(CREATE2_PREFIX, sender, salt, initCodeHash)).slice(12);
}
