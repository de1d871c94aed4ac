/** Chain specs by name or from files. */
import { readFile } from "node:fs/promises";
import { CodedError, systemCodeOf } from "../base/errors.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { NETWORK_NAMES, networkSpec } from "../genesis/networks.ts";
import { parseChainSpec } from "../genesis/parse-chain-spec.ts";

async function readSpecFile(path: string): Promise<ChainSpec> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    throw new CodedError("SPEC_MISSING", `${path} is no file and none of ${NETWORK_NAMES.join(", ")}`, {
      hint: "Check the path, or make a spec with: ogpu genesis create",
    });
  });
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

/** A network that ships with the node, by name, or else a file. Throws SPEC_MISSING, and SPEC_INVALID with every problem. */
export async function readSpec(nameOrPath: string): Promise<ChainSpec> {
  const network = NETWORK_NAMES.find((name) => name === nameOrPath);
  return network === undefined ? await readSpecFile(nameOrPath) : networkSpec(network);
}
