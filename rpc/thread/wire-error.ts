/** Errors on their way from one thread to another: what callers can act on stays what it is, a bug becomes its text. */
import { CodedError } from "../../base/errors.ts";
import { RpcError, type RpcErrorBody } from "../rpc-error.ts";

export type WireError =
  | { readonly kind: "coded"; readonly code: string; readonly message: string; readonly data: object }
  | { readonly kind: "rpc"; readonly body: RpcErrorBody }
  | { readonly kind: "bug"; readonly text: string };

export function toWire(error: unknown): WireError {
  if (error instanceof CodedError) {
    return { kind: "coded", code: error.code, message: error.message, data: plain(error.data) };
  }
  if (error instanceof RpcError) return { kind: "rpc", body: error.body };
  return { kind: "bug", text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromWire(error: WireError): Error {
  if (error.kind === "coded") return new CodedError(error.code, error.message, { ...error.data });
  if (error.kind === "rpc") return new RpcError(error.body.code, error.body.message, error.body.data);
  return new Error(`on another thread: ${error.text}`);
}

/** Facts that are values; anything else may not be able to cross. */
function plain(data: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => typeof value !== "function" && typeof value !== "symbol"),
  );
}
