import type { JSX } from "preact";
import { Bar, Card, Table } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { formatCount, formatShare } from "../../format/amounts.ts";
import { useQuery } from "../../state/use-query.ts";
import { readTiers } from "./read-market.ts";

/** Only those that have devices, or whose price has moved, tell something. */
const SHOWN = 4;

export function TierPrices(): JSX.Element | null {
  const tiers = useQuery("tiers", () => readTiers().catch(() => []), true).value ?? [];
  if (tiers.length === 0) return null;
  const used = tiers.filter(({ devices, tier }) => devices > 0n || tier < SHOWN);
  return (
    <Card title="Prices by tier of hardware" flush>
      <Table
        label="Prices by tier"
        rows={used}
        rowKey={({ tier }) => String(tier)}
        empty=""
        columns={[
          { name: "Tier", cell: ({ tier }) => tier },
          { name: "A million compute units", isNumber: true, cell: ({ price }) => <Amount wei={price} decimals={9} /> },
          { name: "Devices", isNumber: true, cell: ({ devices }) => formatCount(devices) },
          {
            name: "Busy",
            isNumber: true,
            cell: ({ utilisation }) => (
              <span class="row nowrap signed">
                <Bar label={`${formatShare(utilisation)} busy`} parts={[{ share: Number(utilisation) / 1e6 }]} />
                {formatShare(utilisation)}
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}
