/** Asks a node over JSON-RPC. */
import type { Hex } from "../base/bytes.ts";
import { CodedError } from "../base/errors.ts";
import { readBody } from "../base/read-body.ts";
import type { StringOption } from "./command.ts";
import { DEFAULT_RPC_PORT } from "./defaults.ts";

export const rpcOption: StringOption & { readonly default: string } = {
  type: "string",
  placeholder: "url",
  description: "the node to ask",
  default: `http://127.0.0.1:${DEFAULT_RPC_PORT}`,
  env: "OGPU_RPC",
  isWebAddress: true,
};

const TIMEOUT_MILLISECONDS = 30_000;

const TOO_LITTLE = "Send the account more first, or send less: ogpu balance <address> shows what it has.";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Throws RPC_UNREACHABLE, RPC_BAD_ANSWER, or RPC_REFUSED with the node's reason. */
export async function callRpc<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  const { result, error } = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  if (error !== undefined) {
    throw new CodedError("RPC_REFUSED", `the node refuses: ${error.message}`, {
      method,
      rpcCode: error.code,
      reason: error.data,
      ...(error.message.startsWith("insufficient funds") && { hint: TOO_LITTLE }),
    });
  }
  if (result === undefined) throw badAnswer(url);
  return result as Result;
}

async function post(url: string, body: string): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  // Node.js 20 may collect a timeout that nobody listens to.
  signal.addEventListener("abort", () => undefined, { once: true });
  let text: string;
  try {
    const response = await fetch(url, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      ...{ body, signal },
    });
    text = Buffer.from((await readBody(response.body, Number.MAX_SAFE_INTEGER, signal)) ?? []).toString();
  } catch (error) {
    throw unreachable(url, error);
  }
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Told below.
  }
  throw badAnswer(url);
}

function unreachable(url: string, error: unknown): CodedError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  return new CodedError("RPC_UNREACHABLE", `no node answers at ${url}: ${cause.trim()}`, {
    hint: "Start one with `npm start`, or name another with --rpc.",
  });
}

function badAnswer(url: string): CodedError {
  return new CodedError("RPC_BAD_ANSWER", `what answers at ${url} does not speak JSON-RPC`, { hint: "Check --rpc." });
}

export async function callQuantity(url: string, method: string, params: readonly unknown[]): Promise<bigint> {
  const text = await callRpc<unknown>(url, method, params);
  if (typeof text !== "string" || !/^0x[0-9a-f]+$/i.test(text)) throw badAnswer(url);
  return BigInt(text);
}

/** As JSON-RPC wants numbers. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
