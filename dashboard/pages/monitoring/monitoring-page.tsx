import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Anomaly } from "../../../rpc/client/answers.ts";
import { SelectField } from "../../components/forms.tsx";
import { Badge, Card, Empty, PageHead, Stats } from "../../components/layout.tsx";
import { Ago, BlockLink } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { anomalies, now, recentBlocks, status } from "../../state/live.ts";
import { paceOf } from "../../state/pace.ts";
import { useStore } from "../../state/use-store.ts";
import { capitalised } from "../../words/sentence.ts";

const TONES = { notice: "plain", warning: "warn", critical: "bad" } as const;

export function MonitoringPage(): JSX.Element {
  const found = useStore(anomalies);
  const [kind, setKind] = useState("all");
  const kinds = [...new Set((found ?? []).map((anomaly) => anomaly.kind))].sort();
  const shown = (found ?? []).filter((anomaly) => kind === "all" || anomaly.kind === kind);
  return (
    <>
      <PageHead
        title="Monitoring"
        intro="What this node finds unusual, as it finds it. Other monitors can hear the same, and look for more."
      />
      <Glance found={found ?? []} />
      <div class="main-and-side">
        <Card title="Anomalies" flush>
          {found === undefined ? (
            <Empty>Waiting for the node.</Empty>
          ) : shown.length === 0 ? (
            <Empty title="Nothing unusual.">
              Missed votes, slow finality, doubtful results, price spikes and stuck jobs show up here.
            </Empty>
          ) : (
            <Feed anomalies={shown} />
          )}
        </Card>
        <div class="stack">
          <Card title="Show">
            <SelectField
              label="Kind"
              value={kind}
              onChange={setKind}
              options={[["all", "All kinds"], ...kinds.map((name) => [name, kindWords(name)] as const)]}
            />
          </Card>
          <Card title="Plug in your own">
            <p class="soft small">
              Programs get the same over WebSocket: <code>ogpu_subscribe</code> with <code>["anomalies"]</code>, and{" "}
              <code>ogpu_getAnomalies</code> for the last ones. docs/monitoring.md shows how to add a detector.
            </p>
          </Card>
        </div>
      </div>
    </>
  );
}

function kindWords(kind: string): string {
  return capitalised(kind.replaceAll("-", " "));
}

function Feed({ anomalies: list }: { readonly anomalies: readonly Anomaly[] }): JSX.Element {
  return (
    <ul class="feed" aria-live="polite">
      {list.map(({ id, kind, severity, message, milliseconds, blockNumber }) => (
        <li key={id}>
          <Badge tone={TONES[severity]}>{kindWords(kind)}</Badge>
          <span>{message}</span>
          <span class="soft small nowrap">
            <Ago time={milliseconds} />, block <BlockLink number={blockNumber} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Glance({ found }: { readonly found: readonly Anomaly[] }): JSX.Element {
  const blocks = useStore(recentBlocks);
  const current = useStore(status);
  const time = useStore(now);
  const pace = paceOf(blocks, time);
  const head = blocks.at(-1);
  const count = (severity: Anomaly["severity"]) =>
    formatCount(found.filter((anomaly) => anomaly.severity === severity).length);
  return (
    <Stats
      items={[
        { label: "Critical", value: count("critical"), note: "since the node started" },
        { label: "Warnings", value: count("warning"), note: `of the last ${found.length} findings` },
        {
          label: "Finality",
          value: pace.medianFinality === undefined ? "—" : formatDuration(pace.medianFinality),
          note: "median of recent blocks",
        },
        {
          label: "Last block",
          value: head && <Ago time={head.milliseconds} />,
          note: head && `block ${formatCount(head.number)}`,
        },
        { label: "Peers", value: current && formatCount(current.peers), note: current && `as ${current.role}` },
      ]}
    />
  );
}
