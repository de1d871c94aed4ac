/** Requests and answers in the form of JSON-RPC 2.0. */
import type { RpcErrorBody } from "./rpc-error.ts";

export type RequestId = string | number | null;

export interface RpcRequest {
  readonly method: string;
  readonly params: unknown;
  /** `undefined`: a notification, which is not answered. */
  readonly id: RequestId | undefined;
}

/** A result that is JSON already: a large one is written on the thread that made it, and crosses to the next as one text. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A request, or what is wrong with it. */
export function readRequest(value: unknown): RpcRequest | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "a request is an object";
  const { jsonrpc, method, params, id } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return 'a request has "jsonrpc": "2.0"';
  if (typeof method !== "string") return "a request has a method";
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") {
    return "an id is a string, a number or null";
  }
  // Libraries send null for what they leave out.
  return { method, params: params ?? [], id };
}

export function success(id: RequestId | undefined, result: unknown): string {
  const name = Number.isSafeInteger(id) ? id : JSON.stringify(id ?? null);
  const text = result instanceof JsonText ? result.text : JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${name},"result":${text}}`;
}

export function failure(id: RequestId | undefined, error: RpcErrorBody): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error });
}

/** Of those that are answered; `undefined` when none is. */
export function batchOf(answers: readonly (string | undefined)[]): string | undefined {
  const texts = answers.filter((answer) => answer !== undefined);
  return texts.length === 0 ? undefined : `[${texts.join(",")}]`;
}
