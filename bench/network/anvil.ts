/** The peer: Foundry's development chain, as npm brings it. */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { foundryProgram } from "./foundry.ts";
import { freePort } from "./free-port.ts";
import { rpc } from "./http-client.ts";

export interface RunningChain {
  readonly url: URL;
  /** Of every node of it. */
  readonly urls: readonly URL[];
  readonly processes: readonly number[];
  stop(): Promise<void>;
}

/** Blocks of a second and no limit on their gas: with a block per transaction it does not finish (measured). */
export async function startAnvil(chainId: bigint): Promise<RunningChain> {
  const port = await freePort();
  const options = ["--port", `${port}`, "--block-time", "1", "--gas-limit", "30000000000", "--chain-id", `${chainId}`];
  const child = spawn(foundryProgram("anvil"), [...options, "--silent"], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = new URL(`http://127.0.0.1:${port}`);
  for (let attempt = 0; ; attempt++) {
    const answered = await rpc(url, "eth_chainId").then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (attempt > 200 || child.exitCode !== null) throw new Error("anvil does not start");
    await delay(50);
  }
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
