import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { createMetrics } from "../../chain/observe/metrics.ts";
import { RPC_GAUGES, type RpcGauges, RpcMetrics } from "../../rpc/rpc-metrics.ts";

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

const dashboard: Dashboard = JSON.parse(readFileSync(new URL("../../docs/grafana/ogpu.json", import.meta.url), "utf8"));
const metrics = createMetrics();
afterAll(() => metrics.close());

/** Names as a scrape has them: `_bucket` and its like are of their own. */
async function scraped(): Promise<ReadonlySet<string>> {
  const rpc = new RpcMetrics();
  rpc.onAnswer("eth_call", undefined, 3);
  const gauges = Object.fromEntries(Object.keys(RPC_GAUGES).map((name) => [name, 1])) as RpcGauges;
  metrics.finalitySeconds.observe(0.2);
  const text = `${await metrics.text()}\n${rpc.text(gauges)}`;
  return new Set([...text.matchAll(/^([a-z_]+)[{ ]/gm)].map(([, name]) => name as string));
}

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(ogpu|process|nodejs)_[a-z_]+/g)].map(([name]) => name);

it("every query of the Grafana dashboard asks for metrics that there are", async () => {
  const known = await scraped();
  const queries = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => query),
  ];
  expect(queries.length).toBeGreaterThan(20);
  expect(queries.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([]);
});

it("every gauge of the RPC is on the dashboard", () => {
  const shown = new Set(dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
  expect(Object.keys(RPC_GAUGES).filter((name) => !shown.has(name))).toEqual([]);
});
