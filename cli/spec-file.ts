/** Chain specs from files. */
import { readFile } from "node:fs/promises";
import { CodedError } from "../base/errors.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { NETWORK_NAMES, networkSpec } from "../genesis/networks.ts";
import { parseChainSpec } from "../genesis/parse-chain-spec.ts";

/** Throws SPEC_INVALID, with every problem. */
export async function readSpecFile(path: string): Promise<ChainSpec> {
  const text = await readFile(path, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CodedError("SPEC_INVALID", `${path} is not JSON: ${reason}`, {
      problems: [{ path: "$", message: reason }],
    });
  }
  return parseChainSpec(json);
}

/** A network that ships with the node, by name, or else a file. */
export async function readSpec(nameOrPath: string): Promise<ChainSpec> {
  const network = NETWORK_NAMES.find((name) => name === nameOrPath);
  return network === undefined ? await readSpecFile(nameOrPath) : networkSpec(network);
}
