/** What each address has: open connections, and a bucket of requests that fills with time. Loopback is not counted. */
import type { RpcLimits } from "./limits.ts";
import type { Now } from "./turns.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** Addresses with buckets: the ones not seen for longest are forgotten beyond, that is, have full buckets again. */
const MAX_BUCKETS = 65_536;

export class Addresses {
  private readonly limits: Pick<RpcLimits, "connectionsPerAddress" | "requestsPerSecond">;
  private readonly now: Now;
  private readonly connections = new Map<string, number>();
  /** The longest unused first. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    limits: Pick<RpcLimits, "connectionsPerAddress" | "requestsPerSecond">,
    now: Now = () => performance.now(),
  ) {
    this.limits = limits;
    this.now = now;
  }

  /** False: the address has as many as it may have. Otherwise `disconnect` is called when it is gone. */
  connect(address: string): boolean {
    if (isLoopback(address)) return true;
    const open = this.connections.get(address) ?? 0;
    if (open >= this.limits.connectionsPerAddress) return false;
    this.connections.set(address, open + 1);
    return true;
  }

  disconnect(address: string): void {
    const open = this.connections.get(address);
    if (open === undefined) return;
    if (open === 1) this.connections.delete(address);
    else this.connections.set(address, open - 1);
  }

  /** Takes so many requests from the address's bucket. False: it has not so many. */
  charge(address: string, requests: number): boolean {
    if (isLoopback(address)) return true;
    const { requestsPerSecond } = this.limits;
    const now = this.now();
    const bucket = this.buckets.get(address) ?? { tokens: requestsPerSecond, at: now };
    this.buckets.delete(address);
    this.buckets.set(address, bucket);
    bucket.tokens = Math.min(requestsPerSecond, bucket.tokens + ((now - bucket.at) / 1000) * requestsPerSecond);
    bucket.at = now;
    if (this.buckets.size > MAX_BUCKETS) this.forgetOldest();
    // A batch larger than the bucket passes when it is full, and then the address waits for longer.
    if (bucket.tokens < Math.min(requests, requestsPerSecond)) return false;
    bucket.tokens -= requests;
    return true;
  }

  private forgetOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.") || address === "local";
}
