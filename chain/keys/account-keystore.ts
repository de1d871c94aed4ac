/** Keystores of accounts: Ethereum's Web3 Secret Storage, version 3, which wallets and Ethereum's nodes read and write. */
import { randomBytes, randomUUID } from "node:crypto";
import { bytesToHex, type Hex, padLeft } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { isPrivateKey, privateKeyToAddress } from "../../base/secp256k1.ts";
import { constant, INVALID, mapped, object, oneOf, optional, type Shape, text } from "../../genesis/shape.ts";
import { keystoreInvalid } from "./errors.ts";
import { kdfParameters } from "./kdf-parameters.ts";
import { anything, hexBytes, open, pbkdf2Parameters, readDocument, scryptParameters } from "./keystore-shapes.ts";
import { accountPassword } from "./password.ts";
import { type KeyDerivation, lockSecret, openSecret, type SecretBox, strongDerivation } from "./secret-box.ts";

export interface AccountKeystore {
  readonly box: SecretBox;
  /** Some programs leave it out, so that the file does not tell whose it is. */
  readonly address: Hex | undefined;
  readonly id: string;
}

const KEY_BYTES = 32;

export function newAccountKey(): Uint8Array {
  for (;;) {
    const key = new Uint8Array(randomBytes(KEY_BYTES));
    if (isPrivateKey(key)) return key;
  }
}

export async function lockAccountKey(
  privateKey: Uint8Array,
  password: string,
  kdf: KeyDerivation = strongDerivation(),
): Promise<AccountKeystore> {
  const box = await lockSecret(privateKey, accountPassword(password), kdf, keccak256);
  return { box, address: bytesToHex(privateKeyToAddress(privateKey)), id: randomUUID() };
}

/** Throws KEYSTORE_WRONG_PASSWORD, or KEYSTORE_INVALID when it holds another key than it says. */
export async function openAccountKey({ box, address }: AccountKeystore, password: string): Promise<Uint8Array> {
  const secret = await openSecret(box, accountPassword(password), keccak256);
  // Old programs dropped zeros at the front.
  const privateKey = secret.length < KEY_BYTES ? padLeft(secret, KEY_BYTES) : secret;
  if (!isPrivateKey(privateKey)) throw keystoreInvalid("what it holds is no private key");
  const found = bytesToHex(privateKeyToAddress(privateKey));
  if (address !== undefined && found !== address) throw keystoreInvalid(`it holds the key of ${found}`);
  return privateKey;
}

export function writeAccountKeystore({ box, address, id }: AccountKeystore): object {
  const { kdf, iv, ciphertext, sum } = box;
  return {
    version: 3,
    id,
    ...(address !== undefined && { address: address.slice(2) }),
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: bytesToHex(iv).slice(2) },
      ciphertext: bytesToHex(ciphertext).slice(2),
      kdf: kdf.function,
      kdfparams: kdfParameters(kdf),
      mac: bytesToHex(sum).slice(2),
    },
  };
}

interface CryptoDocument {
  readonly cipher: "aes-128-ctr";
  readonly cipherparams: { readonly iv: Uint8Array };
  readonly ciphertext: Uint8Array;
  readonly kdf: "scrypt" | "pbkdf2";
  readonly kdfparams: unknown;
  readonly mac: Uint8Array;
}

const cryptoDocument = open(
  ["cipher", "cipherparams", "ciphertext", "kdf", "kdfparams", "mac"],
  object<CryptoDocument>({
    cipher: constant("aes-128-ctr"),
    cipherparams: object<{ readonly iv: Uint8Array }>({ iv: hexBytes(16, 16) }),
    ciphertext: hexBytes(1, KEY_BYTES),
    kdf: oneOf(["scrypt", "pbkdf2"]),
    kdfparams: anything,
    mac: hexBytes(32, 32),
  }),
);

/** Which parameters are wanted depends on the function's name beside them. */
const box: Shape<SecretBox> = {
  schema: cryptoDocument.schema,
  read: (value, path, report) => {
    const read = cryptoDocument.read(value, path, report);
    if (read === INVALID) return INVALID;
    const parameters: Shape<KeyDerivation> = read.kdf === "pbkdf2" ? pbkdf2Parameters : scryptParameters;
    const kdf = parameters.read(read.kdfparams, `${path}.kdfparams`, report);
    if (kdf === INVALID) return INVALID;
    return { kdf, iv: read.cipherparams.iv, ciphertext: read.ciphertext, sum: read.mac };
  },
};

interface KeystoreDocument {
  readonly crypto: SecretBox;
  readonly address: Uint8Array | undefined;
  readonly id: string;
  readonly version: 3;
}

const keystoreShape: Shape<AccountKeystore> = mapped(
  open(
    ["crypto", "address", "id", "version"],
    object<KeystoreDocument>({
      crypto: box,
      address: optional<Uint8Array | undefined>(hexBytes(20, 20), undefined),
      id: optional(text(/^[0-9a-f-]{0,36}$/i, 36, "a UUID"), ""),
      version: constant(3),
    }),
  ),
  ({ crypto, address, id }) => ({
    box: crypto,
    address: address === undefined ? undefined : bytesToHex(address),
    id,
  }),
);

/** Throws KEYSTORE_INVALID. */
export function parseAccountKeystore(json: unknown): AccountKeystore {
  return readDocument(keystoreShape, withLowerCaseCrypto(json));
}

/** Some wallets write `Crypto`. */
function withLowerCaseCrypto(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("Crypto" in json) || "crypto" in json) return json;
  return { ...json, crypto: json.Crypto };
}
