/** Our validators as people run them: `ogpu devnet`, one process each. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RunningChain } from "./anvil.ts";

interface DevnetEvent {
  readonly event: string;
  readonly validators?: readonly { readonly pid: number; readonly url: string }[];
}

/** The compiled program, also when this file runs from its source, as in tests. */
export const PROGRAM: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/cli/main.js" : "../../cli/main.js", import.meta.url),
);

/** With providers and verifiers, as `npm start` has them, or validators alone: verifiers come with the standard spec only. */
export async function startDevnet(
  directory: string,
  validators: number,
  company: "with agents" | "validators alone" = "with agents",
): Promise<RunningChain> {
  const spec = company === "with agents" ? [] : ["--spec", "devnet"];
  const chain = ["--fresh", "--data-dir", directory, "--validators", `${validators}`, ...spec];
  const options = [...chain, "--rpc-port", "0", "--json"];
  const child = spawn(process.execPath, [PROGRAM, "devnet", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let started: DevnetEvent["validators"];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as DevnetEvent;
    if (event.event === "started") started = event.validators;
    if (event.event === "ready") break;
  }
  if (started === undefined || started.length !== validators) throw new Error("the devnet does not start");
  // Nobody reads on: its lines about blocks must not fill the pipe.
  child.stdout.resume();
  const urls = started.map(({ url }) => new URL(url));
  return {
    url: urls[0] as URL,
    urls,
    processes: started.map(({ pid }) => pid),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
