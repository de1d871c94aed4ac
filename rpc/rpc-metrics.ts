/** What the RPC counts, in Prometheus' text format: requests by method and outcome, how long they took, and what is open. */

/** Seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Whatever is no method of ours: names that clients make up are not counted one by one. */
const UNKNOWN = "unknown";

interface MethodCounts {
  ok: number;
  readonly byError: Map<number, number>;
  readonly buckets: number[];
  seconds: number;
  count: number;
}

/** Names and meanings of what is open now. */
export const RPC_GAUGES = {
  ogpu_rpc_connections: "Open connections of the RPC",
  ogpu_rpc_websockets: "Of these, WebSockets",
  ogpu_rpc_requests_under_way: "HTTP requests and WebSocket messages under way",
  ogpu_rpc_subscriptions: "Subscriptions",
  ogpu_rpc_filters: "Filters that clients poll",
  ogpu_rpc_call_workers: "Threads that run calls",
  ogpu_rpc_calls_waiting: "Calls that wait or run",
} as const;

export type RpcGauges = Readonly<Record<keyof typeof RPC_GAUGES, number>>;

export class RpcMetrics {
  private readonly methods = new Map<string, MethodCounts>();

  /** Of so many requests that are alike, each took so long. */
  onAnswer(method: string | undefined, errorCode: number | undefined, milliseconds: number, requests = 1): void {
    const counts = this.countsOf(method ?? UNKNOWN);
    if (errorCode === undefined) counts.ok += requests;
    else counts.byError.set(errorCode, (counts.byError.get(errorCode) ?? 0) + requests);
    const seconds = milliseconds / 1000;
    counts.seconds += requests * seconds;
    counts.count += requests;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    if (bucket < BUCKETS.length) counts.buckets[bucket] = (counts.buckets[bucket] as number) + requests;
  }

  text(gauges: RpcGauges): string {
    const lines: string[] = [
      "# HELP ogpu_rpc_requests_total Requests answered, by method and outcome",
      "# TYPE ogpu_rpc_requests_total counter",
    ];
    for (const [method, { ok, byError }] of this.methods) {
      for (const [outcome, count] of [...(ok > 0 ? [["ok", ok] as const] : []), ...byError]) {
        lines.push(`ogpu_rpc_requests_total{method="${method}",outcome="${outcome}"} ${count}`);
      }
    }
    lines.push(
      "# HELP ogpu_rpc_request_seconds From the beginning of a request to its answer",
      "# TYPE ogpu_rpc_request_seconds histogram",
    );
    for (const [method, counts] of this.methods) lines.push(...histogram(method, counts));
    for (const [name, help] of Object.entries(RPC_GAUGES)) {
      const value = gauges[name as keyof RpcGauges];
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }

  private countsOf(method: string): MethodCounts {
    const known = this.methods.get(method);
    if (known !== undefined) return known;
    const counts = { ok: 0, byError: new Map<number, number>(), buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 };
    this.methods.set(method, counts);
    return counts;
  }
}

function histogram(method: string, { buckets, seconds, count }: MethodCounts): readonly string[] {
  let sum = 0;
  const lines = BUCKETS.map((bound, index) => {
    sum += buckets[index] as number;
    return `ogpu_rpc_request_seconds_bucket{method="${method}",le="${bound}"} ${sum}`;
  });
  return [
    ...lines,
    `ogpu_rpc_request_seconds_bucket{method="${method}",le="+Inf"} ${count}`,
    `ogpu_rpc_request_seconds_sum{method="${method}"} ${seconds}`,
    `ogpu_rpc_request_seconds_count{method="${method}"} ${count}`,
  ];
}
