/** Debian's redis-server for a test, on a port of its own and with nothing on disk. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";

export const hasRedis: boolean = spawnSync("redis-server", ["--version"]).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export interface Redis {
  readonly address: string;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<Redis> {
  const port = await freePort();
  const options = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    tmpdir(),
  ];
  const child: ChildProcess = spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const text of child.stdout ?? []) if (String(text).includes("Ready to accept connections")) break;
  return {
    address: `redis://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
