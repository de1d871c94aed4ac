/** The contracts of test/rpc/clients/contracts, with what they import: OpenZeppelin's from npm, and our interfaces. */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Abi } from "viem";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { compileSolidity } from "../../../../bench/solidity.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const FOLDER = fileURLToPath(new URL("../contracts", import.meta.url));
const IMPORT = /^import\s[^"]*"([^"]+)";/gm;

export interface Contract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

/** Of these files, by name. Takes some seconds. */
export async function compileContracts(...files: readonly string[]): Promise<(name: string) => Contract> {
  const sources: Record<string, string> = {};
  for (const file of files) collect(unitOf(join(FOLDER, `${file}.sol`)), sources);
  const contracts = await compileSolidity(sources);
  return (name) => {
    const contract = contracts.get(name);
    if (contract === undefined) throw new Error(`there is no contract ${name}`);
    return { abi: contract.abi, bytecode: bytesToHex(contract.code) };
  };
}

/** A file and what it imports, by the names that the compiler gives them: paths from the root, or of a package. */
function collect(unit: string, sources: Record<string, string>): void {
  if (unit in sources) return;
  const text = readFileSync(unit.startsWith("@") ? join(ROOT, "node_modules", unit) : join(ROOT, unit), "utf8");
  sources[unit] = text;
  for (const [, path = ""] of text.matchAll(IMPORT)) {
    collect(path.startsWith(".") ? join(dirname(unit), path) : path, sources);
  }
}

function unitOf(path: string): string {
  return relative(ROOT, resolve(path));
}
