/** The HTTP side of the RPC: one port, POST for JSON-RPC, GET for people and for monitoring. */
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { CodedError } from "../base/errors.ts";
import { MessageCaller } from "../vm/execution/call-message.ts";
import { rulesOfSpec } from "../vm/rules-of-spec.ts";
import { Admission } from "./admission.ts";
import type { ChainView } from "./chain-view.ts";
import { JsonRpc, type OnBug } from "./json-rpc.ts";
import {
  IDLE_TIMEOUT_MILLISECONDS,
  MAX_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_REQUESTS_UNDER_WAY,
  REQUEST_TIMEOUT_MILLISECONDS,
} from "./limits.ts";
import { METHODS } from "./methods.ts";
import { addMonitoring, MONITORING_PATHS, type Monitoring } from "./monitoring.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, REFUSED, type RpcErrorBody } from "./rpc-error.ts";
import { welcomePage } from "./welcome-page.ts";

export interface RpcServerOptions {
  readonly chain: ChainView;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clientVersion: string;
  readonly onBug: OnBug;
  readonly maxRequestsUnderWay?: number;
  /** Adds /health, /ready and /metrics. */
  readonly monitoring?: Monitoring;
}

export interface RpcServer {
  readonly port: number;
  readonly url: string;
  /** Answers the requests that are under way, then closes. */
  close(): Promise<void>;
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Throws RPC_PORT_TAKEN. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { chain, host, port, clientVersion, onBug } = options;
  const caller = new MessageCaller(rulesOfSpec(chain.spec));
  const rpc = new JsonRpc(METHODS, { chain, caller, clientVersion }, onBug);
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    connectionTimeout: IDLE_TIMEOUT_MILLISECONDS,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    forceCloseConnections: "idle",
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  const admission = new Admission(options.maxRequestsUnderWay ?? MAX_REQUESTS_UNDER_WAY);
  addHooks(app, admission);
  addRoutes(app, rpc, admission, chain);
  if (options.monitoring !== undefined) addMonitoring(app, options.monitoring);
  addErrors(app, onBug);
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

function addHooks(app: FastifyInstance, admission: Admission): void {
  // We parse bodies ourselves: what is not JSON gets JSON-RPC's answer, not HTTP's.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", async (request, reply) => {
    // Any page may ask. The node holds no keys, so a foreign page can do nothing in a user's name; it can make the node
    // work as any other client can, within the limits.
    reply.header("access-control-allow-origin", "*");
    if (MONITORING_PATHS.has(request.url) || admission.admit(request.raw, reply.raw)) return;
    await refuse(reply.header("retry-after", "1"), 503, {
      code: REFUSED,
      message: "the node has as many requests under way as it takes: try again later",
      data: { code: "RPC_BUSY" },
    });
  });
}

function addRoutes(app: FastifyInstance, rpc: JsonRpc, admission: Admission, chain: ChainView): void {
  app.options("/", async (_request, reply) =>
    reply
      .header("access-control-allow-methods", "POST, GET, OPTIONS")
      .header("access-control-allow-headers", "content-type")
      .header("access-control-max-age", "86400")
      .code(204)
      .send(),
  );
  app.post("/", async (request, reply) => {
    const body = typeof request.body === "string" ? request.body : "";
    const answer = await admission.serve(request.raw, (client) => rpc.answer(body, client));
    return answer === undefined ? reply.code(204).send() : reply.type(JSON_TYPE).send(answer);
  });
  app.get("/", async (request, reply) =>
    reply.type("text/html; charset=utf-8").send(welcomePage(chain, `http://${request.host}`)),
  );
}

function addErrors(app: FastifyInstance, onBug: OnBug): void {
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, 404, { code: INVALID_REQUEST, message: "POST JSON-RPC requests to /" }),
  );
  app.setErrorHandler((error: { readonly statusCode?: number; readonly message: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500)
      return refuse(reply, status, { code: INVALID_REQUEST, message: httpMessage(status, error.message) });
    onBug(`${request.method} /`, error);
    return refuse(reply, status, { code: INTERNAL_ERROR, message: "internal error" });
  });
}

function httpMessage(status: number, message: string): string {
  if (status === 413) return `a request has at most ${MAX_BODY_BYTES} bytes`;
  if (status === 415) return "send the request with content-type: application/json";
  return message;
}

function refuse(reply: FastifyReply, status: number, error: RpcErrorBody): FastifyReply {
  return reply
    .code(status)
    .type(JSON_TYPE)
    .send(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function listenError(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE") return error;
  return new CodedError("RPC_PORT_TAKEN", `another program listens on ${host}:${port}`, {
    port,
    hint: "Stop it, or choose another port with --rpc-port (0 takes any free one).",
  });
}
