/** BLS signatures with keys in G1. Tests of the chain's own scheme run through both engines. */
import { bls } from "../../../../base/bls.ts";
import { coreAggregateVerify, hashToG2, readG1 } from "../../../../base/bls-core.ts";
import { portableBls } from "../../../../base/bls-portable.ts";
import { BLS_SIGNATURE_DST } from "../../../../base/bls-types.ts";
import { bytesOf, expectBytes, expectSame, unlessCoded } from "../check.ts";
import type { Checker } from "./types.ts";

interface SignatureGroup {
  readonly ciphersuite: string;
  readonly publicKey: { readonly pk: string };
}

export const checkBlsHash: Checker = (test: { msg: string; expected: string }, group: { dst: string }) => {
  expectBytes(hashToG2(bytesOf(test.msg), group.dst).toBytes(), test.expected, "the point");
  return true;
};

export const checkBlsSignature: Checker = (test: { msg: string; sig: string }, group: SignatureGroup) =>
  verifies(group.ciphersuite, [group.publicKey.pk], [test.msg], test.sig);

export const checkBlsAggregate: Checker = (
  test: { pubkeys: string[]; messages: string[]; sig: string },
  group: { ciphersuite: string },
) => verifies(group.ciphersuite, test.pubkeys, test.messages, test.sig);

function verifies(dst: string, publicKeys: string[], messages: string[], signature: string): boolean {
  const points = publicKeys.map((key) => readG1(bytesOf(key)));
  const known = points.filter((point) => point !== undefined);
  const accepted =
    known.length === points.length && coreAggregateVerify(known, messages.map(bytesOf), bytesOf(signature), dst);
  if (dst === BLS_SIGNATURE_DST) {
    for (const engine of [bls, portableBls]) {
      const answer = unlessCoded(() => {
        const keys = publicKeys.map((key) => engine.publicKey(bytesOf(key)));
        return engine.aggregateVerify(keys, messages.map(bytesOf), bytesOf(signature));
      }, "BAD_PUBLIC_KEY");
      expectSame(answer ?? false, accepted, `what the ${engine.engine} engine says`);
    }
  }
  return accepted;
}
