/** The codec of modules gives what viem's gives, for every function, error and event that there is. */
import { Interface } from "ethers";
import { type Abi, type AbiParameter, decodeFunctionData, encodeErrorResult, encodeEventTopics } from "viem";
import { encodeAbiParameters, encodeFunctionData, encodeFunctionResult } from "viem/utils";
import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytes32, bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { devnetSpec } from "../../../genesis/development-validators.ts";
import { verifiersAbi } from "../../../vm/interfaces/abi/verifiers.ts";
import { decodeCall, encodeError, encodeEvent } from "../../../vm/modules/abi-codec.ts";
import { modulesOfSpec } from "../../../vm/rules-of-spec.ts";

const modules = modulesOfSpec(devnetSpec(4, bls));
const ACCOUNT: Hex = "0x00000000000000000000000000000000deadbeef";

/** A value of the type; addresses in lower case, as modules have them. */
function sample(parameter: AbiParameter): unknown {
  const array = /^(.*)\[\d*\]$/.exec(parameter.type);
  if (array !== null) return [0, 1].map(() => sample({ ...parameter, type: array[1] as string }));
  if ("components" in parameter) {
    return Object.fromEntries(parameter.components.map((each) => [each.name, sample(each)]));
  }
  if (parameter.type === "address") return ACCOUNT;
  if (parameter.type === "bool") return true;
  if (parameter.type === "string") return "a text that is longer than thirty-two bytes";
  if (parameter.type === "bytes") return `0x${"ab".repeat(48)}`;
  const [, size] = /^bytes(\d+)$/.exec(parameter.type) ?? [];
  if (size !== undefined) return `0x${"cd".repeat(Number(size))}`;
  const bits = Number(/^u?int(\d+)$/.exec(parameter.type)?.[1]);
  return bits <= 48 ? 7 : 7n;
}

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, lowered(each)]));
  }
  return typeof value === "string" && value.length === ACCOUNT.length ? value.toLowerCase() : value;
}

describe.each(modules)("$name", ({ abi }) => {
  it("decodes every call as viem does, and encodes its result", () => {
    for (const item of abi) {
      if (item.type !== "function") continue;
      const data = encodeFunctionData({ abi, functionName: item.name, args: item.inputs.map(sample) });
      const decoded = decodeCall(abi, hexToBytes(data));
      expect(decoded?.definition.name).toBe(item.name);
      expect(decoded?.args).toEqual(lowered(decodeFunctionData({ abi, data }).args ?? []));
      const values = item.outputs.map(sample);
      const result = values.length === 1 ? values[0] : values;
      const expected = encodeFunctionResult({ abi: abi as Abi, functionName: item.name, result: result as never });
      expect(bytesToHex(decoded?.encodeResult(result) ?? new Uint8Array())).toBe(expected);
    }
  });

  it("refuses call data with hostile words, and never throws for it", () => {
    const prng = new Prng("hostile words");
    const words = [0n, 1n, 31n, 32n, 1n << 31n, 1n << 32n, (1n << 53n) - 1n, 1n << 64n, 1n << 255n, (1n << 256n) - 1n];
    for (const item of abi) {
      if (item.type !== "function" || item.inputs.length === 0) continue;
      const data = hexToBytes(encodeFunctionData({ abi, functionName: item.name, args: item.inputs.map(sample) }));
      for (let round = 0; round < 20; round++) {
        const changed = data.slice();
        const at = 4 + 32 * prng.below((changed.length - 4) / 32);
        changed.set(bytes32(words[prng.below(words.length)] as bigint), at);
        expect(() => decodeCall(abi, changed.subarray(0, changed.length - prng.below(3)))).not.toThrow();
      }
    }
  });

  it("encodes every error as viem does, and ethers decodes it", () => {
    const ethers = new Interface(JSON.stringify(abi));
    for (const item of abi) {
      if (item.type !== "error") continue;
      const args = item.inputs.map(sample);
      const decoded = ethers.parseError(encodeError(abi, item.name, args));
      expect([decoded?.name, decoded?.args.length]).toEqual([item.name, args.length]);
      expect(bytesToHex(encodeError(abi, item.name, args))).toBe(
        encodeErrorResult({ abi: abi as Abi, errorName: item.name, args } as never),
      );
    }
  });

  it("encodes every event as viem does", () => {
    for (const item of abi) {
      if (item.type !== "event") continue;
      const args = Object.fromEntries(item.inputs.map((input) => [input.name, sample(input)]));
      const { topics, data } = encodeEvent(abi, item.name, args);
      expect(topics).toEqual(encodeEventTopics({ abi: abi as Abi, eventName: item.name, args } as never));
      const plain = item.inputs.filter((input) => input.indexed !== true);
      expect(bytesToHex(data)).toBe(encodeAbiParameters(plain, plain.map(sample) as never));
    }
  });
});

describe("what does not fit", () => {
  const [account] = [ACCOUNT.slice(2).padStart(64, "0")];
  const abi = verifiersAbi as Abi;
  const call = encodeFunctionData({ abi, functionName: "verifierOf", args: [ACCOUNT] });

  it.each([
    ["an address with something above it", call.replace(account, `1${account.slice(1)}`)],
    ["a word too many", `${call}${"00".repeat(32)}`],
    ["a byte too few", call.slice(0, -2)],
    ["no arguments", call.slice(0, 10)],
    ["another function", `0xffffffff${call.slice(10)}`],
    ["half a selector", "0xff"],
    ["arguments for a function without", `${encodeFunctionData({ abi, functionName: "exit" })}00`],
  ])("is %s", (_name, data) => {
    expect(decodeCall(abi, hexToBytes(call))).toBeDefined();
    expect(decodeCall(abi, hexToBytes(data as Hex))).toBeUndefined();
  });
});
