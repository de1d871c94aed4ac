import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Chart } from "../../components/chart.tsx";
import { Card, Empty } from "../../components/layout.tsx";
import { formatAmount } from "../../format/amounts.ts";
import { type ActivityEvent, periodsOf } from "./activity.ts";

interface ActivityChartsProps {
  readonly events: readonly ActivityEvent[];
  /** In seconds since 1970: of the last block, so that a chart says what the chain says. */
  readonly now: number;
}

const NANO = 1_000_000_000n;

export function ActivityCharts({ events, now }: ActivityChartsProps): JSX.Element {
  const periods = useMemo(() => periodsOf(events, now), [events, now]);
  const data = useMemo(
    () => ({
      times: periods.map(({ seconds }) => seconds),
      // Charts take plain numbers: in billionths, which is more than a line of a chart can show.
      earned: periods.map(({ earned }) => Number(earned / NANO)),
      busy: periods.map(({ busy }) => 100 * busy),
    }),
    [periods],
  );
  if (periods.length === 0) {
    return (
      <Card title="Earnings and utilisation">
        <Empty title="No work yet.">They show up here with the first job.</Empty>
      </Card>
    );
  }
  return (
    <div class="columns">
      <Card title="Earnings">
        <Chart
          label="oGPU earned over time"
          kind="bars"
          isTime
          color="--chart-2"
          x={data.times}
          y={data.earned}
          format={(nano) => formatAmount(BigInt(Math.round(nano)) * NANO, 4)}
        />
      </Card>
      <Card title="Utilisation">
        <Chart
          label="Share of the time that devices were busy"
          kind="line"
          isTime
          x={data.times}
          y={data.busy}
          format={(percent) => `${Math.round(percent)}%`}
        />
      </Card>
    </div>
  );
}
