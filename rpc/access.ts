/** Who may ask: by the page that a browser shows (CORS), by the name the node is called by, and which methods. */
import { isIP } from "node:net";
import type { RpcMethod } from "./method.ts";

export interface RpcAccess {
  /** Origins of pages that may read answers; `*` is any. */
  readonly cors: readonly string[];
  /** Names, besides localhost and addresses, under which the node may be asked; `*` is any. */
  readonly hosts: readonly string[];
  /** Names of methods, or beginnings with a `*`; a `-` in front takes away. Without any that adds, all are there. */
  readonly methods: readonly string[];
}

/**
 * Any page may ask: the node holds no keys, so a foreign page can do nothing in a user's name. It may not come under a name
 * of its own that it has made to mean this machine (DNS rebinding), which would make it the same origin.
 */
export const DEFAULT_ACCESS: RpcAccess = { cors: ["*"], hosts: [], methods: [] };

export class Access {
  private readonly anyOrigin: boolean;
  private readonly origins: ReadonlySet<string>;
  private readonly anyHost: boolean;
  private readonly hosts: ReadonlySet<string>;

  constructor({ cors, hosts }: RpcAccess) {
    this.anyOrigin = cors.includes("*");
    this.origins = new Set(cors);
    this.anyHost = hosts.includes("*");
    this.hosts = new Set(["localhost", ...hosts.map((host) => host.toLowerCase())]);
  }

  /** The value of access-control-allow-origin; `undefined`: the page may not read the answer. */
  allowedOrigin(origin: string | undefined): string | undefined {
    if (this.anyOrigin) return "*";
    return origin !== undefined && this.origins.has(origin) ? origin : undefined;
  }

  /** Whether a page of that origin may connect; programs send none. The node's own page, the dashboard, always may. */
  isOriginAllowed(origin: string | undefined, host?: string): boolean {
    if (origin === undefined || this.allowedOrigin(origin) !== undefined) return true;
    return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
  }

  /** By the Host header. One that is missing is none that a browser would send. */
  isHostAllowed(header: string | undefined): boolean {
    if (this.anyHost || header === undefined) return true;
    const name = hostName(header);
    return this.hosts.has(name) || isIP(name) !== 0;
  }
}

/** Without the port and the brackets of an IPv6 address. */
function hostName(header: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(header);
  return (bracketed?.[1] ?? header.replace(/:\d+$/, "")).toLowerCase();
}

export function allowedMethods(methods: readonly RpcMethod[], lists: readonly string[]): readonly RpcMethod[] {
  const added = lists.filter((pattern) => !pattern.startsWith("-"));
  const taken = lists.filter((pattern) => pattern.startsWith("-")).map((pattern) => pattern.slice(1));
  const matches = (patterns: readonly string[], name: string): boolean =>
    patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  return methods.filter(({ name }) => (added.length === 0 || matches(added, name)) && !matches(taken, name));
}
