import { describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex } from "../../base/bytes.ts";
import {
  developmentOperatorKey,
  developmentValidatorKey,
  developmentValidators,
  devnetSpec,
} from "../../genesis/development-validators.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { specHash } from "../../genesis/spec-hash.ts";
import { verifyParameters } from "../../genesis/verify-parameters.ts";
import { verifyValidators } from "../../genesis/verify-validators.ts";

describe("the development validators", () => {
  it("are those of the devnet", () => {
    const { validators } = networkSpec("devnet");
    expect(validators).toHaveLength(4);
    expect(validators).toEqual(developmentValidators(4, bls));
    expect(() => verifyValidators(networkSpec("devnet"), bls)).not.toThrow();
  });

  it("have the same keys for ever: whoever has a number has the key", () => {
    expect(bytesToHex(bls.publicKeyOf(developmentValidatorKey(0, bls)).bytes)).toBe(
      "0xb86e68e6c2eaf93fa0a6582d881fdfab08be651b48734aa0561518d62ebb1de3622fcf449490250e6ade510c5712629f",
    );
    expect(developmentOperatorKey(0)).toEqual(developmentOperatorKey(0));
    expect(developmentOperatorKey(0)).not.toEqual(developmentOperatorKey(1));
  });

  it.each([1, 4, 7])("make a valid devnet of %i", (count) => {
    const spec = devnetSpec(count, bls);
    expect(verifyParameters(spec)).toEqual([]);
    expect(spec.validators).toHaveLength(count);
    expect(new Set(spec.validators.map(({ publicKey }) => publicKey)).size).toBe(count);
    expect(new Set(spec.validators.map(({ operator }) => operator)).size).toBe(count);
    expect(() => verifyValidators(spec, bls)).not.toThrow();
  });

  it("make a chain of its own for each number of them", () => {
    const hashes = [1, 2, 4].map((count) => bytesToHex(specHash(devnetSpec(count, bls))));
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[2]).toBe(bytesToHex(specHash(networkSpec("devnet"))));
  });
});
