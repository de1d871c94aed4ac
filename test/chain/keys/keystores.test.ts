import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytesToHex } from "../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import {
  lockAccountKey,
  newAccountKey,
  openAccountKey,
  parseAccountKeystore,
  writeAccountKeystore,
} from "../../../chain/keys/account-keystore.ts";
import { checkNewPassword, validatorPassword } from "../../../chain/keys/password.ts";
import type { KeyDerivation } from "../../../chain/keys/secret-box.ts";
import {
  lockValidatorKey,
  newValidatorKey,
  openValidatorKey,
  parseValidatorKeystore,
  writeValidatorKeystore,
} from "../../../chain/keys/validator-keystore.ts";

const SALT = new Uint8Array(32).fill(7);
/** Fast, for tests only. */
const SCRYPT: KeyDerivation = { function: "scrypt", n: 16, r: 8, p: 1, dklen: 32, salt: SALT };
const PBKDF2: KeyDerivation = { function: "pbkdf2", c: 10, dklen: 32, salt: SALT };

/** The test vectors of EIP-2335. */
const EIP_2335 = {
  password: "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑",
  encodedPassword: "0x7465737470617373776f7264f09f9491",
  secret: "0x000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
  salt: "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  iv: "264daa3f303d7259501c93d997d84fe6",
  pubkey: "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07",
};

function eip2335(kdf: object, checksum: string, ciphertext: string, rest: object): Record<string, unknown> {
  return {
    crypto: {
      kdf,
      checksum: { function: "sha256", params: {}, message: checksum },
      cipher: { function: "aes-128-ctr", params: { iv: EIP_2335.iv }, message: ciphertext },
    },
    pubkey: EIP_2335.pubkey,
    ...rest,
    version: 4,
  };
}

const EIP_2335_SCRYPT = eip2335(
  { function: "scrypt", params: { dklen: 32, n: 262144, p: 1, r: 8, salt: EIP_2335.salt }, message: "" },
  "d2217fe5f3e9a1e34581ef8a78f7c9928e436d36dacc5e846690a5581e8ea484",
  "06ae90d55fe0a6e9c5c3bc5b170827b2e5cce3929ed3f116c2811e6366dfe20f",
  { path: "m/12381/60/3141592653/589793238", uuid: "1d85ae20-35c5-4611-98e8-aa14a633906f", description: "scrypt" },
);

const EIP_2335_PBKDF2 = eip2335(
  { function: "pbkdf2", params: { dklen: 32, c: 262144, prf: "hmac-sha256", salt: EIP_2335.salt }, message: "" },
  "8a9f5d9912ed7e75ea794bc5a89bca5f193721d30868ade6f73043c6ea6febf1",
  "cee03fde2af33149775b7223e7845e4fb2c8ae1792e5f99fe9ecf474cc8c16ad",
  { path: "m/12381/60/0/0", uuid: "64625def-3331-4eea-ab6f-782f3ed16a83" },
);

describe("a validator's keystore", () => {
  it.each([
    ["scrypt", EIP_2335_SCRYPT],
    ["pbkdf2", EIP_2335_PBKDF2],
  ])("opens EIP-2335's own %s vector, and writes it back as it was", async (_name, json) => {
    const keystore = parseValidatorKeystore(json);
    expect(bytesToHex(await openValidatorKey(keystore, EIP_2335.password))).toBe(EIP_2335.secret);
    expect({ description: "", ...json }).toEqual(writeValidatorKeystore(keystore));
  });

  it("takes passwords as EIP-2335 says: NFKD, without control codes", () => {
    expect(bytesToHex(validatorPassword(EIP_2335.password))).toBe(EIP_2335.encodedPassword);
    expect(bytesToHex(validatorPassword("te\u0000st\u007fpass\u0085word🔑\n"))).toBe(EIP_2335.encodedPassword);
    expect(bytesToHex(validatorPassword(" a b "))).toBe("0x2061206220");
  });

  it.each([SCRYPT, PBKDF2])("gives back the key with $function, to the right password only", async (kdf) => {
    const key = newValidatorKey();
    const written = writeValidatorKeystore(await lockValidatorKey(key, "correct horse", "mine", kdf));
    const keystore = parseValidatorKeystore(JSON.parse(JSON.stringify(written)));
    expect(keystore.publicKey).toBe(bytesToHex(bls.publicKeyOf(key).bytes));
    expect(keystore.description).toBe("mine");
    expect(await openValidatorKey(keystore, "correct horse")).toEqual(key);
    await expect(openValidatorKey(keystore, "correct house")).rejects.toMatchObject({
      code: "KEYSTORE_WRONG_PASSWORD",
    });
  });

  it("that says another public key than it holds is refused", async () => {
    const keystore = await lockValidatorKey(newValidatorKey(), "password", "", SCRYPT);
    const other = bytesToHex(bls.publicKeyOf(newValidatorKey()).bytes);
    const opening = openValidatorKey({ ...keystore, publicKey: other }, "password");
    await expect(opening).rejects.toMatchObject({ code: "KEYSTORE_INVALID" });
  });

  it("may have fields that others put there", () => {
    expect(parseValidatorKeystore({ ...EIP_2335_SCRYPT, name: "my key" }).path).toBe("m/12381/60/3141592653/589793238");
  });

  it("is refused when a part is wrong, naming the part", () => {
    const crypto = EIP_2335_SCRYPT["crypto"] as Record<string, object>;
    const kdf = (params: object): object => ({
      ...EIP_2335_SCRYPT,
      crypto: { ...crypto, kdf: { function: "scrypt", message: "", params: { ...scrypt, ...params } } },
    });
    const scrypt = { dklen: 32, n: 16, p: 1, r: 8, salt: "00" };
    const wrong: readonly [unknown, string][] = [
      [undefined, "$"],
      [{ ...EIP_2335_SCRYPT, version: 3 }, "$.version"],
      [{ ...EIP_2335_SCRYPT, pubkey: "12" }, "$.pubkey"],
      [{ ...EIP_2335_SCRYPT, path: "m/a" }, "$.path"],
      [
        { ...EIP_2335_SCRYPT, crypto: { ...crypto, kdf: { function: "argon2", params: {}, message: "" } } },
        "kdf.function",
      ],
      [
        { ...EIP_2335_SCRYPT, crypto: { ...crypto, cipher: { function: "aes-256-ctr", params: {}, message: "" } } },
        "cipher",
      ],
      [kdf({ n: 17 }), "params.n"],
      [kdf({ n: 2 ** 30 }), "params.n"],
      [kdf({ dklen: 16 }), "params.dklen"],
      [kdf({ p: 1000 }), "params.p"],
      [kdf({ salt: "xyz" }), "params.salt"],
    ];
    for (const [json, part] of wrong) {
      expect(() => parseValidatorKeystore(json), part).toThrow(
        expect.objectContaining({ code: "KEYSTORE_INVALID", message: expect.stringContaining(part) }),
      );
    }
  });

  it("that would take too much memory to open is refused", async () => {
    const keystore = await lockValidatorKey(newValidatorKey(), "password", "", SCRYPT);
    const kdf: KeyDerivation = { ...SCRYPT, n: 2 ** 22, r: 64 } as KeyDerivation;
    const opening = openValidatorKey({ ...keystore, box: { ...keystore.box, kdf } }, "password");
    await expect(opening).rejects.toMatchObject({ code: "KEYSTORE_INVALID" });
  });
});

interface V3Vector {
  readonly name: string;
  readonly password: string;
  readonly key: string;
  readonly crypto: object;
}

/** The vectors of the Web3 Secret Storage definition, and those of go-ethereum for short keys. */
const V3: readonly V3Vector[] = [
  {
    name: "scrypt",
    password: "testpassword",
    key: "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt",
      kdfparams: {
        ...{ dklen: 32, n: 262144, r: 1, p: 8 },
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
  },
  {
    name: "pbkdf2",
    password: "testpassword",
    key: "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        ...{ c: 262144, dklen: 32, prf: "hmac-sha256" },
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
  },
  {
    name: "a key of 31 bytes",
    password: "foo",
    key: "00fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35",
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "e0c41130a323adc1446fc82f724bca2f" },
      ciphertext: "9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984",
      kdf: "scrypt",
      kdfparams: {
        ...{ dklen: 32, n: 2, r: 8, p: 1 },
        salt: "711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63",
      },
      mac: "d5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5",
    },
  },
  {
    name: "a key of 30 bytes",
    password: "foo",
    key: "000081c29e8142bb6a81bef5a92bda7a8328a5c85bb2f9542e76f9b0f94fc018",
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "3ca92af36ad7c2cd92454c59cea5ef00" },
      ciphertext: "108b7d34f3442fc26ab1ab90ca91476ba6bfa8c00975a49ef9051dc675aa",
      kdf: "scrypt",
      kdfparams: {
        ...{ dklen: 32, n: 2, r: 8, p: 1 },
        salt: "d0769e608fb86cda848065642a9c6fa046845c928175662b8e356c77f914cd3b",
      },
      mac: "75d0e6759f7b3cefa319c3be41680ab6beea7d8328653474bd06706d4cc67420",
    },
  },
];

describe("an account's keystore", () => {
  it.each(V3)("opens the official vector: $name", async ({ password, key, crypto }) => {
    const json = { version: 3, id: "3198bc9c-6672-5ab3-d995-4942343ae5b6", crypto };
    const keystore = parseAccountKeystore(json);
    expect(bytesToHex(await openAccountKey(keystore, password))).toBe(`0x${key}`);
    expect(writeAccountKeystore(keystore)).toEqual(json);
  });

  it.each([SCRYPT, PBKDF2])("gives back the key with $function, to the right password only", async (kdf) => {
    const key = newAccountKey();
    const written = writeAccountKeystore(await lockAccountKey(key, "correct horse", kdf));
    const keystore = parseAccountKeystore(JSON.parse(JSON.stringify(written)));
    expect(keystore.address).toBe(bytesToHex(privateKeyToAddress(key)));
    expect(await openAccountKey(keystore, "correct horse")).toEqual(key);
    await expect(openAccountKey(keystore, "correct house")).rejects.toMatchObject({ code: "KEYSTORE_WRONG_PASSWORD" });
  });

  it("may be written with a capital, and with fields of a wallet", async () => {
    const { crypto, password, key } = V3[2] as V3Vector;
    const keystore = parseAccountKeystore({ version: 3, Crypto: crypto, "x-wallet": { a: 1 } });
    expect(bytesToHex(await openAccountKey(keystore, password))).toBe(`0x${key}`);
  });

  it("that says another address than it holds is refused", async () => {
    const keystore = await lockAccountKey(newAccountKey(), "password", SCRYPT);
    const opening = openAccountKey({ ...keystore, address: `0x${"12".repeat(20)}` }, "password");
    await expect(opening).rejects.toMatchObject({ code: "KEYSTORE_INVALID" });
  });

  it("is refused when a part is wrong", () => {
    const { crypto } = V3[0] as V3Vector;
    const wrong = [
      { version: 1, crypto },
      { version: 3 },
      { version: 3, crypto: { ...crypto, kdf: "bcrypt" } },
      { version: 3, crypto: { ...crypto, kdf: "pbkdf2" } },
      { version: 3, crypto: { ...crypto, mac: "00" } },
      { version: 3, crypto, address: "0x12" },
    ];
    for (const json of wrong) {
      expect(() => parseAccountKeystore(json)).toThrow(expect.objectContaining({ code: "KEYSTORE_INVALID" }));
    }
  });
});

describe("a new password", () => {
  it("has at least eight characters that count", () => {
    expect(() => checkNewPassword("12345678")).not.toThrow();
    expect(() => checkNewPassword("1234567\u0000")).toThrow(expect.objectContaining({ code: "PASSWORD_TOO_SHORT" }));
  });
});
