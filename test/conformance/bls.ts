/**
 * The BLS12-381 tests of Ethereum's consensus layer (ethereum/bls12-381-tests). Every case runs through the
 * engine of the node and through the portable one.
 */
import { basename, dirname } from "node:path";
import { bls } from "../../base/bls.ts";
import { hashToG2, readG1, readG2 } from "../../base/bls-core.ts";
import { portableBls } from "../../base/bls-portable.ts";
import type { Bls } from "../../base/bls-types.ts";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { type CaseResult, type JsonFile, jsonFiles, runCase, type Suite } from "./suite.ts";
import { bytesOf, expectSame, unlessCoded } from "./support/check.ts";

interface BlsTest {
  // Each handler has inputs of its own shape.
  readonly input: unknown;
  readonly output: unknown;
}

/** What a test's output must equal: text of hexadecimal bytes, a boolean, or null for an error. */
type Answer = string | boolean | null;
type Handler = (engine: Bls, input: never) => Answer;

/** The domain of the hashing tests (RFC 9380, appendix J.10). */
const HASH_TEST_DST = "QUUX-V01-CS02-with-BLS12381G2_XMD:SHA-256_SSWU_RO_";

const HANDLERS: Readonly<Record<string, Handler>> = {
  sign: (engine, input: { privkey: string; message: string }) =>
    hexOrNull(unlessCoded(() => engine.sign(bytesOf(input.privkey), bytesOf(input.message)), "BAD_PRIVATE_KEY")),

  verify: (engine, input: { pubkey: string; message: string; signature: string }) =>
    falseUnlessKeys(() =>
      engine.verify(engine.publicKey(bytesOf(input.pubkey)), bytesOf(input.message), bytesOf(input.signature)),
    ),

  aggregate: (engine, input: readonly string[]) =>
    hexOrNull(unlessCoded(() => engine.aggregateSignatures(input.map(bytesOf)), "BAD_SIGNATURE")),

  aggregate_verify: (engine, input: { pubkeys: string[]; messages: string[]; signature: string }) =>
    falseUnlessKeys(() =>
      engine.aggregateVerify(
        input.pubkeys.map((key) => engine.publicKey(bytesOf(key))),
        input.messages.map(bytesOf),
        bytesOf(input.signature),
      ),
    ),

  fast_aggregate_verify: (engine, input: { pubkeys: string[]; message: string; signature: string }) =>
    falseUnlessKeys(() =>
      engine.fastAggregateVerify(
        input.pubkeys.map((key) => engine.publicKey(bytesOf(key))),
        bytesOf(input.message),
        bytesOf(input.signature),
      ),
    ),

  batch_verify: (engine, input: { pubkeys: string[]; messages: string[]; signatures: string[] }) =>
    falseUnlessKeys(() =>
      engine.verifyBatch(
        input.pubkeys.map((key, i) => ({
          publicKey: engine.publicKey(bytesOf(key)),
          message: bytesOf(input.messages[i] ?? ""),
          signature: bytesOf(input.signatures[i] ?? ""),
        })),
      ),
    ),

  deserialization_G1: (_, input: { pubkey: string }) => readG1(bytesOf(input.pubkey)) !== undefined,
  deserialization_G2: (_, input: { signature: string }) => readG2(bytesOf(input.signature)) !== undefined,

  hash_to_G2: (_, input: { msg: string }) => {
    const { x, y } = hashToG2(utf8(input.msg), HASH_TEST_DST).toAffine();
    return coordinatesText([x.c0, x.c1], [y.c0, y.c1]);
  },
};

export const suite: Suite = {
  name: "bls",
  description: "BLS12-381 signatures as Ethereum's consensus layer tests them",
  *run(path: string): Generator<CaseResult> {
    for (const file of jsonFiles(path)) {
      for (const [name, test] of casesOf(file)) {
        yield runCase(name, () => {
          for (const engine of [bls, portableBls]) check(engine, name.split("/")[0] ?? "", test);
        });
      }
    }
  },
};

/** One file with all cases, named handler/case, or one case per file in a folder named after the handler. */
function casesOf({ path, name, content }: JsonFile): readonly (readonly [string, BlsTest])[] {
  const record = content as Readonly<Record<string, BlsTest>>;
  if ("input" in record && "output" in record) {
    return [[`${basename(dirname(path))}/${name}`, content as BlsTest]];
  }
  return Object.entries(record);
}

function check(engine: Bls, handler: string, { input, output }: BlsTest): void {
  const run = HANDLERS[handler];
  if (run === undefined) throw new Error(`no handler for ${handler}`);
  expectSame(run(engine, input as never), expectedOf(output), `the result of the ${engine.engine} engine`);
}

function expectedOf(output: unknown): Answer {
  if (output === null || typeof output === "boolean") return output;
  if (typeof output === "string") return bytesToHex(bytesOf(output));
  const { x, y } = output as { x: string; y: string };
  return coordinatesText(x.split(",").map(BigInt), y.split(",").map(BigInt));
}

function coordinatesText(x: readonly bigint[], y: readonly bigint[]): string {
  return `${x.join()};${y.join()}`;
}

function hexOrNull(bytes: Uint8Array | undefined): Answer {
  return bytes === undefined ? null : bytesToHex(bytes);
}

/** A key that is none makes verification false. */
function falseUnlessKeys(verify: () => boolean): Answer {
  return unlessCoded(verify, "BAD_PUBLIC_KEY") ?? false;
}
