/**
 * JSON-RPC for the operator, on a Unix socket in the data directory that only the node's user can open. It runs on the
 * node's own thread: what it does is small, and it must work when the RPC does not.
 */
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { CodedError } from "../../base/errors.ts";
import {
  describeError,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
  type RpcErrorBody,
} from "../rpc-error.ts";
import { ADMIN_METHODS, callAdminMethod } from "./admin-methods.ts";
import type { AdminPort } from "./admin-port.ts";

export const ADMIN_SOCKET = "admin.sock";
/** What fits into a socket's address on every system, with the zero at its end. */
const MAX_PATH_BYTES = 103;
const MAX_BODY_BYTES = 65_536;
const MAX_CONNECTIONS = 16;
const TIMEOUT_MILLISECONDS = 10_000;

export interface AdminServer {
  readonly path: string;
  close(): Promise<void>;
}

/** Throws ADMIN_PATH_TOO_LONG. `onBug` hears of failures that are our own. */
export async function startAdminServer(
  directory: string,
  port: AdminPort,
  onBug: (method: string, error: unknown) => void,
): Promise<AdminServer> {
  const path = join(directory, ADMIN_SOCKET);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new CodedError("ADMIN_PATH_TOO_LONG", `${path} is too long for the name of a socket`, {
      hint: "Choose a data directory with a shorter name.",
    });
  }
  const server = createServer((request, response) => {
    void answer(request, port, onBug).then((text) => {
      response.writeHead(200, { "content-type": "application/json; charset=utf-8", connection: "close" }).end(text);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = TIMEOUT_MILLISECONDS;
  // What a killed process left behind; whoever lives has the database's lock, which we have.
  await rm(path, { force: true });
  await listen(server, path);
  await chmod(path, 0o600);
  return { path, close: () => close(server) };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

async function answer(
  request: IncomingMessage,
  port: AdminPort,
  onBug: (method: string, error: unknown) => void,
): Promise<string> {
  let id: unknown = null;
  let method = "admin";
  try {
    const asked = readRequest(await bodyOf(request));
    ({ id, method } = asked);
    const found = Object.hasOwn(ADMIN_METHODS, method) ? ADMIN_METHODS[method] : undefined;
    if (found === undefined) throw new RpcError(METHOD_NOT_FOUND, `there is no admin method ${method.slice(0, 60)}`);
    return JSON.stringify({ jsonrpc: "2.0", id, result: callAdminMethod(port, found, asked.params) });
  } catch (error) {
    return JSON.stringify({ jsonrpc: "2.0", id, error: describeError(error) ?? bug(onBug, method, error) });
  }
}

function bug(onBug: (method: string, error: unknown) => void, method: string, error: unknown): RpcErrorBody {
  onBug(method, error);
  return { code: INTERNAL_ERROR, message: "internal error" };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RpcError(INVALID_REQUEST, `a request has at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readRequest(body: string): { id: unknown; method: string; params: readonly unknown[] } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new RpcError(PARSE_ERROR, "the body is not JSON");
  }
  const { id = null, method, params = [] } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof method !== "string" || !Array.isArray(params)) {
    throw new RpcError(INVALID_REQUEST, "a request is an object with a method and a list of params");
  }
  return { id, method, params };
}
