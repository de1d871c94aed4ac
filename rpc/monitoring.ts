/** What operators and their tools ask a node: is it alive, can it be relied on, how is it. */
import type { FastifyInstance } from "fastify";

export interface Monitoring {
  /** Whatever helps operators; `ready` decides. */
  readiness(): { readonly ready: boolean };
  /** In Prometheus' text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Answered also when the node takes no more requests: that is when people look. */
export const MONITORING_PATHS: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics"]);

const JSON_TYPE = "application/json; charset=utf-8";

export function addMonitoring(app: FastifyInstance, monitoring: Monitoring): void {
  app.get("/health", async (_request, reply) => reply.type(JSON_TYPE).send('{"alive":true}'));
  app.get("/ready", async (_request, reply) => {
    const readiness = monitoring.readiness();
    return reply
      .code(readiness.ready ? 200 : 503)
      .type(JSON_TYPE)
      .send(JSON.stringify(readiness));
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await monitoring.metrics();
    return reply.type(contentType).send(text);
  });
}
