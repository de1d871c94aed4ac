import type { JSX } from "preact";
import { Answer, Badge, Card, Table } from "../../components/layout.tsx";
import { Address, Amount } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { formatRoute } from "../../router/route.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { PAUSED, STATUS } from "./read-provider.ts";

export function ProviderList(): JSX.Element {
  const query = useQuery(
    "providers",
    () => node.readModule({ module: "providers", functionName: "providers", args: [0n, 100n] }),
    true,
  );
  return (
    <Card title="Everybody who provides" flush>
      <Answer query={query}>
        {(providers) => (
          <Table
            label="Providers"
            rows={providers}
            rowKey={({ account }) => account}
            empty="Nobody provides yet. Be the first."
            columns={[
              {
                name: "Provider",
                cell: ({ name, account }) => (
                  <a href={formatRoute({ page: "provider-detail", address: account })}>{name}</a>
                ),
              },
              { name: "Account", cell: ({ account }) => <Address of={account} /> },
              {
                name: "State",
                cell: ({ status, available }) => (
                  <Badge tone={available ? "good" : status === PAUSED ? "warn" : "plain"}>{STATUS[status]}</Badge>
                ),
              },
              { name: "Devices", isNumber: true, cell: ({ deviceCount }) => formatCount(deviceCount) },
              {
                name: "Collateral",
                isNumber: true,
                cell: ({ free, reserved }) => <Amount wei={free + reserved} decimals={2} />,
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  );
}
