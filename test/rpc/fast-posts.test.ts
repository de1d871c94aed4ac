import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainHead } from "../../rpc/http-head.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobRunner } from "../../rpc/local-jobs.ts";
import { type RpcServer, startRpcServer } from "../../rpc/server.ts";
import { SingleNode } from "../chain/runtime/support/single-node.ts";

const fixture = new SingleNode();
let server: RpcServer;

beforeAll(async () => {
  const chain = await fixture.open();
  server = await startRpcServer({
    ...{ chain, host: "127.0.0.1", port: 0, clientVersion: "ogpu/test" },
    job: localJobRunner(chain, DEFAULT_LIMITS),
    limits: { requestMilliseconds: 1_000 },
    onBug: (_method, error) => fixture.failures.push(error),
  });
});

afterAll(async () => {
  await server.close();
  expect(fixture.failures).toEqual([]);
  await fixture.close();
  fixture.remove();
});

const bodyOf = (id: number, method = "eth_chainId", params: unknown[] = []): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

function post(body: string, ...fields: readonly string[]): string {
  const head = ["POST / HTTP/1.1", "host: localhost", "content-type: application/json", ...fields];
  return [...head, `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n");
}

/** Everything that the server sends until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await once(socket, "close");
  return text;
}

async function exchange(...pieces: readonly string[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1").setNoDelay(true);
  const answer = received(socket);
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  return await answer;
}

const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string);
const ids = (text: string): readonly number[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));

describe("requests straight from the socket", () => {
  it("are answered in their order, however fast each of them is", async () => {
    const call = bodyOf(1, "eth_call", [{ data: "0x" }]);
    const text = await exchange(
      [post(call), post(bodyOf(2)), post(bodyOf(3)), post(bodyOf(4), "connection: close")].join(""),
    );
    expect([statuses(text), ids(text)]).toEqual([Array(4).fill("200"), [1, 2, 3, 4]]);
    expect(text.match(/connection: close/g)).toHaveLength(1);
  });

  it("are all answered when a long answer comes after those behind it", async () => {
    const echo = bodyOf(1, "eth_call", [{ to: `0x${"04".padStart(40, "0")}`, data: `0x${"ab".repeat(20_000)}` }]);
    const text = await exchange([post(echo), post(bodyOf(2)), post(bodyOf(3), "connection: close")].join(""));
    expect([statuses(text), ids(text)]).toEqual([Array(3).fill("200"), [1, 2, 3]]);
    expect(text.length).toBeGreaterThan(40_000);
  });

  it("mean the same wherever they are cut", async () => {
    const whole = post(bodyOf(1)) + post('{"é": "ü"}') + post(bodyOf(3), "connection: close");
    const expected = await exchange(whole);
    expect(statuses(expected)).toEqual(["200", "200", "200"]);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(whole.length), { maxLength: 6 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect(await exchange(...pieces)).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });

  it("are many on one connection, more than are worked on at once", async () => {
    const requests = Array.from({ length: 300 }, (_, id) => post(bodyOf(id, "eth_call", [{ data: "0x" }])));
    const text = await exchange([...requests, post(bodyOf(300), "connection: close")].join(""));
    expect(ids(text)).toEqual(Array.from({ length: 301 }, (_, id) => id));
  });

  it("give the connection to Node.js' server when they are not plain, with all that was sent", async () => {
    const text = await exchange(
      [
        post(bodyOf(1)),
        "GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n",
        post(bodyOf(2)),
        `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
        `${bodyOf(3).length.toString(16)}\r\n${bodyOf(3)}\r\n0\r\n\r\n`,
        post(bodyOf(4), "connection: close"),
      ].join(""),
    );
    expect(statuses(text)).toEqual(["200", "404", "200", "200", "200"]);
    expect(ids(text)).toEqual([1, 2, 3, 4]);
  });

  it("are refused as everywhere: wrong type, foreign name, broken HTTP", async () => {
    const body = bodyOf(1);
    const tail = `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    const refused = [
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n${tail}`,
      `POST / HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\n${tail}`,
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-type: application/json\r\n${tail}`,
      "\u0000\u0001\u0002\r\n\r\n",
    ];
    const answers = await Promise.all(refused.map((text) => exchange(text)));
    expect(answers.flatMap(statuses)).toEqual(["415", "403", "400", "400"]);
  });

  it("that do not come to their end are given up", async () => {
    const text = await exchange(post(bodyOf(1)), post(bodyOf(2)).slice(0, -5));
    expect(ids(text)).toEqual([1]);
  });

  it("are answered in HTTP/1.1 when they offer HTTP/2 on the side, as Java's client does", async () => {
    const offer = ["connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABkAARAAAAA"];
    const text = await exchange(post(bodyOf(1), ...offer) + post(bodyOf(2), "connection: close"));
    expect([statuses(text), ids(text)]).toEqual([
      ["200", "200"],
      [1, 2],
    ]);
  });

  it("answer a notification with nothing", async () => {
    const notification = JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId" });
    expect(statuses(await exchange(post(notification, "connection: close")))).toEqual(["204"]);
  });
});

describe("the head of a plain request", () => {
  const head = (...fields: readonly string[]): string => `${["POST / HTTP/1.1", ...fields].join("\r\n")}\r\n`;

  it("is read whatever the case of its names and the spaces around its values", () => {
    expect(
      plainHead(head("Content-Length:  12 ", "HOST: a", "x-other: é".replace("é", "e"), "Connection: close")),
    ).toEqual({
      contentLength: 12,
      contentType: undefined,
      host: "a",
      origin: undefined,
      isLast: true,
    });
  });

  it("is not one that anybody could read otherwise", () => {
    const others = [
      head("host: a"),
      head("content-length: 1", "content-length: 1"),
      head("content-length: +1"),
      head("content-length: 0x1"),
      head("content-length: 1, 1"),
      head("content-length : 1"),
      head("content-length: 1", "transfer-encoding: chunked"),
      head("content-length: 1", "expect: 100-continue"),
      head("content-length: 1", "connection: upgrade"),
      head("content-length: 1", "connection: upgrade", "upgrade: h2c"),
      head("content-length: 1", "connection: upgrade, http2-settings", "upgrade: websocket"),
      head("content-length: 1", " folded: line"),
      head("content-length: 1", "x: a\nb: c"),
      head("content-length: 1", "x: \u0000"),
      head("content-length: 1").replace("POST / ", "POST /x "),
      head("content-length: 1").replace("1.1", "1.0"),
    ];
    expect(others.map((text) => plainHead(text))).toEqual(others.map(() => undefined));
  });
});

it("reads a head of nothing but spaces as fast as any other", () => {
  const head = `POST / HTTP/1.1\r\nhost: a\r\nx:${" ".repeat(4_000)}\u0001\r\n`;
  // An expression that backtracks takes minutes for this: the test would not end.
  expect(plainHead(head)).toBeUndefined();
  expect(plainHead(`POST / HTTP/1.1\r\nhost: \t a \t\r\ncontent-length: 2 \r\n`)).toMatchObject({
    host: "a",
    contentLength: 2,
  });
});
