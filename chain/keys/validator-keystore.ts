/**
 * Keystores of validators' BLS keys: EIP-2335, version 4. https://eips.ethereum.org/EIPS/eip-2335
 *
 * Keys are drawn at random and not derived from a seed phrase (EIP-2333): a validator's key is replaced by rotation,
 * and one that can be made again elsewhere is one that two machines may sign with.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { bls } from "../../base/bls.ts";
import { BLS_PRIVATE_KEY_LENGTH, BLS_PUBLIC_KEY_LENGTH, BLS_SEED_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import { constant, mapped, object, optional, type Shape, text } from "../../genesis/shape.ts";
import { keystoreInvalid } from "./errors.ts";
import { kdfParameters } from "./kdf-parameters.ts";
import { hexBytes, open, pbkdf2Parameters, readDocument, scryptParameters } from "./keystore-shapes.ts";
import { MAX_DESCRIPTION, MAX_PATH } from "./limits.ts";
import { validatorPassword } from "./password.ts";
import { type KeyDerivation, lockSecret, openSecret, type SecretBox, strongDerivation } from "./secret-box.ts";

export interface ValidatorKeystore {
  readonly box: SecretBox;
  readonly description: string;
  /** Missing in keystores that hold something else than a private key. */
  readonly publicKey: Hex | undefined;
  /** Where in a tree of keys (EIP-2334); empty when it is in none. */
  readonly path: string;
  readonly uuid: string;
}

export function newValidatorKey(): Uint8Array {
  return bls.privateKeyFromSeed(randomBytes(BLS_SEED_LENGTH));
}

export async function lockValidatorKey(
  privateKey: Uint8Array,
  password: string,
  description = "",
  kdf: KeyDerivation = strongDerivation(),
): Promise<ValidatorKeystore> {
  const publicKey = bytesToHex(bls.publicKeyOf(privateKey).bytes);
  const box = await lockSecret(privateKey, validatorPassword(password), kdf, sha256);
  return { box, description, publicKey, path: "", uuid: randomUUID() };
}

/** Throws KEYSTORE_WRONG_PASSWORD, or KEYSTORE_INVALID when it holds another key than it says. */
export async function openValidatorKey({ box, publicKey }: ValidatorKeystore, password: string): Promise<Uint8Array> {
  const privateKey = await openSecret(box, validatorPassword(password), sha256);
  if (privateKey.length !== BLS_PRIVATE_KEY_LENGTH) throw keystoreInvalid("what it holds is no private key");
  const found = bytesToHex(bls.publicKeyOf(privateKey).bytes);
  if (publicKey !== undefined && found !== publicKey) throw keystoreInvalid(`it holds the key of ${found}`);
  return privateKey;
}

export function writeValidatorKeystore({ box, description, publicKey, path, uuid }: ValidatorKeystore): object {
  const { kdf, iv, ciphertext, sum } = box;
  const module = (name: string, params: object, message: string): object => ({ function: name, params, message });
  return {
    crypto: {
      kdf: module(kdf.function, kdfParameters(kdf), ""),
      checksum: module("sha256", {}, digits(sum)),
      cipher: module("aes-128-ctr", { iv: digits(iv) }, digits(ciphertext)),
    },
    description,
    ...(publicKey !== undefined && { pubkey: publicKey.slice(2) }),
    path,
    uuid,
    version: 4,
  };
}

function digits(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}

interface Module<Name, Parameters, Message> {
  readonly function: Name;
  readonly params: Parameters;
  readonly message: Message;
}

const nothing = object<Record<never, never>>({});
const noMessage = text(/^$/, 0, "nothing");

const scryptModule = object<Module<"scrypt", KeyDerivation, string>>({
  function: constant("scrypt"),
  params: scryptParameters,
  message: noMessage,
});

const pbkdf2Module = object<Module<"pbkdf2", KeyDerivation, string>>({
  function: constant("pbkdf2"),
  params: pbkdf2Parameters,
  message: noMessage,
});

/** Which parameters are wanted depends on the function's name. */
const kdfModule: Shape<Module<string, KeyDerivation, string>> = {
  schema: { anyOf: [scryptModule.schema, pbkdf2Module.schema] },
  read: (value, path, report) => {
    const name = (value as { readonly function?: unknown } | null | undefined)?.function;
    return (name === "pbkdf2" ? pbkdf2Module : scryptModule).read(value, path, report);
  },
};

interface CryptoDocument {
  readonly kdf: Module<string, KeyDerivation, string>;
  readonly checksum: Module<"sha256", object, Uint8Array>;
  readonly cipher: Module<"aes-128-ctr", { readonly iv: Uint8Array }, Uint8Array>;
}

const SECRET = hexBytes(1, 2 * BLS_PRIVATE_KEY_LENGTH);

const cryptoShape: Shape<SecretBox> = mapped(
  object<CryptoDocument>({
    kdf: kdfModule,
    checksum: object<CryptoDocument["checksum"]>({
      function: constant("sha256"),
      params: nothing,
      message: hexBytes(32, 32),
    }),
    cipher: object<CryptoDocument["cipher"]>({
      function: constant("aes-128-ctr"),
      params: object<{ readonly iv: Uint8Array }>({ iv: hexBytes(16, 16) }),
      message: SECRET,
    }),
  }),
  ({ kdf, checksum, cipher }) => ({
    kdf: kdf.params,
    iv: cipher.params.iv,
    ciphertext: cipher.message,
    sum: checksum.message,
  }),
);

interface KeystoreDocument {
  readonly crypto: SecretBox;
  readonly description: string;
  readonly pubkey: Uint8Array | undefined;
  readonly path: string;
  readonly uuid: string;
  readonly version: 4;
}

const NAMES = ["crypto", "description", "pubkey", "path", "uuid", "version"];

const keystoreShape: Shape<ValidatorKeystore> = mapped(
  open(
    NAMES,
    object<KeystoreDocument>({
      crypto: cryptoShape,
      description: optional(text(/^/, MAX_DESCRIPTION, "a short text"), ""),
      pubkey: optional<Uint8Array | undefined>(hexBytes(BLS_PUBLIC_KEY_LENGTH, BLS_PUBLIC_KEY_LENGTH), undefined),
      path: text(/^(m(\/\d+)*)?$/, MAX_PATH, "a path such as m/12381/60/0/0, or nothing"),
      uuid: text(/^[0-9a-f-]{36}$/i, 36, "a UUID"),
      version: constant(4),
    }),
  ),
  ({ crypto, pubkey, version: _version, ...rest }) => ({
    box: crypto,
    publicKey: pubkey === undefined ? undefined : bytesToHex(pubkey),
    ...rest,
  }),
);

/** Throws KEYSTORE_INVALID. */
export function parseValidatorKeystore(json: unknown): ValidatorKeystore {
  return readDocument(keystoreShape, json);
}
