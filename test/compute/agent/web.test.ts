import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { isInternal, openWeb, type Resolve, webAccess } from "../../../compute/agent/web.ts";

const servers = new Set<Server>();
const never = new AbortController().signal;

afterEach(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  servers.clear();
});

/** On this machine: the requests that it has had, and its port. */
async function serve(listener: RequestListener): Promise<{ readonly asked: string[]; readonly port: number }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  servers.add(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { asked, port: (server.address() as AddressInfo).port };
}

/** A name server of which everybody can say what it answers. */
function names(answers: Readonly<Record<string, readonly string[]>>): {
  readonly resolve: Resolve;
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: (host, _options, done) => {
      asked.push(host);
      done(
        null,
        (answers[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
  };
}

describe("an address", () => {
  const internal = [
    ...["127.0.0.1", "127.255.255.255", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "255.255.255.255"],
    ...["::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8"],
    ...["64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "fec0::1", "localhost", ""],
  ];
  const open = ["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111", "2a00:1450:4001::1"];

  it.each(internal)("%j is internal", (address) => expect(isInternal(address)).toBe(true));
  it.each(open)("%j is everybody's", (address) => expect(isInternal(address)).toBe(false));
});

describe("the web of an agent", () => {
  const hello: RequestListener = (_request, response) => response.end("hello");

  it("reaches nobody in an internal network, in whatever form the address is written", async () => {
    const { port, asked } = await serve(hello);
    const web = webAccess({});
    const hosts = ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:7f00:1]", "0"];
    for (const host of hosts) {
      await expect(web(`http://${host}:${port}/`, { signal: never })).rejects.toMatchObject({ code: "PLACE_INTERNAL" });
    }
    expect(asked).toEqual([]);
  });

  it("is not misled by names: one internal address among a name's is one too many, and it is asked for once", async () => {
    const { port, asked } = await serve(hello);
    const dns = names({ "inside.example": ["127.0.0.1"], "both.example": ["8.8.8.8", "169.254.169.254"] });
    const web = webAccess({}, dns.resolve);
    for (const name of ["inside.example", "both.example"]) {
      await expect(web(`http://${name}:${port}/`, { signal: never })).rejects.toMatchObject({ code: "PLACE_INTERNAL" });
    }
    expect(dns.asked).toEqual(["inside.example", "both.example"]);
    expect(asked).toEqual([]);
  });

  it("follows no redirect", async () => {
    const inside = await serve(hello);
    const { port } = await serve((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end();
    });
    const response = await webAccess({ trusted: [`http://127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`, {
      signal: never,
    });
    expect(response.status).toBe(302);
    expect(inside.asked).toEqual([]);
  });

  it("reaches what its operator has named, at that port only, and everything where that is allowed", async () => {
    const [own, other] = [await serve(hello), await serve(hello)];
    const web = webAccess({ trusted: [`http://127.0.0.1:${own.port}/base`] });
    expect(await (await web(`http://127.0.0.1:${own.port}/x`, { signal: never })).text()).toBe("hello");
    const refused = web(`http://127.0.0.1:${other.port}/x`, { signal: never });
    await expect(refused).rejects.toMatchObject({ code: "PLACE_INTERNAL" });
    expect(await (await openWeb(`http://localhost:${other.port}/y`, { signal: never })).text()).toBe("hello");
    expect([own.asked, other.asked]).toEqual([["/x"], ["/y"]]);
  });

  it("sends bodies with their length, and gives status, headers and bytes", async () => {
    const { port } = await serve(async (request, response) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of request) pieces.push(piece as Uint8Array);
      response.writeHead(201, { "x-length": request.headers["content-length"] ?? "" }).end(Buffer.concat(pieces));
    });
    const body = new Uint8Array(100_000).fill(7);
    const response = await openWeb(`http://127.0.0.1:${port}/`, { method: "PUT", body, signal: never });
    expect([response.status, response.headers.get("x-length")]).toEqual([201, "100000"]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
    const head = await openWeb(`http://127.0.0.1:${port}/`, { method: "HEAD", signal: never });
    expect([head.status, head.body]).toEqual([201, null]);
  });

  it("says with a code that nobody is there, or that it broke off, and ends with its signal", async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("12345", () => response.destroy());
    });
    const response = await openWeb(`http://127.0.0.1:${port}/`, { signal: never });
    await expect(response.text()).rejects.toMatchObject({ code: "PLACE_UNREACHABLE" });
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
    const nobody = openWeb(`http://127.0.0.1:${port}/`, { signal: never });
    await expect(nobody).rejects.toMatchObject({ code: "PLACE_UNREACHABLE" });
    const silent = await serve(() => undefined);
    const stop = new AbortController();
    const waiting = openWeb(`http://127.0.0.1:${silent.port}/`, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
