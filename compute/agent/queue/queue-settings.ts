/** How agent and workers reach the queue: Redis or Valkey, which only the operator's machines may reach. */
import { agentError } from "../errors.ts";

export interface QueueConnection {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls?: Record<string, never>;
  /** BullMQ wants it so: commands wait for the connection to come back. */
  readonly maxRetriesPerRequest: null;
}

/** Throws QUEUE_FAILED for text that is no `redis://` or `rediss://` address. */
export function queueConnection(address: string): QueueConnection {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isRedis = url?.protocol === "redis:" || url?.protocol === "rediss:";
  const database = /^\/?(\d{0,3})\/?$/.exec(url?.pathname ?? "none");
  if (url === undefined || !isRedis || database === null || url.hostname === "") {
    throw agentError("QUEUE_FAILED", "that is no address of a queue", {
      hint: "Give one like redis://host:6379, or rediss://user:password@host:6380/0.",
    });
  }
  return {
    ...{ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || "6379"), db: Number(database[1] || "0") },
    ...(url.username !== "" && { username: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
    ...(url.protocol === "rediss:" && { tls: {} }),
    maxRetriesPerRequest: null,
  };
}

export interface QueueSettings {
  readonly connection: QueueConnection;
  /** One queue for each provider's account. */
  readonly name: string;
  /** A worker that says nothing for so long has died, in milliseconds: its job goes to another. */
  readonly lockMilliseconds?: number;
}

export const LOCK_MILLISECONDS = 30_000;
/** Times that a job is taken up again after its worker died. */
export const MAX_DEATHS = 20;
/** Times that a job is tried after it failed, and milliseconds between. */
export const MAX_ATTEMPTS = 3;
export const RETRY_MILLISECONDS = 1_000;
/**
 * Of segments. What has none comes first: openings and inputs of tiles are short, and verifiers wait for them with a deadline,
 * while a segment more or less ahead of them may be an hour.
 */
export const SEGMENT_PRIORITY = 1;
/** Results that are kept for an agent that starts again. */
export const KEPT_RESULTS = 1_000;

export function queueName(account: string): string {
  return `ogpu-${account}`;
}
