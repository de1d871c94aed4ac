/** One validator in a process of its own, with a chain spec and options that `ogpu devnet` does not offer. */
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bls } from "../../base/bls.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { developmentValidators } from "../../genesis/development-validators.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import type { RunningChain } from "./anvil.ts";

/** The compiled program, also when this file runs from its source, as in tests. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/cli/main.js" : "../../cli/main.js", import.meta.url),
);

/** The devnet's, with one validator, an interval between blocks, and a genesis that is not long ago. */
export function validatorSpec(intervalMilliseconds: number): ChainSpec {
  const spec = networkSpec("devnet");
  return {
    ...spec,
    genesisTime: BigInt(Math.floor(Date.now() / 1000) - 60),
    validators: developmentValidators(1, bls),
    block: { ...spec.block, intervalMilliseconds },
    consensus: { ...spec.consensus, viewTimeoutMilliseconds: Math.max(1_000, 2 * intervalMilliseconds) },
  };
}

export interface ValidatorOptions {
  readonly spec: ChainSpec;
  /** Nobody has used the folder before. */
  readonly isNew: boolean;
  readonly args?: readonly string[];
}

interface StartedEvent {
  readonly event: string;
  readonly url?: string;
  readonly pid?: number;
}

export async function startValidator(
  directory: string,
  { spec, isNew, args = [] }: ValidatorOptions,
): Promise<RunningChain> {
  await mkdir(directory, { recursive: true });
  const specPath = join(directory, "spec.json");
  await writeFile(specPath, JSON.stringify(chainSpecJson(spec)));
  const words = [
    ...["validator", "--json", "--spec", specPath, "--dev-key", "0", "--data-dir", directory],
    ...["--listen", "/ip4/127.0.0.1/tcp/0", "--rpc-port", "0", "--log-level", "warn"],
    ...(isNew ? ["--new-key", "--from-genesis"] : []),
    ...args,
  ];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let url: URL | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as StartedEvent;
    if (event.url !== undefined) url = new URL(event.url);
    if (event.event === "ready") break;
  }
  if (url === undefined) throw new Error("the validator does not start");
  // Nobody reads on: its lines about blocks must not fill the pipe.
  child.stdout.resume();
  return {
    url,
    urls: [url],
    processes: child.pid === undefined ? [] : [child.pid],
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
