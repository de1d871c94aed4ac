import { readdirSync, readFileSync } from "node:fs";
import { type AbiEvent, type AbiFunction, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { networkSpec } from "../../../genesis/networks.ts";
import { MODULE_ADDRESS_PREFIX } from "../../../genesis/reserved-addresses.ts";
// @ts-expect-error plain JavaScript, which runs before anything is built
import { compileInterface } from "../../../scripts/generate-abi.mjs";
import { modulesOfSpec } from "../../../vm/rules-of-spec.ts";

const INTERFACES = "vm/interfaces";
const files = readdirSync(INTERFACES).filter((file) => file.endsWith(".sol"));
const modules = modulesOfSpec(networkSpec("devnet"));

/** `trust-lock` -> `ITrustLock.sol`; a module is named by its folder or, in one word, by its first letters. */
function interfaceOf(name: string): string {
  const words = name
    .replace(/(?<=[a-z])[A-Z]/g, "-$&")
    .toLowerCase()
    .split("-");
  return `I${words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}.sol`;
}

describe.each(modules)("the module $name", ({ name, address, abi, handlers }) => {
  const file = interfaceOf(name);

  it("has the ABI that its Solidity interface compiles to", () => {
    expect(abi).toEqual(compileInterface(file));
  });

  it("implements every function of it, and nothing else", () => {
    const functions = abi.filter((item): item is AbiFunction => item.type === "function");
    expect(Object.keys(handlers).sort()).toEqual(functions.map((item) => item.name).sort());
    // Handlers go by name: one name, one function.
    expect(new Set(functions.map((item) => item.name)).size).toBe(functions.length);
    expect(new Set(functions.map((item) => toFunctionSelector(item))).size).toBe(functions.length);
  });

  it("says its address and explains each function, event and error in its interface", () => {
    const source = readFileSync(`${INTERFACES}/${file}`, "utf8");
    expect(address.startsWith(MODULE_ADDRESS_PREFIX)).toBe(true);
    expect(source).toContain(address);
    const unexplained = source
      .split(/(?<=[;{])\n/)
      .filter((part) => /^\s*(function|event|error) /m.test(part) && !part.includes("///"));
    expect(unexplained.filter((part) => !/function (name|symbol|decimals|balanceOf)\(/.test(part))).toEqual([]);
  });

  it("has events that can be told apart by their first topic", () => {
    const events = abi.filter((item): item is AbiEvent => item.type === "event");
    expect(new Set(events.map((item) => item.name)).size).toBe(events.length);
  });
});

it("every interface belongs to a module", () => {
  expect(modules.map(({ name }) => interfaceOf(name)).sort()).toEqual([...files].sort());
});
