import { once } from "node:events";
import { createServer, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import { StoredBlobs } from "../../../../compute/agent/blobs/blob-port.ts";
import { BlobStore } from "../../../../compute/agent/blobs/blob-store.ts";
import type { BlobLimits } from "../../../../compute/agent/limits.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { collectMemory } from "../../../base/support/collect-memory.ts";
import { TemporaryFolders } from "../../../chain/store/support/temporary-folder.ts";
import { sameBytes } from "../../support/inputs.ts";

const folders = new TemporaryFolders();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  folders.remove();
});

const prng = new Prng("blob service");
const never = new AbortController().signal;

function addressOf(contents: Uint8Array): Hex {
  return bytesToHex(contentAddress(contents));
}

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function blobs(
  limits: Partial<BlobLimits> = {},
): Promise<{ store: BlobStore; port: StoredBlobs; place: string }> {
  const store = await BlobStore.open(folders.next(), { limits });
  ends.push(() => store.close());
  const port = new StoredBlobs(store, {}, openWeb);
  return { store, port, place: await listen((asked, response) => port.serve(asked, response)) };
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

describe("blobs over HTTP", () => {
  it("are brought, asked about, read and read in part", async () => {
    const { place } = await blobs();
    const contents = prng.bytes(400_000);
    const url = `${place}/blobs/${addressOf(contents)}`;
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(url, { method: "PUT", body: contents })).status).toBe(201);
    expect((await fetch(url, { method: "PUT", body: contents })).status).toBe(200);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "400000"]);
    sameBytes(new Uint8Array(await (await fetch(url)).arrayBuffer()), contents);
    const ranges: [string, number, number][] = [
      ["bytes=0-0", 0, 1],
      ["bytes=1000-300000", 1_000, 300_001],
      ["bytes=399999-", 399_999, 400_000],
      ["bytes=-10", 399_990, 400_000],
      ["bytes=5-999999999", 5, 400_000],
    ];
    for (const [range, start, end] of ranges) {
      const part = await fetch(url, { headers: { range } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end - 1}/400000`]);
      sameBytes(new Uint8Array(await part.arrayBuffer()), contents.slice(start, end));
    }
    const beyond = await fetch(url, { headers: { range: "bytes=400000-" } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */400000"]);
    expect((await fetch(url, { headers: { range: "bytes=9-1,3-4" } })).status).toBe(200);
  });

  it("are brought in parts, which go on only where the last one ended", async () => {
    const { place } = await blobs();
    const contents = prng.bytes(10_000);
    const url = `${place}/blobs/${addressOf(contents)}`;
    const put = (start: number, end: number): Promise<Response> => {
      const headers = { "content-range": `bytes ${start}-${end - 1}/10000` };
      return fetch(url, { method: "PUT", headers, body: contents.subarray(start, end) });
    };
    expect((await put(0, 4_000)).status).toBe(202);
    const wrong = await put(5_000, 10_000);
    expect([wrong.status, wrong.headers.get("upload-offset"), await codeOf(wrong)]).toEqual([
      409,
      "4000",
      "BLOB_OFFSET",
    ]);
    const asked = await fetch(url, { method: "PUT", headers: { "content-range": "bytes */10000" } });
    expect([asked.status, asked.headers.get("upload-offset")]).toEqual([202, "4000"]);
    expect((await put(4_000, 10_000)).status).toBe(201);
    sameBytes(new Uint8Array(await (await fetch(url)).arrayBuffer()), contents);
  });

  it("are refused with a code when they are wrong, too long or beyond the quota", async () => {
    const { place, store } = await blobs({ blobBytes: 5_000, ownerBytes: 2_000 });
    const put = async (address: string, body: Uint8Array): Promise<string> =>
      codeOf(await fetch(`${place}/blobs/${address}`, { method: "PUT", body }));
    expect(await put(addressOf(prng.bytes(9)), prng.bytes(10))).toBe("BLOB_MISMATCH");
    const long = prng.bytes(5_001);
    expect(await put(addressOf(long), long)).toBe("BLOB_TOO_LARGE");
    const many = prng.bytes(2_001);
    expect(await put(addressOf(many), many)).toBe("BLOB_QUOTA");
    expect(store.bytes).toBe(0);
  });

  it("have names that reach no other file", async () => {
    const { place } = await blobs();
    const { port, hostname } = new URL(place);
    const digits = "a".repeat(64);
    const names = [
      ...["../index/CURRENT", "..%2f..%2fetc/passwd", "%2e%2e/x", `0x${digits}/..`, `0x${digits}%00`, "0x", ""],
      ...[`0X${digits}`, `0x${digits.toUpperCase()}`, `0x${digits}a`, `0x${digits}?x=1`, "con", `${digits}`],
    ];
    for (const name of names) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        // Raw, because fetch would tidy the path.
        const asked = request({
          hostname,
          port,
          path: `/blobs/${name}`,
          method,
          headers: { "content-length": 0 },
        }).end();
        const [answer] = await once(asked, "response");
        answer.resume();
        expect([name, method, answer.statusCode]).toEqual([name, method, 400]);
      }
    }
  });

  it("are given up when the peer is slow, in either direction, and can be resumed", async () => {
    const { place, store, port: service } = await blobs({ idleMilliseconds: 50, idleBytes: 10_000 });
    const contents = new Uint8Array(20_000_000).fill(7);
    const { port } = new URL(place);
    const slow = connect(Number(port), "127.0.0.1");
    slow.on("error", () => undefined);
    slow.write(`PUT /blobs/${addressOf(contents)} HTTP/1.1\r\nhost: a\r\ncontent-length: 20000000\r\n\r\n`);
    slow.write(contents.subarray(0, 5_000));
    slow.resume();
    await once(slow, "close");
    await store.put(contents);
    let end = (_isWhole: boolean): void => undefined;
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const watched = await listen((asked, response) => {
      response.on("close", () => end(response.writableFinished));
      service.serve(asked, response);
    });
    const reader = connect(Number(new URL(watched).port), "127.0.0.1");
    reader.on("error", () => undefined);
    // Never reads: what fits in the buffers between is all that moves.
    reader.pause();
    reader.write(`GET /blobs/${addressOf(contents)} HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect(await ended).toBe(false);
    reader.destroy();
  });

  it("refuse more requests at a time than there are places", async () => {
    const { place } = await blobs({ addressRequests: 1 });
    const contents = prng.bytes(1_000);
    const { port } = new URL(place);
    const holder = connect(Number(port), "127.0.0.1");
    holder.write(`PUT /blobs/${addressOf(contents)} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n`);
    let refused = false;
    for (let tries = 0; tries < 500 && !refused; tries++) {
      const answer = await fetch(`${place}/blobs/${addressOf(contents)}`);
      refused = answer.status === 503;
      if (!refused) expect(await codeOf(answer)).toBe("BLOB_ABSENT");
    }
    expect(refused).toBe(true);
    holder.destroy();
  });
});

describe("a blob from somewhere else", () => {
  it("comes from the first place that has it, and is kept", async () => {
    const [here, empty, there] = [await blobs(), await blobs(), await blobs()];
    const contents = prng.bytes(300_000);
    const address = await there.port.put(contents);
    const places = ["http://127.0.0.1:1", empty.place, `${there.place}/`];
    sameBytes(await here.port.get(address, 300_000, places, never), contents);
    sameBytes(await here.port.get(address, 300_000, [], never), contents);
  });

  it("goes on where the connection broke", async () => {
    const [here, there] = [await blobs(), await blobs()];
    const contents = prng.bytes(900_000);
    const address = await there.port.put(contents);
    const asked: (string | undefined)[] = [];
    const flaky = await listen((question, response) => {
      asked.push(question.headers.range);
      const start = Number(/\d+/.exec(question.headers.range ?? "0")?.[0] ?? 0);
      const headers = { "content-length": String(900_000 - start), "content-range": `bytes ${start}-899999/900000` };
      response.writeHead(start === 0 ? 200 : 206, headers);
      response.write(contents.subarray(start, start + 250_000), () => setImmediate(() => response.destroy()));
      if (start + 250_000 >= 900_000) response.end();
    });
    sameBytes(await here.port.get(address, 900_000, [flaky], never), contents);
    expect(asked.length).toBeGreaterThan(2);
    expect(asked[1]).toMatch(/^bytes=\d+-$/);
  });

  const contents = prng.bytes(50_000);
  const liars: Record<string, RequestListener> = {
    "other bytes": (_, response) => response.end(prng.bytes(50_000)),
    "fewer bytes": (_, response) => response.end(contents.subarray(1)),
    "half of it and then nothing": (_, response) => {
      response.writeHead(200, { "content-length": "50000" });
      response.write(contents.subarray(0, 25_000), () => response.destroy());
    },
    "more than was announced": (_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n${"x".repeat(60_000)}`);
    },
    "no end": (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write(contents, more);
      };
      more();
    },
    "a byte now and then": (_, response) => {
      response.writeHead(200, { "content-length": "50000" });
      const timer = setInterval(() => {
        response.write("x");
        // At any moment, and then fetch has forgotten its signal.
        collectMemory().catch(() => undefined);
      }, 40);
      response.on("close", () => clearInterval(timer));
    },
    "a byte now and then, wherever it is asked to go on": (question, response) => {
      const start = Number(/\d+/.exec(question.headers.range ?? "0")?.[0] ?? 0);
      const range = { "content-range": `bytes ${start}-49999/50000` };
      response.writeHead(start === 0 ? 200 : 206, { "content-length": String(50_000 - start), ...range });
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    },
    "a way to somewhere else": (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "an error": (_, response) => response.writeHead(500).end(),
  };
  for (const [what, listener] of Object.entries(liars)) {
    it(`is nobody's when the place sends ${what}, and then comes from the next`, async () => {
      // Short only where it must end: an honest place may take its time on a busy machine.
      const here = await blobs(what.startsWith("a byte") ? { idleMilliseconds: 4_000, idleBytes: 1_000 } : {});
      const there = await blobs();
      const address = await there.port.put(contents);
      const liar = await listen(listener);
      await expect(here.port.get(address, 50_000, [liar], never)).rejects.toMatchObject({ code: "BLOB_ABSENT" });
      expect(here.store.bytes).toBe(0);
      sameBytes(await here.port.get(address, 50_000, [liar, there.place], never), contents);
    });
  }

  it("is refused before it is read when it is longer than wanted", async () => {
    const [here, there] = [await blobs(), await blobs()];
    const address = await there.port.put(prng.bytes(5_000));
    await expect(here.port.get(address, 4_999, [there.place], never)).rejects.toMatchObject({ code: "BLOB_TOO_LARGE" });
    expect(here.store.bytes).toBe(0);
  });

  it("is looked for only at web addresses without tricks", async () => {
    const here = await blobs();
    const address = addressOf(prng.bytes(7));
    const places = [
      "file:///etc",
      "http://a:b@localhost/",
      "http://localhost/?x=",
      "http://localhost/#x",
      "nonsense",
      "",
    ];
    await expect(here.port.get(address, 7, places, never)).rejects.toMatchObject({
      code: "BLOB_ABSENT",
      data: { problems: places.map((place) => expect.stringMatching(`^${place.replace(/[?]/g, "\\?")}: a place is`)) },
    });
  });

  it("is not waited for when nobody wants it any more", async () => {
    const here = await blobs();
    const silent = await listen(() => undefined);
    const stop = new AbortController();
    const wanted = here.port.get(addressOf(prng.bytes(7)), 7, [silent], stop.signal);
    stop.abort(new Error("enough"));
    await expect(wanted).rejects.toThrow("enough");
  });
});
