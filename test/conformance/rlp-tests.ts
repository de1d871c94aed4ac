/** Ethereum's RLPTests: {in, out} where `in` is a value to encode, or says whether `out` is valid. */
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpOfInteger } from "../../base/rlp.ts";
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import { bytesOf, expectCode, expectSame } from "./support/check.ts";

type RlpValue = string | number | readonly RlpValue[];

interface RlpTest {
  readonly in: RlpValue;
  readonly out: string;
}

export const suite: Suite = {
  name: "rlp-tests",
  description: "Ethereum's RLPTests: encoding, and strict decoding",
  *run(path: string): Generator<CaseResult> {
    for (const { name, content } of jsonFiles(path)) {
      if (!isRlpFile(content)) continue;
      for (const [test, value] of Object.entries(content)) yield runCase(`${name}/${test}`, () => checkRlp(value));
    }
  },
};

/** Folders may hold files of other suites beside ours. */
function isRlpFile(content: unknown): content is Readonly<Record<string, RlpTest>> {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return false;
  return Object.values(content).every((test) => "in" in Object(test) && typeof Object(test).out === "string");
}

function checkRlp(test: RlpTest): void {
  const bytes = bytesOf(test.out);
  if (test.in === "INVALID") {
    expectCode(() => decodeRlp(bytes), "RLP_INVALID", "the encoding");
    return;
  }
  const decoded = decodeRlp(bytes);
  expectSame(bytesToHex(encodeRlp(decoded)), bytesToHex(bytes), "the decoded item, encoded again");
  if (test.in === "VALID") return;
  const item = itemOf(test.in);
  expectSame(bytesToHex(encodeRlp(item)), bytesToHex(bytes), "the encoding");
  expectSame(textOf(decoded), textOf(item), "the decoded item");
}

/** Numbers are integers, `#` begins an integer too large for JSON, other text is its UTF-8 bytes. */
function itemOf(value: RlpValue): RlpItem {
  if (typeof value === "number") return rlpOfInteger(BigInt(value));
  if (typeof value !== "string") return value.map(itemOf);
  return value.startsWith("#") ? rlpOfInteger(BigInt(value.slice(1))) : utf8(value);
}

function textOf(item: RlpItem): string {
  return item instanceof Uint8Array ? bytesToHex(item) : `[${item.map(textOf).join()}]`;
}
