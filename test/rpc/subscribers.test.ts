import { type ChildProcess, fork } from "node:child_process";
import { on } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HostedNode } from "./support/hosted-node.ts";

/** bench measures ten thousand. */
const CLIENTS = 500;
const HEADS = 5;
const PROGRAM = fileURLToPath(new URL("../../dist/test/rpc/support/subscriber-process.js", import.meta.url));

let hosted: HostedNode;
let clients: ChildProcess;

beforeAll(async () => {
  hosted = await HostedNode.open({ limits: { connections: CLIENTS + 10 } });
});

afterAll(async () => {
  clients.kill();
  await hosted.close();
});

interface ClientEvent {
  readonly event: string;
  readonly number?: number;
  readonly reason?: string;
}

it(`tells ${CLIENTS} subscribers of every head`, async () => {
  clients = fork(PROGRAM, [String(hosted.host.port), String(CLIENTS)]);
  const events = on(clients, "message")[Symbol.asyncIterator]();
  const next = async (): Promise<ClientEvent> => (await events.next()).value[0] as ClientEvent;
  expect(await next()).toEqual({ event: "subscribed" });
  for (let i = 0; i < HEADS; i++) {
    const number = await hosted.makeBlock();
    expect(await next()).toEqual({ event: "head", number });
  }
  const metrics = await (await fetch(`${hosted.host.url}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^ogpu_rpc_subscriptions ${CLIENTS}$`, "m"));
});
