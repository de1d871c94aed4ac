import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { NodeChain } from "../../../cli/agent/node-chain.ts";
import { StopPause } from "../../../cli/agent/stop-pause.ts";

const KEY = new Uint8Array(32).fill(7);
const ACCOUNT = `0x${"12".repeat(20)}` as const;
const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ogpu-stop-"));
  ends.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function serverOf(server: Server): Promise<NodeChain> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return chainAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

function chainAt(url: string): NodeChain {
  return { account: ACCOUNT, link: { url } } as unknown as NodeChain;
}

describe("the pause of a provider that stops", () => {
  it("is given up when the node does not answer, or is away", async () => {
    const silent = await serverOf(createServer(() => undefined));
    const pause = new StopPause(folder(), 50);
    await expect(pause.pause(silent, KEY)).rejects.toMatchObject({ code: "STOP_UNPAUSED" });
    const away = new StopPause(folder(), 60_000);
    await expect(away.pause(chainAt("http://127.0.0.1:9"), KEY)).rejects.toMatchObject({ code: "RPC_UNREACHABLE" });
    expect(await away.isOwn()).toBe(false);
  });

  it("is remembered until it is over", async () => {
    const place = folder();
    expect(await new StopPause(place, 50).isOwn()).toBe(false);
    await new StopPause(place, 50).note();
    expect(await new StopPause(place, 50).isOwn()).toBe(true);
    await new StopPause(place, 50).forget();
    await new StopPause(place, 50).forget();
    expect(await new StopPause(place, 50).isOwn()).toBe(false);
  });
});
