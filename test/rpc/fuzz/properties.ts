/** What holds whatever comes in on the RPC's port, as properties for fast-check. */
import { once } from "node:events";
import fc, { type Arbitrary } from "fast-check";
import { WebSocket } from "ws";
import { DEFAULT_LIMITS } from "../../../rpc/limits.ts";
import { textsOf, webSocketBytes } from "./frames.ts";
import { checkHttp, httpBytes, noise } from "./http-bytes.ts";
import { Oracle } from "./oracle.ts";
import { exchange } from "./raw-socket.ts";
import { brokenRequest, type FuzzRequest, methodRequest } from "./requests.ts";
import type { Facts } from "./values.ts";

export interface Target {
  readonly url: string;
  readonly facts: Facts;
}

export interface FuzzProperty {
  readonly name: string;
  /** Runs in relation to the others: some cost more. */
  readonly share: number;
  run(target: Target, options: { readonly numRuns: number; readonly seed?: number }): Promise<void>;
}

/** A body that is refused whole: too long, not JSON by its type, not HTTP. */
const REFUSED = new Set([400, 404, 405, 411, 413, 414, 415, 417, 431, 501, 503, 505]);

/** Whoever has not answered by then hangs: more than any limit of the node's on one body. Milliseconds. */
const PATIENCE = 60_000;

const oracle = new Oracle();

/** What anybody may send in a body: never a fault, and an answer where there is one to give. */
async function checkPost(text: string | Uint8Array<ArrayBuffer>, { url }: Target): Promise<void> {
  const answer = await post(url, text);
  if (answer !== "") oracle.checkBody(answer);
}

/** A body, or the size of one that is too long to be shown. */
type Body = Uint8Array<ArrayBuffer> | { readonly size: number };

async function checkPostOf(body: Body, target: Target): Promise<void> {
  if (body instanceof Uint8Array) return await checkPost(body, target);
  const bytes = Buffer.alloc(body.size, '{"a":[[[[""]]]]},');
  if (body.size <= DEFAULT_LIMITS.bodyBytes) return await checkPost(bytes, target);
  // The server refuses it before all of it has come: fetch may find the connection closed before it reads why.
  const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.size}\r\n\r\n`;
  checkHttp(await exchange(portOf(target), [Buffer.from(head), bytes], true));
}

const batchOf = (facts: Facts): Arbitrary<unknown[]> =>
  fc.array(fc.oneof(methodRequest(facts), brokenRequest), { maxLength: 20 });

export const FUZZ_PROPERTIES: readonly FuzzProperty[] = [
  property("every method answers as its schema says, or with an error", 8, methodRequest, async (one, { url }) => {
    oracle.checkAnswer(String(one.method), one.id, JSON.parse(await post(url, JSON.stringify(one))));
  }),
  property(
    "what is no request is answered",
    2,
    () => brokenRequest,
    (value, target) => checkPost(JSON.stringify(value), target),
  ),
  property("batches of anything are answered", 1, batchOf, (batch, target) => checkPost(JSON.stringify(batch), target)),
  property("bodies that are torn, nested, huge or no text are answered", 2, bodyOf, checkPostOf),
  property(
    "any HTTP is survived",
    3,
    () => fc.tuple(fc.oneof(httpBytes, httpBytes, noise), fc.boolean()),
    ([bytes, lingers], target) => exchange(portOf(target), bytes, lingers).then(checkHttp),
  ),
  property(
    "any WebSocket frames are survived",
    3,
    () => fc.tuple(webSocketBytes, fc.boolean()),
    async ([bytes, lingers], target) => {
      for (const text of textsOf(await exchange(portOf(target), bytes, lingers))) checkMessage(text);
    },
  ),
  property(
    "every method answers over WebSocket",
    1,
    (facts) => fc.array(methodRequest(facts), { minLength: 1, maxLength: 10 }),
    overWebSocket,
  ),
];

function property<Value>(
  name: string,
  share: number,
  arbitraryOf: (facts: Facts) => Arbitrary<Value>,
  check: (value: Value, target: Target) => Promise<void>,
): FuzzProperty {
  return {
    name,
    share,
    run: async (target, options) =>
      await fc.assert(
        fc.asyncProperty(arbitraryOf(target.facts), (value) => check(value, target)),
        options,
      ),
  };
}

function portOf({ url }: Target): number {
  return Number(new URL(url).port);
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(PATIENCE) });
  const text = await response.text();
  if (response.status !== 200 && response.status !== 204 && !REFUSED.has(response.status)) {
    throw new Error(`the status is ${response.status}: ${text}`);
  }
  if (response.status === 204 && text !== "") throw new Error("no content has content");
  return text;
}

const MIB = 1024 * 1024;

/** Of requests, as bytes. */
function bodyOf(facts: Facts): Arbitrary<Body> {
  const text = methodRequest(facts).map((one) => Buffer.from(JSON.stringify(one)));
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 });
  const value = fc.constantFrom("1e999", "-0", "1".repeat(1_000), "0.1e-999", "[".repeat(2_000) + "]".repeat(2_000));
  return fc.oneof<Arbitrary<Body>[]>(
    fc.tuple(text, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % bytes.length)),
    fc.tuple(text, flips).map(([bytes, changes]) => withBytes(bytes, changes)),
    fc
      .tuple(fc.constantFrom("[", '{"a":', "[{", '"'), fc.nat({ max: 50_000 }))
      .map(([part, times]) => Buffer.from(part.repeat(times))),
    value.map((json) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[${json}]}`)),
    fc.uint8Array({ maxLength: 500 }) as Arbitrary<Uint8Array<ArrayBuffer>>,
    fc
      .tuple(text, fc.constantFrom("\ufeff", " ", "\u0000", "}"))
      .map(([bytes, more]) => Buffer.concat([Buffer.from(more), bytes])),
    fc.constantFrom(4 * MIB, 6 * MIB).map((size) => ({ size })),
  );
}

function withBytes(bytes: Uint8Array, changes: readonly (readonly [number, number])[]): Buffer<ArrayBuffer> {
  const copy = Buffer.from(bytes);
  for (const [at, byte] of changes) copy[at % copy.length] = byte;
  return copy;
}

/** An answer, or what a subscription tells. */
function checkMessage(text: string): void {
  const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (message["method"] !== "eth_subscription" && message["method"] !== "ogpu_subscription") oracle.checkBody(text);
}

/** One after the other on one connection; ids of our own, because answers are found by them. */
async function overWebSocket(requests: readonly FuzzRequest[], { url }: Target): Promise<void> {
  const socket = new WebSocket(url.replace("http", "ws"));
  await once(socket, "open");
  const closed = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the server does not answer")), PATIENCE).unref();
    socket.once("close", (code) => reject(new Error(`the server closed the connection with ${code}`)));
  });
  closed.catch(() => undefined);
  try {
    for (const [id, request] of requests.entries()) {
      const answered = new Promise<unknown>((resolve) => {
        socket.on("message", (data) => {
          const message = JSON.parse(String(data)) as { readonly id?: unknown };
          if (message.id === id) resolve(message);
        });
      });
      socket.send(JSON.stringify({ ...request, id }));
      oracle.checkAnswer(String(request.method), id, await Promise.race([answered, closed]));
    }
  } finally {
    socket.terminate();
  }
}

/** What must be nothing again once all clients are gone. */
const GAUGES = ["websockets", "subscriptions", "requests_under_way", "calls_waiting"].map((name) => `ogpu_rpc_${name}`);

/** Resolves when nothing of what the fuzzer did is left in the server; rejects with what is. */
export async function untilSettled(url: string): Promise<void> {
  let left: readonly string[] = [];
  for (let attempt = 0; attempt < 200; attempt++) {
    const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
    left = lines.filter((line) => GAUGES.some((name) => line.startsWith(`${name} `)) && !line.endsWith(" 0"));
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`something is left over: ${left.join(", ")}`);
}
