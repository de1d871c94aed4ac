/** Project Wycheproof (C2SP/wycheproof): known attacks and edge cases on the cryptography that the chain uses. */
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import { checkBlsAggregate, checkBlsHash, checkBlsSignature } from "./support/wycheproof/bls.ts";
import { checkEcdsa } from "./support/wycheproof/ecdsa.ts";
import {
  checkEcdh,
  checkEcdhJwk,
  checkXdh,
  checkXdhAsn,
  checkXdhJwk,
  checkXdhPem,
} from "./support/wycheproof/key-exchange.ts";
import { checkHmac, checkPbkdf2 } from "./support/wycheproof/keyed-hashes.ts";
import { checkAead, checkEddsa, checkHkdf } from "./support/wycheproof/network.ts";
import type { Checker, WycheproofFile, WycheproofGroup, WycheproofTest } from "./support/wycheproof/types.ts";

/** By the `type` of a test group. */
const CHECKERS: Readonly<Record<string, Checker>> = {
  AeadTest: checkAead,
  BlsAggregateVerify: checkBlsAggregate,
  BlsHashToG2: checkBlsHash,
  BlsSigVerify: checkBlsSignature,
  EcdhEcpointTest: checkEcdh,
  EcdhTest: checkEcdh,
  EcdhWebcryptoTest: checkEcdhJwk,
  EcdsaBitcoinVerify: checkEcdsa,
  EcdsaP1363Verify: checkEcdsa,
  EcdsaVerify: checkEcdsa,
  EddsaVerify: checkEddsa,
  HkdfTest: checkHkdf,
  MacTest: checkHmac,
  PbkdfTest: checkPbkdf2,
  XdhAsnComp: checkXdhAsn,
  XdhComp: checkXdh,
  XdhJwkComp: checkXdhJwk,
  XdhPemComp: checkXdhPem,
};

export const suite: Suite = {
  name: "wycheproof",
  description: "Project Wycheproof: ECDSA, ECDH, BLS, EdDSA, X25519, HMAC, HKDF, PBKDF2 and ChaCha20-Poly1305",
  *run(path: string): Generator<CaseResult> {
    for (const { name, content } of jsonFiles(path)) {
      const file = content as Partial<WycheproofFile>;
      for (const group of file.testGroups ?? []) {
        for (const test of group.tests) {
          yield runCase(`${name}/${test.tcId} ${test.comment}`, () => check(test, group, file.algorithm ?? ""));
        }
      }
    }
  },
};

function check(test: WycheproofTest, group: WycheproofGroup, algorithm: string): void {
  const checker = CHECKERS[group.type];
  if (checker === undefined) throw new Error(`no check for groups of type ${group.type}`);
  const accepted = checker(test as never, group as never, algorithm);
  if (test.result === "valid" && !accepted) throw new Error("a valid input was refused");
  if (test.result === "invalid" && accepted) throw new Error("an invalid input was accepted");
}
