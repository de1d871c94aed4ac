/** The RPC's port: JSON-RPC by POST and over WebSocket, GET for people and for monitoring. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { CodedError, systemCodeOf } from "../base/errors.ts";
import type { SeenProgress } from "../chain/runtime/progress-board.ts";
import type { StoredHeader } from "../chain/store/block-records.ts";
import type { RecoveredTransaction } from "../vm/execution/execute-block.ts";
import { Access, DEFAULT_ACCESS, type RpcAccess } from "./access.ts";
import { Addresses } from "./addresses.ts";
import { Admission } from "./admission.ts";
import { type BlobsPort, isForBlobs } from "./blobs.ts";
import type { ChainView } from "./chain-view.ts";
import { Connections } from "./connections.ts";
import type { DashboardFiles } from "./dashboard/dashboard-files.ts";
import { addDashboard } from "./dashboard/serve-dashboard.ts";
import { FastPosts } from "./fast-posts.ts";
import { Filters } from "./filters/filters.ts";
import { FOREIGN_HOST, HttpPosts, isRoot, JSON_TYPE } from "./http-posts.ts";
import { JsonRpc, type OnBug, type ReadBatch } from "./json-rpc.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "./limits.ts";
import type { JobRunner, NodeContext } from "./method.ts";
import { methodsFor } from "./methods.ts";
import { addMonitoring, type Monitoring } from "./monitoring.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, type RpcErrorBody } from "./rpc-error.ts";
import { type RpcGauges, RpcMetrics } from "./rpc-metrics.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { factsJson } from "./watch/block-facts.ts";
import { Watch } from "./watch/watch.ts";
import { WebSockets } from "./web-sockets.ts";
import { welcomePage } from "./welcome-page.ts";

export interface RpcServerOptions {
  readonly chain: ChainView;
  /** Runs calls: `localJobRunner` on this thread, or a pool on others. */
  readonly job: JobRunner;
  /** Begins batches of reads on other threads. */
  readonly readBatch?: ReadBatch;
  /** Workers, and calls that wait or run there. */
  readonly calls?: () => { readonly workers: number; readonly waiting: number };
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clientVersion: string;
  readonly onBug: OnBug;
  readonly limits?: Partial<RpcLimits>;
  readonly access?: Partial<RpcAccess>;
  /** Whether anybody wants to hear of waiting transactions; called when that changes. */
  readonly watchPending?: (wanted: boolean) => void;
  /** Adds /health, /ready and /metrics. */
  readonly monitoring?: Monitoring;
  /** Answers `/blobs/<address>`. */
  readonly blobs?: BlobsPort;
  /** What `/` shows to people; without it, a page that says what this address is. */
  readonly dashboard?: () => DashboardFiles | undefined;
}

/** How often what shows by its absence is looked for. */
const WATCH_MILLISECONDS = 2_000;

/** What subscribers and filters hear of. */
export interface RpcFeed {
  onBlock(block: StoredHeader): void;
  onPending(transactions: readonly RecoveredTransaction[]): void;
  onProgress(progress: SeenProgress): void;
  /** As eth_syncing answers. */
  onSyncing(status: unknown): void;
}

export interface RpcServer {
  readonly port: number;
  readonly url: string;
  readonly feed: RpcFeed;
  /** Answers the requests that are under way, then closes. */
  close(): Promise<void>;
}

/** Throws RPC_PORT_TAKEN or RPC_CANNOT_LISTEN. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port } = options;
  const running = new RunningServer(options);
  try {
    await running.app.listen({ host, port });
  } catch (error) {
    await running.close();
    throw listenError(error, host, port);
  }
  const address = running.app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    port: bound,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    feed: running.feed,
    close: () => running.close(),
  };
}

class RunningServer {
  readonly app: FastifyInstance;
  readonly feed: RpcFeed;
  private readonly options: RpcServerOptions;
  private readonly limits: RpcLimits;
  private readonly access: Access;
  private readonly admission: Admission;
  private readonly connections: Connections;
  private readonly filters: Filters;
  private readonly subscriptions: Subscriptions;
  private readonly watch: Watch;
  private readonly watchTimer: NodeJS.Timeout;
  private readonly metrics = new RpcMetrics();
  private readonly posts: HttpPosts;
  private readonly fastPosts: FastPosts;
  private readonly webSockets: WebSockets;

  constructor(options: RpcServerOptions) {
    this.options = options;
    const { chain, onBug } = options;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { limits } = this;
    const rights = { ...DEFAULT_ACCESS, ...options.access };
    this.access = new Access(rights);
    const addresses = new Addresses(limits);
    this.admission = new Admission(limits);
    this.connections = new Connections(limits.connections, addresses);
    const watch = new PendingWatch(options.watchPending);
    this.filters = new Filters({ limits, watchPending: watch.source() });
    this.subscriptions = new Subscriptions({ chain, limits, watchPending: watch.source() });
    this.watch = new Watch(chain);
    this.watchTimer = setInterval(() => this.onTime(), WATCH_MILLISECONDS).unref();
    this.feed = {
      onBlock: (block) => this.onBlock(block),
      onProgress: (progress) => this.subscriptions.onProgress(progress),
      onSyncing: (status) => this.subscriptions.onSyncing(status),
      onPending: (transactions) => {
        this.subscriptions.onPending(transactions);
        this.filters.onPending(transactions);
      },
    };
    const rpc = new JsonRpc({
      methods: methodsFor(rights.methods, chain.spec),
      node: this.context(),
      readBatch: options.readBatch,
      onBug,
      onAnswer: (...answer) => this.metrics.onAnswer(...answer),
    });
    const { access, admission, connections } = this;
    const parts = { rpc, access, addresses, admission, connections, limits, onBug };
    this.posts = new HttpPosts(parts);
    this.fastPosts = new FastPosts(parts);
    this.webSockets = new WebSockets(parts);
    this.app = fastify({
      serverFactory: (handler) => this.createServer(handler),
      bodyLimit: 1,
      forceCloseConnections: "idle",
      return503OnClosing: false,
    });
    this.addRoutes();
    addErrors(this.app, onBug);
  }

  async close(): Promise<void> {
    clearInterval(this.watchTimer);
    this.posts.isClosing = true;
    this.fastPosts.close();
    this.webSockets.close();
    await this.app.close();
  }

  private onBlock(block: StoredHeader): void {
    this.subscriptions.onBlock(block);
    const { facts, anomalies } = this.watch.onBlock(block, Date.now());
    this.subscriptions.onFacts(() => factsJson(facts));
    for (const anomaly of anomalies) this.subscriptions.onAnomaly(anomaly);
  }

  private onTime(): void {
    for (const anomaly of this.watch.onTime(Date.now())) this.subscriptions.onAnomaly(anomaly);
  }

  private context(): NodeContext {
    const { chain, job, clientVersion } = this.options;
    const { limits, filters, subscriptions, watch } = this;
    return { chain, job, limits, filters, subscriptions, watch, clientVersion };
  }

  private createServer(handler: Parameters<typeof createServer>[1]): Server {
    const { requestMilliseconds, idleMilliseconds } = this.limits;
    const server = createServer((request, response) => {
      const { blobs } = this.options;
      if (request.method === "POST" && isRoot(request.url)) this.posts.handle(request, response);
      else if (blobs !== undefined && isForBlobs(request)) this.giveBlob(blobs, request, response);
      else handler?.(request, response);
    });
    server.requestTimeout = requestMilliseconds;
    server.timeout = idleMilliseconds;
    server.keepAliveTimeout = idleMilliseconds;
    const [handOver] = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket) => {
      if (this.connections.accept(socket)) this.fastPosts.accept(socket, () => handOver?.call(server, socket));
    });
    this.webSockets.attach(server);
    return server;
  }

  /** Under the names, and for the pages, for which everything else is. Anybody may have brought them: none is a script. */
  private giveBlob(blobs: BlobsPort, request: IncomingMessage, response: ServerResponse): void {
    const { host, origin } = request.headers;
    response.setHeader("x-content-type-options", "nosniff");
    if (this.access.isHostAllowed(host) && this.access.isOriginAllowed(origin, host)) blobs.handle(request, response);
    else response.writeHead(403, { connection: "close" }).end();
  }

  private addRoutes(): void {
    const { app, access } = this;
    const { chain, monitoring, dashboard = () => undefined } = this.options;
    app.addHook("onRequest", async (request, reply) => {
      const origin = access.allowedOrigin(request.headers.origin);
      if (origin !== undefined) reply.header("access-control-allow-origin", origin);
      if (origin !== undefined && origin !== "*") reply.header("vary", "origin");
      if (!access.isHostAllowed(request.headers.host)) await refuse(reply, 403, FOREIGN_HOST);
    });
    app.options("/", async (_request, reply) =>
      reply
        .header("access-control-allow-methods", "POST, GET, OPTIONS")
        .header("access-control-allow-headers", "*, authorization")
        .header("access-control-max-age", "86400")
        .code(204)
        .send(),
    );
    addDashboard(app, dashboard, ({ host }) => welcomePage(chain, `http://${host}`));
    if (monitoring !== undefined) addMonitoring(app, monitoring, () => this.metrics.text(this.gauges()));
  }

  private gauges(): RpcGauges {
    const calls = this.options.calls?.() ?? { workers: 0, waiting: 0 };
    return {
      ogpu_rpc_connections: this.connections.size,
      ogpu_rpc_websockets: this.webSockets.size,
      ogpu_rpc_requests_under_way: this.admission.size,
      ogpu_rpc_subscriptions: this.subscriptions.size,
      ogpu_rpc_filters: this.filters.size,
      ogpu_rpc_call_workers: calls.workers,
      ogpu_rpc_calls_waiting: calls.waiting,
    };
  }
}

/** Several want to know of waiting transactions, or nobody. */
class PendingWatch {
  private readonly tell: ((wanted: boolean) => void) | undefined;
  private wanted = 0;

  constructor(tell: ((wanted: boolean) => void) | undefined) {
    this.tell = tell;
  }

  source(): (wanted: boolean) => void {
    return (wanted) => {
      const before = this.wanted > 0;
      this.wanted += wanted ? 1 : -1;
      if (before !== this.wanted > 0) this.tell?.(this.wanted > 0);
    };
  }
}

function addErrors(app: FastifyInstance, onBug: OnBug): void {
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, 404, { code: INVALID_REQUEST, message: "POST JSON-RPC requests to /" }),
  );
  app.setErrorHandler((error: { readonly statusCode?: number; readonly message: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    // Bodies are for POST /, which does not come here.
    if (status === 413 || status === 415) {
      return refuse(reply, 404, { code: INVALID_REQUEST, message: "POST JSON-RPC requests to /" });
    }
    if (status < 500) return refuse(reply, status, { code: INVALID_REQUEST, message: error.message });
    onBug(`${request.method} /`, error);
    return refuse(reply, status, { code: INTERNAL_ERROR, message: "internal error" });
  });
}

function refuse(reply: FastifyReply, status: number, error: RpcErrorBody): FastifyReply {
  return reply
    .code(status)
    .type(JSON_TYPE)
    .send(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = systemCodeOf(error);
  if (code === "EADDRINUSE") return portTaken(host, port);
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new CodedError("RPC_CANNOT_LISTEN", `cannot listen on ${host}:${port}: ${error.message}`, {
    port,
    hint: "This machine lacks that address, or lets you listen on no such port: choose others with --rpc-host or --rpc-port.",
  });
}

function portTaken(host: string, port: number): CodedError {
  return new CodedError("RPC_PORT_TAKEN", `another program listens on ${host}:${port}`, {
    port,
    hint: "Stop it, or choose another port with --rpc-port (0 takes any free one).",
  });
}
