/** The HTTP side of the RPC: one port, POST for JSON-RPC, GET for a page that people can read. */
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { CodedError } from "../base/errors.ts";
import { MessageCaller } from "../vm/execution/call-message.ts";
import { rulesOfSpec } from "../vm/rules-of-spec.ts";
import type { ChainView } from "./chain-view.ts";
import { JsonRpc, type OnBug } from "./json-rpc.ts";
import { MAX_BODY_BYTES, MAX_CONNECTIONS } from "./limits.ts";
import { METHODS } from "./methods.ts";
import { INVALID_REQUEST } from "./rpc-error.ts";
import { welcomePage } from "./welcome-page.ts";

export interface RpcServerOptions {
  readonly chain: ChainView;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clientVersion: string;
  readonly onBug: OnBug;
}

export interface RpcServer {
  readonly port: number;
  readonly url: string;
  /** Answers the requests that are under way, then closes. */
  close(): Promise<void>;
}

const JSON_TYPE = "application/json; charset=utf-8";
/** A body that has not arrived by then is given up. */
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;

/** Throws RPC_PORT_TAKEN. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { chain, host, port, clientVersion, onBug } = options;
  const caller = new MessageCaller(rulesOfSpec(chain.spec));
  const rpc = new JsonRpc(METHODS, { chain, caller, clientVersion }, onBug);
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    forceCloseConnections: "idle",
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addRoutes(app, rpc, chain);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw listenError(error, host, port);
  }
  const bound = boundPort(app, port);
  return { port: bound, url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`, close: () => app.close() };
}

function boundPort(app: FastifyInstance, wanted: number): number {
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : wanted;
}

function addRoutes(app: FastifyInstance, rpc: JsonRpc, chain: ChainView): void {
  // We parse bodies ourselves: what is not JSON gets JSON-RPC's answer, not HTTP's.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body));
  // Any page may ask: the node holds no keys, so there is nothing that a foreign page could do in a user's name.
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("access-control-allow-origin", "*");
  });
  app.options("/", async (_request, reply) =>
    reply
      .header("access-control-allow-methods", "POST, GET, OPTIONS")
      .header("access-control-allow-headers", "content-type")
      .header("access-control-max-age", "86400")
      .code(204)
      .send(),
  );
  app.post("/", async (request, reply) => {
    const answer = await rpc.answer(typeof request.body === "string" ? request.body : "");
    return answer === undefined ? reply.code(204).send() : reply.type(JSON_TYPE).send(answer);
  });
  app.get("/", async (request, reply) =>
    reply.type("text/html; charset=utf-8").send(welcomePage(chain, `http://${request.host}`)),
  );
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, "POST JSON-RPC requests to /"));
  app.setErrorHandler((error: { readonly statusCode?: number; readonly message: string }, _request, reply) =>
    refuse(reply, error.statusCode ?? 500, httpMessage(error.statusCode, error.message)),
  );
}

function httpMessage(status: number | undefined, message: string): string {
  if (status === 413) return `a request has at most ${MAX_BODY_BYTES} bytes`;
  if (status === 415) return "send the request with content-type: application/json";
  return status === undefined || status >= 500 ? "internal error" : message;
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  const body = { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } };
  return reply.code(status).type(JSON_TYPE).send(JSON.stringify(body));
}

function listenError(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE") return error;
  return new CodedError("RPC_PORT_TAKEN", `another program listens on ${host}:${port}`, {
    port,
    hint: "Stop it, or choose another port with --rpc-port (0 takes any free one).",
  });
}
