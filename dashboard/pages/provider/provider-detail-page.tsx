import type { JSX } from "preact";
import type { Hex } from "viem";
import { AnswerPage, Badge, Card, Empty, Facts, PageHead } from "../../components/layout.tsx";
import { Address, Time } from "../../components/values.tsx";
import { useQuery } from "../../state/use-query.ts";
import { RunningTable } from "../client/job-tables.tsx";
import { ActivityCharts } from "./activity-charts.tsx";
import { DeviceTable } from "./devices.tsx";
import { ProviderStats, useActivity } from "./provider-view.tsx";
import { PAUSED, type ProviderFacts, readProvider, readWork, STATUS } from "./read-provider.ts";

export function ProviderDetailPage({ address }: { readonly address: string }): JSX.Element {
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address);
  const query = useQuery(
    `provider ${address}`,
    async () => (isAddress ? await readProvider(address as Hex) : { provider: undefined }),
    true,
  );
  return (
    <AnswerPage title="Provider" query={query}>
      {(facts) =>
        facts.provider === undefined || facts.provider.status === 0 ? (
          <>
            <PageHead title="Provider" />
            <Card title="Not a provider">
              <Empty title="Nobody has registered a provider by this account.">
                {isAddress ? <Address of={address} /> : address}
              </Empty>
            </Card>
          </>
        ) : (
          <Detail account={address as Hex} facts={facts} />
        )
      }
    </AnswerPage>
  );
}

function Detail({ account, facts }: { readonly account: Hex; readonly facts: ProviderFacts }): JSX.Element {
  const { provider, devices } = facts;
  const activity = useActivity(account);
  const work = useQuery(`work ${account}`, () => readWork(account), true).value;
  return (
    <>
      <PageHead title={provider.name}>
        <Badge tone={provider.available ? "good" : provider.status === PAUSED ? "warn" : "plain"}>
          {STATUS[provider.status]}
        </Badge>
      </PageHead>
      <ProviderStats facts={facts} />
      <Card title={`Devices (${devices.length})`} flush>
        <DeviceTable devices={devices} activity={activity} empty="It has no device now." />
      </Card>
      {activity !== undefined && <ActivityCharts {...activity} />}
      <Card title="About">
        <Facts
          items={[
            ["Account", <Address key="a" of={account} />],
            ["Reached at", provider.endpoint === "" ? "not said" : provider.endpoint],
            ["Since", <Time key="s" time={1000 * Number(provider.since)} />],
          ]}
        />
      </Card>
      <Card title="Jobs" flush>
        <RunningTable jobs={work?.own ?? []} empty="It has not worked on a job yet." />
      </Card>
    </>
  );
}
