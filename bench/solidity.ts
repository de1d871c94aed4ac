/** Compiles Solidity with solc, a development dependency, for benchmarks and tests. */
import type { Abi } from "viem";
import { type Hex, hexToBytes } from "../base/bytes.ts";

export interface CompiledContract {
  readonly abi: Abi;
  /** Creation code; empty for an interface. */
  readonly code: Uint8Array;
}

interface SolcContract {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, SolcContract>>>>;
}

/** The contracts of `sources` (text by file name), by contract name. */
export async function compileSolidity(
  sources: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, CompiledContract>> {
  const { default: solc } = await import("solc");
  const settings = {
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
  };
  const files = Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }]));
  const input = JSON.stringify({ language: "Solidity", sources: files, settings });
  const output = JSON.parse(solc.compile(input)) as SolcOutput;
  const problem = output.errors?.find(({ severity }) => severity === "error");
  if (problem !== undefined) throw new Error(problem.formattedMessage);
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return new Map(
    contracts.map(([name, { abi, evm }]) => [name, { abi, code: hexToBytes(`0x${evm.bytecode.object}` as Hex) }]),
  );
}
