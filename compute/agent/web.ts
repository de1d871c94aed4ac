/**
 * Requests to addresses that others have chosen. Anybody registers an endpoint on chain, and agents ask it for blobs and
 * tiles: without care one could make them ask machines of their own network, which strangers do not reach. So a name is
 * resolved once, no address of an internal network is connected to, and nothing is redirected. docs/blobs.md.
 */
import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isCoded } from "../../base/errors.ts";
import { agentError } from "./errors.ts";

export interface WebRequest {
  readonly method?: "GET" | "HEAD" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * As `fetch`, without redirects: those are answers like others. Rejects with PLACE_INTERNAL, PLACE_UNREACHABLE, or the
 * signal's reason; so does its body.
 */
export type Web = (url: string, request: WebRequest) => Promise<Response>;

export interface WebRules {
  /** Base URLs that the operator has named: wherever they lead. */
  readonly trusted?: readonly string[];
  /** Whether everybody's may lead into internal networks: for chains to play with, and networks of one's own. */
  readonly internal?: boolean;
}

/** Resolves names. Tests have one of their own. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** IPv4 that is not for the public (IANA special-purpose registry, multicast, reserved), and Azure's metadata service. */
const INTERNAL_V4: readonly (readonly [string, number])[] = [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
  ] as const),
  ...([
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
  ] as const),
  ...([
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
    ["168.63.129.16", 32],
  ] as const),
];
/** Of global unicast IPv6, what leads back into IPv4 (Teredo, 6to4) or nowhere (documentation). */
const INTERNAL_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

function blocks(nets: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of nets) list.addSubnet(net, prefix, family);
  return list;
}

const internalV4 = blocks(INTERNAL_V4, "ipv4");
const internalV6 = blocks(INTERNAL_V6, "ipv6");
const globalV6 = blocks([["2000::", 3]], "ipv6");

/** An IP address that is not for everybody: private, loopback, link-local (metadata services), multicast, reserved. */
export function isInternal(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return internalV4.check(address, "ipv4");
  // All of IPv6 that is for everybody is in 2000::/3; IPv4 in IPv6 clothes is not.
  return family !== 6 || !globalV6.check(address, "ipv6") || internalV6.check(address, "ipv6");
}

function internalPlace(host: string): Error {
  return agentError("PLACE_INTERNAL", `${host} leads into an internal network`, {
    hint: "Where that is meant, as in a network of your own, allow it with --allow-internal.",
  });
}

/** Looks a name up and gives addresses of which none is internal: whoever connects, connects to what was checked. */
function checkedLookup(resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const found = error ?? addresses.find(({ address }) => isInternal(address));
      if (found instanceof Error) return done(found, "");
      if (found !== undefined) return done(internalPlace(host), "");
      const [first] = addresses;
      if (options.all === true) return done(null, addresses);
      return done(null, first?.address ?? "", first?.family);
    });
  };
}

export function webAccess({ trusted = [], internal = false }: WebRules, resolve: Resolve = lookup): Web {
  const own = new Set(trusted.filter((place) => URL.canParse(place)).map((place) => new URL(place).origin));
  const guarded = checkedLookup(resolve);
  return async (url, request) => {
    request.signal.throwIfAborted();
    const target = new URL(url);
    const isFree = internal || own.has(target.origin);
    const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
    // A literal address is not looked up.
    if (!isFree && isIP(host) !== 0 && isInternal(host)) throw internalPlace(host);
    return await answer(target, request, isFree ? undefined : guarded);
  };
}

/** For what the operator alone has named. */
export const openWeb: Web = webAccess({ internal: true });

function answer(target: URL, request: WebRequest, guarded: LookupFunction | undefined): Promise<Response> {
  const { method = "GET", headers = {}, body, signal } = request;
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // A connection of its own: one that was opened for somebody trusted is not used for others.
    const options = { method, headers, signal, agent: false, ...(guarded && { lookup: guarded }) } as const;
    const sent: ClientRequest = send(target, options, (incoming) =>
      resolve(responseOf(target, incoming, method, signal)),
    );
    sent.on("error", (error) => reject(problem(target, error, signal)));
    sent.end(body);
  });
}

function responseOf(target: URL, incoming: IncomingMessage, method: string, signal: AbortSignal): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const status = incoming.statusCode ?? 0;
  const hasBody = method !== "HEAD" && status !== 204 && status !== 304;
  if (!hasBody) incoming.resume();
  return new Response(hasBody ? piecesOf(target, incoming, signal) : null, { status, headers });
}

async function* piecesOf(target: URL, incoming: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of incoming as AsyncIterable<Uint8Array>) yield piece;
  } catch (error) {
    throw problem(target, error, signal);
  }
}

function problem(target: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isCoded(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return agentError("PLACE_UNREACHABLE", `${target.origin} cannot be reached: ${message}`);
}
