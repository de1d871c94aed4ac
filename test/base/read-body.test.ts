import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { equalBytes } from "../../base/bytes.ts";
import { eitherSignal } from "../../base/either-signal.ts";
import { bodyPieces, readBody } from "../../base/read-body.ts";
import { collectMemory } from "./support/collect-memory.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const dripping: RequestListener = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("x"), 5);
  response.on("close", () => clearInterval(timer));
};

async function bodyAt(url: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { body } = await fetch(url, { ...(signal && { signal }) });
  if (body === null) throw new Error("an answer with a body");
  return body;
}

describe("the body of an answer", () => {
  it("is not read any more after the signal, whatever of it came, although memory was collected", async () => {
    let closed = 0;
    const url = await listen((request, response) => {
      response.on("close", () => closed++);
      dripping(request, response);
    });
    const stop = new AbortController();
    const body = await bodyAt(url, stop.signal);
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const piece of bodyPieces(body, stop.signal)) {
        bytes += piece.length;
        await collectMemory();
        if (bytes > 3) stop.abort(new Error("enough"));
      }
    };
    await expect(read()).rejects.toThrow("enough");
    while (closed === 0) await collectMemory();
  });

  it("is given up while nothing comes", async () => {
    const url = await listen((_, response) => {
      response.writeHead(200);
      response.write("x");
    });
    const stop = new AbortController();
    const reading = readBody(await bodyAt(url), 10, stop.signal);
    await collectMemory();
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  it("is read to its end, in order, if it is not longer than wanted", async () => {
    const sent = Uint8Array.from({ length: 300_000 }, (_, index) => index * 7);
    const url = await listen((_, response) => response.end(sent));
    const { signal } = new AbortController();
    const got = await readBody(await bodyAt(url), 300_000, signal);
    expect(got !== undefined && equalBytes(got, sent)).toBe(true);
    expect(await readBody(await bodyAt(url), 299_999, signal)).toBeUndefined();
    expect(await readBody(null, 0, signal)).toEqual(new Uint8Array());
  });

  it("is not begun after the signal", async () => {
    const url = await listen(dripping);
    await expect(readBody(await bodyAt(url), 10, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});

describe("either of two signals", () => {
  it("comes with a timeout that nobody else knows, although memory was collected", async () => {
    const url = await listen(() => undefined);
    const { signal } = new AbortController();
    const asked = fetch(url, { signal: eitherSignal(signal, AbortSignal.timeout(100)) });
    const ended = expect(asked).rejects.toThrow();
    await collectMemory();
    await ended;
  });

  it("comes with the one that lasts", () => {
    const lasting = new AbortController();
    const either = eitherSignal(lasting.signal, new AbortController().signal);
    expect(either.aborted).toBe(false);
    lasting.abort(new Error("enough"));
    expect(either.reason).toMatchObject({ message: "enough" });
  });
});
