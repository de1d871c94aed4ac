/** Clients that hold on to what they are given, or never finish what they begin. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bytesToHex } from "../../base/bytes.ts";
import type { Node } from "../../chain/runtime/node.ts";
import { Admission } from "../../rpc/admission.ts";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { BODY_WEIGHT, DEFAULT_LIMITS, MAX_CONTROL_FRAMES, type RpcLimits } from "../../rpc/limits.ts";
import { localJobRunner } from "../../rpc/local-jobs.ts";
import { METHODS } from "../../rpc/methods.ts";
import { data } from "../../rpc/parameters.ts";
import { type RpcServer, startRpcServer } from "../../rpc/server.ts";
import { ALICE, SingleNode } from "../chain/runtime/support/single-node.ts";
import { nodeContext, PATIENT } from "./support/rpc-fixture.ts";

const MIB = 1024 * 1024;
const alone = new SingleNode();
const servers: RpcServer[] = [];
let chain: Node;

beforeAll(async () => {
  chain = await alone.open();
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await alone.close();
  alone.remove();
});

async function start(limits: Partial<RpcLimits>): Promise<RpcServer> {
  const server = await startRpcServer({
    ...{ chain, job: localJobRunner(chain, DEFAULT_LIMITS), host: "127.0.0.1", port: 0, limits },
    clientVersion: "ogpu/test",
    onBug: (_method, error) => alone.failures.push(error),
  });
  servers.push(server);
  return server;
}

function request(method: string, ...params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

async function post(url: string, body: string): Promise<number> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  await response.text();
  return response.status;
}

/** A connection that has become a WebSocket, to send any bytes on. */
async function rawWebSocket({ port }: RpcServer): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
      "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  await once(socket, "data");
  return socket;
}

/** Masked with zeros. */
function frame(first: number, payload: Uint8Array): Buffer {
  const length = Buffer.alloc(payload.length < 126 ? 1 : 3);
  if (payload.length < 126) length[0] = 0x80 | payload.length;
  else {
    length[0] = 0xfe;
    length.writeUInt16BE(payload.length, 1);
  }
  return Buffer.concat([Buffer.from([first]), length, Buffer.alloc(4), payload]);
}

const PIECE = frame(0x00, Buffer.alloc(50_000, "a"));

describe("WebSocket clients", () => {
  it("that never finish a message have a share of the memory, all together", async () => {
    const server = await start({ bytesUnderWay: MIB });
    const sockets = await Promise.all([1, 2, 3, 4].map(() => rawWebSocket(server)));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of sockets) {
      socket.resume();
      socket.write(frame(0x01, Buffer.from("[")));
    }
    // Four times 250 kB, each byte counted three times.
    for (let piece = 0; piece < 5; piece++) for (const socket of sockets) socket.write(PIECE);
    await Promise.race(closed);
    expect(sockets.filter(({ closed: isClosed }) => !isClosed).length).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    expect(await post(server.url, request("eth_chainId"))).toBe(200);
  });

  it("that send nothing but pongs for ever hold nothing", async () => {
    const server = await start({ requestsUnderWay: 1 });
    const socket = await rawWebSocket(server);
    const pong = frame(0x8a, Buffer.alloc(125));
    socket.write(Buffer.concat(Array.from({ length: MAX_CONTROL_FRAMES }, () => pong)));
    socket.write(frame(0x81, Buffer.from(request("eth_chainId"))));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain('"result":');
    expect(await post(server.url, request("eth_chainId"))).toBe(200);
    socket.destroy();
  });

  it("that send pongs without end, or frames of nothing, are disconnected", async () => {
    const server = await start({ bodyBytes: 1_024 });
    for (const [first, nothing] of [
      [frame(0x8a, Buffer.alloc(0)), frame(0x8a, Buffer.alloc(0))],
      [frame(0x01, Buffer.alloc(0)), frame(0x00, Buffer.alloc(0))],
    ] as const) {
      const socket = await rawWebSocket(server);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.resume();
      socket.write(Buffer.concat([first, ...Array.from({ length: 50_000 }, () => nothing)]));
      await closed;
    }
  });

  it("that do not read their answers count until they do", async () => {
    const server = await start({ requestsUnderWay: 1 });
    const client = new WebSocket(server.url.replace("http", "ws"));
    await once(client, "open");
    client.pause();
    const discover = request("rpc.discover");
    const each = (await (
      await fetch(server.url, { method: "POST", headers: { "content-type": "application/json" }, body: discover })
    ).text()) as string;
    // More than the sockets of both sides take.
    const count = Math.ceil((20 * MIB) / each.length);
    client.send(`[${Array.from({ length: count }, () => discover).join(",")}]`);
    let status = 200;
    while (status === 200) status = await post(server.url, request("eth_chainId"));
    expect(status).toBe(503);
    const read = once(client, "message");
    client.resume();
    await read;
    while (status !== 200) status = await post(server.url, request("eth_chainId"));
    client.terminate();
  });
});

describe("HTTP clients", () => {
  it.each([
    ["plain", ""],
    ["other", "te: trailers\r\n"],
  ])("that do not take their answers in time are cut off (%s requests)", async (_, header) => {
    const server = await start({ requestsUnderWay: 1, requestMilliseconds: 300, takenPerSecond: 1e9 });
    const discover = request("rpc.discover");
    // More than the sockets of both sides take.
    const body = `[${Array.from({ length: 200 }, () => discover).join(",")}]`;
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}content-length: ${body.length}\r\n\r\n${body}`,
    );
    let status = 200;
    while (status === 200) status = await post(server.url, request("eth_chainId"));
    expect(status).toBe(503);
    while (status !== 200) status = await post(server.url, request("eth_chainId"));
    socket.destroy();
  });

  it("may send a body in any number of pieces", async () => {
    const server = await start({});
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    socket.write("transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
    const spaces = " ".repeat(30_000);
    const body = `${request("eth_chainId")}${spaces}`;
    socket.write(`${Array.from(body, (character) => `1\r\n${character}\r\n`).join("")}0\r\n\r\n`);
    const parts: Buffer[] = [];
    for await (const part of socket as AsyncIterable<Buffer>) parts.push(part);
    expect(Buffer.concat(parts).toString()).toContain('"result":"0x');
  });

  it("that wait for a transaction and hang up are waited for no more", async () => {
    let isGone = false;
    const raw = alone.sign(ALICE, { nonce: 5n });
    const submit = chain.submit.bind(chain);
    const view = new Proxy(chain, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "submit") return typeof value === "function" ? value.bind(target) : value;
        return (bytes: Uint8Array) =>
          submit(bytes).finally(() => {
            isGone = true;
          });
      },
    });
    const rpc = new JsonRpc({ methods: METHODS, node: nodeContext(view), onBug: () => undefined });
    const body = request("eth_sendRawTransactionSync", bytesToHex(raw), 60_000);
    expect(await rpc.answer(body, { ...PATIENT, isGone: () => isGone })).toBeUndefined();
  });
});

it("does not wait, when it is closed, for half a request or for a WebSocket client that does not say goodbye", async () => {
  const server = await start({});
  const half = connect(server.port, "127.0.0.1");
  half.on("error", () => undefined).resume();
  await new Promise((resolve) => half.write("POST / HTTP/1.1\r\nhost: localhost\r\n", resolve));
  const silent = (await rawWebSocket(server)).resume();
  expect(await post(server.url, request("eth_chainId"))).toBe(200);
  // An idle connection would be closed after a minute, and one that is closing after half of that.
  const isClosed = await Promise.race([server.close().then(() => true), delay(20_000, false, { ref: false })]);
  expect(isClosed).toBe(true);
  silent.destroy();
});

describe("one address", () => {
  it("has a quarter of the requests and half of the bytes; loopback has all", () => {
    const admission = new Admission({ requestsUnderWay: 8, bytesUnderWay: 8 * BODY_WEIGHT });
    const many = [1, 2, 3].map(() => admission.admit(0, "192.0.2.1"));
    expect(many.map((ticket) => ticket !== undefined)).toEqual([true, true, false]);
    expect(admission.admit(0, "192.0.2.2")).toBeDefined();
    for (const ticket of many) ticket?.end();
    const large = admission.admit(4, "192.0.2.1");
    expect([large !== undefined, admission.admit(1, "192.0.2.1")]).toEqual([true, undefined]);
    expect(admission.admit(1, "192.0.2.3")).toBeDefined();
    large?.end();
    const alonely = admission.admit(7, "192.0.2.1");
    expect(alonely).toBeDefined();
    alonely?.end();
    expect([1, 2, 3].map(() => admission.admit(2, "127.0.0.1") !== undefined)).toEqual([true, true, true]);
  });
});

describe("bytes of any length", () => {
  it("are read, or refused, without an expression that breaks", () => {
    const digits = "0f".repeat(10_000_000);
    expect(data.read(`0x${digits}`, "data").length).toBe(10_000_000);
    for (const wrong of [`0x${digits}f`, `0x${digits}0g`, "0X00", "00", ""]) {
      expect(() => data.read(wrong, "data")).toThrow("data must be bytes");
    }
  });
});
