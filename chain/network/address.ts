/** Multiaddrs as far as this network uses them: TCP over IP or a name, and the id of the peer behind it. */
import { isIP } from "node:net";
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { type NetworkError, networkError } from "./errors.ts";

/** Where an IP address can be reached from. */
export type Scope = "loopback" | "private" | "public";

export interface PeerAddress {
  readonly peer: string;
  /** With the peer's id. */
  readonly address: string;
}

function bad(address: string, why: string): NetworkError {
  return networkError("NETWORK_BAD_ADDRESS", `${address} is not a usable address: ${why}`, {
    address,
    hint: "An address looks like /ip4/192.0.2.1/tcp/30333/p2p/12D3Koo...",
  });
}

function parse(address: string): Multiaddr {
  try {
    return multiaddr(address);
  } catch {
    throw bad(address, "it is not a multiaddr");
  }
}

/** From the configuration, so names are allowed. Throws NETWORK_BAD_ADDRESS. */
export function parsePeerAddress(address: string): PeerAddress {
  const names = parse(address)
    .getComponents()
    .map(({ name }) => name);
  if (names.length !== 3 || !/^(ip4|ip6|dns|dns4|dns6)$/.test(names[0] ?? "") || names[1] !== "tcp") {
    throw bad(address, "it has to be an IP address or a name, a TCP port, and the peer's id");
  }
  const peer = names[2] === "p2p" ? parse(address).getComponents()[2]?.value : undefined;
  if (peer === undefined) throw bad(address, "the peer's id is missing");
  if (!isPeerId(peer)) throw bad(address, "the peer's id is malformed");
  return { peer, address };
}

/** Where to listen, or what others are told: the own id may be there or not. Throws NETWORK_BAD_ADDRESS. */
export function parseListenAddress(address: string): string {
  const [host, port, ...rest] = parse(address).getComponents();
  const isHost = /^(ip4|ip6|dns|dns4|dns6)$/.test(host?.name ?? "");
  if (!isHost || port?.name !== "tcp" || rest.some(({ name }) => name !== "p2p") || rest.length > 1) {
    throw networkError(
      "NETWORK_BAD_ADDRESS",
      `${address} is not a usable address: it has to be an IP address and a TCP port`,
      {
        address,
        hint: "Such an address looks like /ip4/0.0.0.0/tcp/30333 or /ip6/::/tcp/30333",
      },
    );
  }
  return address;
}

function isPeerId(text: string): boolean {
  try {
    return peerIdFromString(text).toString() === text;
  } catch {
    return false;
  }
}

/** From a peer, so only plain IP addresses: nobody makes us look up names. `undefined` for anything else. */
export function readPeerAddress(address: string): (PeerAddress & { readonly scope: Scope }) | undefined {
  try {
    const parsed = parsePeerAddress(address);
    const scope = scopeOf(address);
    return scope === undefined ? undefined : { ...parsed, scope };
  } catch {
    return undefined;
  }
}

/** The IP address in a multiaddr, `undefined` when it has none. */
export function ipOf(address: string): string | undefined {
  const [, protocol, ip] = address.split("/");
  return (protocol === "ip4" || protocol === "ip6") && ip !== undefined && isIP(ip) !== 0 ? ip : undefined;
}

/** `undefined` also for addresses that nobody can be reached at. */
export function scopeOf(address: string): Scope | undefined {
  const ip = ipOf(address);
  return ip === undefined ? undefined : ipScope(ip);
}

function ipScope(ip: string): Scope | undefined {
  return isIP(ip) === 4 ? ip4Scope(ip.split(".").map(Number)) : ip6Scope(ip.toLowerCase());
}

/** RFC 6890: special-purpose blocks. */
function ip4Scope([a = 0, b = 0]: readonly number[]): Scope | undefined {
  if (a === 0 || a >= 224) return undefined;
  if (a === 127) return "loopback";
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127);
  return isPrivate ? "private" : "public";
}

function ip6Scope(ip: string): Scope | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(ip)?.[1];
  if (mapped !== undefined) return ipScope(mapped);
  if (ip === "::1") return "loopback";
  if (ip === "::" || ip.startsWith("ff")) return undefined;
  return /^(fc|fd|fe8|fe9|fea|feb)/.test(ip) ? "private" : "public";
}
