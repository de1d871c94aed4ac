/** HTTP as nobody should write it. */
import fc, { type Arbitrary } from "fast-check";

const GOOD_BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';

const requestLine: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant("POST / HTTP/1.1") },
  fc.constantFrom("GET / HTTP/1.1", "GET /metrics HTTP/1.1", "POST /ready HTTP/1.1", "OPTIONS * HTTP/1.1"),
  fc.constantFrom(
    "POST / HTTP/1.0",
    "POST / HTTP/2.0",
    "POST  /  HTTP/1.1",
    "PO ST / HTTP/1.1",
    "POST /",
    "post / http/1.1",
  ),
  fc.constantFrom("POST http://other/ HTTP/1.1", "POST /../.. HTTP/1.1", "POST /%00 HTTP/1.1", "CONNECT a:1 HTTP/1.1"),
  fc.constantFrom("PRI * HTTP/2.0", "TRACE / HTTP/1.1", "DELETE / HTTP/1.1", `GET /${"a".repeat(20_000)} HTTP/1.1`),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const header: Arbitrary<string> = fc.oneof(
  fc.constantFrom("Content-Type: application/json", "content-type: text/plain", "Content-Type:", "Host: evil.example"),
  fc.constantFrom("Content-Length: 0", "Content-Length: 5", "Content-Length: 99999999999", "Content-Length: -1"),
  fc.constantFrom(
    "Content-Length: 0x10",
    "Content-Length: 10, 10",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
  ),
  fc.constantFrom("Transfer-Encoding: identity, chunked", "Connection: close", "Connection: upgrade", "Upgrade: h2c"),
  fc.constantFrom("Origin: https://evil.example", "Content-Encoding: gzip", `X: ${"x".repeat(30_000)}`, " folded", ":"),
  fc.string({ unit: "binary", maxLength: 60 }),
);

const head: Arbitrary<string> = fc
  .tuple(
    requestLine,
    fc.boolean(),
    fc.boolean(),
    fc.array(header, { maxLength: 6 }),
    fc.constantFrom("\r\n", "\n", "\r"),
  )
  .map(([line, hasHost, isPlain, headers, end]) => {
    const usual = isPlain ? ["Content-Type: application/json", `Content-Length: ${GOOD_BODY.length}`] : [];
    return [line, ...(hasHost ? ["Host: localhost"] : []), ...usual, ...headers, "", ""].join(end);
  });

const body: Arbitrary<string> = fc.oneof(
  fc.constant(GOOD_BODY),
  fc.constant(""),
  fc.constantFrom("5\r\nhello\r\n0\r\n\r\n", "ffffffffffff\r\n", "-1\r\n", "5;ext=1\r\nhel", "0\r\nTrailer: x\r\n\r\n"),
  fc.string({ unit: "binary", maxLength: 200 }),
);

/** Some requests, one behind the other, torn into pieces. */
export const httpBytes: Arbitrary<Uint8Array[]> = fc
  .tuple(fc.array(fc.tuple(head, body), { minLength: 1, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 4 }))
  .map(([requests, cuts]) => torn(Buffer.from(requests.flat().join(""), "latin1"), cuts));

/** Anything at all. */
export const noise: Arbitrary<Uint8Array[]> = fc.array(fc.uint8Array({ maxLength: 300 }), {
  minLength: 1,
  maxLength: 4,
});

export function torn(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, other) => one - other);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

/** The status of each answer; throws when one is a fault of the server's. 501, 503 and 505 are refusals. */
export function checkHttp(received: Buffer): void {
  const text = received.toString("latin1");
  if (text === "") return;
  if (!text.startsWith("HTTP/1.1 ")) throw new Error(`not HTTP: ${JSON.stringify(text.slice(0, 100))}`);
  for (const [line, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z][\w ]*\r\n/g)) {
    if (status === "500" || status === "502" || status === "504") throw new Error(`the server says ${line}`);
  }
}
