import type { JSX } from "preact";
import type { Hex } from "viem";
import { Action, NeedsWallet } from "../../components/forms.tsx";
import { Answer, Badge, Card, Empty, Facts, PageHead, Table } from "../../components/layout.tsx";
import { Ago, Amount } from "../../components/values.tsx";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { sendCall } from "../../wallet/send.ts";
import { wallet } from "../../wallet/wallet.ts";
import { AuctionTable, RunningTable } from "../client/job-tables.tsx";
import { ActivityCharts } from "./activity-charts.tsx";
import { Collateral, RegisterForm } from "./collateral.tsx";
import { AddDevice, DeviceTable } from "./devices.tsx";
import { ProviderList } from "./provider-list.tsx";
import { ProviderStats, useActivity } from "./provider-view.tsx";
import { ACTIVE, PAUSED, type ProviderFacts, readLock, readProvider, readWork, STATUS } from "./read-provider.ts";

export function ProviderPage(): JSX.Element {
  const account = useStore(wallet)?.address;
  return (
    <>
      <PageHead
        title="Provider"
        intro="Lend your CPUs and GPUs to whoever pays for them. Collateral stands behind your results."
      />
      {account === undefined ? (
        <Card title="Your devices">
          <NeedsWallet what="register devices and see what they earn" />
        </Card>
      ) : (
        <MyProvider account={account} />
      )}
      <Work account={account} />
      <ProviderList />
    </>
  );
}

function MyProvider({ account }: { readonly account: Hex }): JSX.Element {
  const query = useQuery(`provider ${account}`, () => readProvider(account), true);
  return (
    <Answer query={query}>
      {(facts) =>
        facts.provider.status === 0 ? (
          <RegisterForm onDone={query.again} />
        ) : (
          <Registered account={account} facts={facts} again={query.again} />
        )
      }
    </Answer>
  );
}

interface RegisteredProps {
  readonly account: Hex;
  readonly facts: ProviderFacts;
  readonly again: () => void;
}

function Registered({ account, facts, again }: RegisteredProps): JSX.Element {
  const { provider, devices } = facts;
  const activity = useActivity(account);
  const send = async (title: string, functionName: string) => {
    if (await sendCall({ title, module: "providers", functionName })) again();
  };
  return (
    <>
      <div class="page-head">
        <h2>{provider.name}</h2>
        <Badge tone={provider.available ? "good" : provider.status === PAUSED ? "warn" : "plain"}>
          {STATUS[provider.status]}
        </Badge>
        {provider.status === ACTIVE && (
          <Action isSmall tone="plain" run={() => send("Pause", "pause")}>
            Pause
          </Action>
        )}
        {provider.status === PAUSED && (
          <Action isSmall run={() => send("Resume", "resume")}>
            Resume
          </Action>
        )}
      </div>
      <ProviderStats facts={facts} />
      <Card title={`Devices (${devices.length})`} flush>
        <DeviceTable {...{ devices, activity, again }} empty="You have no device yet. Add one below." />
        <AddDevice onDone={again} />
      </Card>
      {activity !== undefined && <ActivityCharts {...activity} />}
      <div class="columns">
        <Collateral facts={facts} again={again} />
        <TrustLock account={account} />
      </div>
    </>
  );
}

function TrustLock({ account }: { readonly account: Hex }): JSX.Element {
  const query = useQuery(`lock ${account}`, () => readLock(account), true);
  return (
    <Card title="Trust lock">
      <Answer query={query}>
        {({ total, free, allocated, unlocking, commitments }) => (
          <>
            <Facts
              items={[
                ["Locked", <Amount key="t" wei={total} />],
                ["Free", <Amount key="f" wei={free} />],
                ["Behind promises", <Amount key="a" wei={allocated} />],
                ["Leaving", <Amount key="u" wei={unlocking} />],
              ]}
            />
            {commitments.length > 0 && (
              <Table
                label="Commitments"
                rows={commitments}
                rowKey={({ commitment }) => commitment}
                empty=""
                columns={[
                  { name: "Promise", cell: ({ commitment }) => <code>{commitment.slice(0, 12)}…</code> },
                  { name: "Left", isNumber: true, cell: ({ left }) => <Amount wei={left} /> },
                  { name: "Until", cell: ({ deadline }) => <Ago time={1000 * Number(deadline)} /> },
                ]}
              />
            )}
          </>
        )}
      </Answer>
    </Card>
  );
}

function Work({ account }: { readonly account: Hex | undefined }): JSX.Element {
  const query = useQuery(`work ${account}`, () => readWork(account), true);
  return (
    <Answer query={query}>
      {({ open, own }) =>
        open === undefined ? (
          <Card title="Work">
            <Empty title="This chain has no market yet.">Auctions and running jobs show up here when it has.</Empty>
          </Card>
        ) : (
          <>
            <Card title="Auctions open to bid" flush>
              <AuctionTable jobs={open} />
            </Card>
            {account !== undefined && (
              <Card title="Your jobs" flush>
                <RunningTable jobs={own ?? []} empty="You have not worked on a job yet." />
              </Card>
            )}
          </>
        )
      }
    </Answer>
  );
}
