/** Requests and answers in the form of JSON-RPC 2.0. */
import { INVALID_REQUEST, type RpcErrorBody } from "./rpc-error.ts";

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

/** What is no request. */
export interface InvalidRequest {
  readonly problem: string;
  /** Of whoever asked, so that they know which of theirs it was; null where it cannot be read. */
  readonly id: RequestId;
}

export function readRequest(value: unknown): RpcRequest | InvalidRequest {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: "a request is an object", id: null };
  }
  const { jsonrpc, method, params, id } = value as Readonly<Record<string, unknown>>;
  if (id !== undefined && !isRequestId(id)) return { problem: "an id is a string, a number or null", id: null };
  if (jsonrpc !== "2.0") return { problem: 'a request has "jsonrpc": "2.0"', id: id ?? null };
  if (typeof method !== "string") return { problem: "a request has a method", id: id ?? null };
  // Libraries send null for what they leave out.
  return { method, params: params ?? [], id };
}

function isRequestId(id: unknown): id is RequestId {
  return id === null || typeof id === "string" || typeof id === "number";
}

export function isInvalid(request: RpcRequest | InvalidRequest): request is InvalidRequest {
  return "problem" in request;
}

export function success(id: RequestId | undefined, result: unknown): string {
  const name = Number.isSafeInteger(id) ? id : JSON.stringify(id ?? null);
  const text = result instanceof JsonText ? result.text : JSON.stringify(result);
  return `{"jsonrpc":"2.0","id":${name},"result":${text}}`;
}

export function failure(id: RequestId | undefined, error: RpcErrorBody): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error });
}

export function invalidRequest({ problem, id }: InvalidRequest): string {
  return failure(id, { code: INVALID_REQUEST, message: problem });
}

/** Of those that are answered; `undefined` when none is. */
export function batchOf(answers: readonly (string | undefined)[]): string | undefined {
  const texts = answers.filter((answer) => answer !== undefined);
  return texts.length === 0 ? undefined : `[${texts.join(",")}]`;
}
