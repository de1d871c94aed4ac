import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { type DomainTag, taggedMessage } from "../../base/domain.ts";
import { decodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList } from "../../base/rlp.ts";

const TAGS: readonly DomainTag[] = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE", "BEACON"];

const call = fc.record({
  tag: fc.constantFrom(...TAGS),
  chainId: fc.bigInt({ min: 0n, max: 3n }),
  parts: fc.array(fc.uint8Array({ maxLength: 2, max: 1 }), { maxLength: 3 }),
});

describe("taggedMessage", () => {
  it("gives different bytes for every different kind, chain and sequence of parts", () => {
    const key = ({ tag, chainId, parts }: { tag: string; chainId: bigint; parts: Uint8Array[] }): string =>
      JSON.stringify([tag, chainId.toString(), parts.map(bytesToHex)]);
    fc.assert(
      fc.property(call, call, (a, b) => {
        const same = key(a) === key(b);
        const messages = [a, b].map(({ tag, chainId, parts }) => bytesToHex(taggedMessage(tag, chainId, ...parts)));
        expect(messages[0] === messages[1]).toBe(same);
      }),
      { numRuns: 5000 },
    );
  });

  it("is the RLP list of name, chain id and parts", () => {
    const [name, chainId, ...parts] = rlpList(decodeRlp(taggedMessage("NOTARIZE", 7n, utf8("x"), [utf8("y")])));
    expect(rlpBytes(name as RlpItem)).toEqual(utf8("OpenGPU/NOTARIZE"));
    expect(rlpInteger(chainId as RlpItem, 8)).toBe(7n);
    expect(parts).toEqual([utf8("x"), [utf8("y")]]);
  });

  it("can be read neither as a legacy transaction nor as a typed one or a wallet message", () => {
    for (const tag of TAGS) {
      const message = taggedMessage(tag, 1n, ...Array.from({ length: 7 }, () => new Uint8Array(1)));
      const [nonce] = rlpList(decodeRlp(message), 9);
      expect(rlpBytes(nonce as RlpItem).length).toBeGreaterThan(8);
      expect(message[0]).toBeGreaterThanOrEqual(0xc0);
    }
  });
});
