/** What operators and their tools ask a node: is it alive, can it be relied on, how is it. */
import type { FastifyInstance } from "fastify";

type Awaitable<Value> = Value | Promise<Value>;

export interface Monitoring {
  /** Whatever helps operators; `ready` decides. */
  readiness(): Awaitable<{ readonly ready: boolean }>;
  /** In Prometheus' text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const JSON_TYPE = "application/json; charset=utf-8";

/** `rpcMetrics` is what the RPC itself adds. */
export function addMonitoring(app: FastifyInstance, monitoring: Monitoring, rpcMetrics: () => string): void {
  app.get("/health", async (_request, reply) => reply.type(JSON_TYPE).send('{"alive":true}'));
  app.get("/ready", async (_request, reply) => {
    const readiness = await monitoring.readiness();
    return reply
      .code(readiness.ready ? 200 : 503)
      .type(JSON_TYPE)
      .send(JSON.stringify(readiness));
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await monitoring.metrics();
    return reply.type(contentType).send(`${text.trimEnd()}\n${rpcMetrics()}`);
  });
}
