import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Hex } from "viem";
import { NeedsWallet } from "../../components/forms.tsx";
import { Answer, Card, Empty, PageHead, Stats } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Amount } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { wallet } from "../../wallet/wallet.ts";
import { AuctionForm } from "./auction-form.tsx";
import { RunningTable } from "./job-tables.tsx";
import { isRunning } from "./job-words.ts";
import { NewJob } from "./new-job.tsx";
import type { Published } from "./published.ts";
import { readInFlight, readJobsOf } from "./read-market.ts";
import { TaskForm } from "./task-form.tsx";
import { TierPrices } from "./tier-prices.tsx";

const TABS = ["Your jobs", "New job", "Pool tasks", "Auction a job"] as const;

type Tab = (typeof TABS)[number];

export function ClientPage(): JSX.Element {
  const account = useStore(wallet)?.address;
  const inFlight = useQuery("in flight", async () => ({ count: await readInFlight() }), true);
  const [tab, setTab] = useState<Tab>("Your jobs");
  const [source, setSource] = useState<bigint | undefined>(undefined);
  const [published, setPublished] = useState<Published | undefined>(undefined);
  return (
    <>
      <PageHead
        title="Client"
        intro="Have programs computed by others. Results are checked by drawn verifiers before anybody is paid."
      />
      <Answer query={inFlight}>
        {({ count }) =>
          count === undefined ? (
            <Card title="Jobs">
              <Empty title="This chain has no market yet.">Programs can be published already.</Empty>
            </Card>
          ) : (
            <Glance account={account} inFlight={count} />
          )
        }
      </Answer>
      <Tabs label="What to do" tabs={TABS} chosen={tab} onChoose={setTab} />
      {tab === "Your jobs" && <MyJobs account={account} />}
      {tab === "New job" && (
        <NewJob
          onAuction={(program) => {
            setPublished(program);
            setTab("Auction a job");
          }}
          onSource={(made) => {
            setSource(made);
            setTab("Pool tasks");
          }}
        />
      )}
      {tab === "Pool tasks" && <TaskForm first={source} onNew={() => setTab("New job")} />}
      {tab === "Auction a job" && (
        <AuctionForm
          key={published?.program}
          published={published}
          onPosted={() => {
            setPublished(undefined);
            setTab("Your jobs");
          }}
        />
      )}
      <TierPrices />
    </>
  );
}

function Glance({ account, inFlight }: { readonly account: Hex | undefined; readonly inFlight: bigint }): JSX.Element {
  const jobs =
    useQuery(`jobs ${account}`, async () => (account === undefined ? [] : await readJobsOf(account)), true).value ?? [];
  const running = jobs.filter(({ status }) => isRunning(status));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return (
    <Stats
      items={[
        { label: "Jobs in flight", value: formatCount(inFlight), note: "on the whole network" },
        { label: "Yours", value: formatCount(running.length), note: `of ${jobs.length} in all` },
        { label: "Spent", value: <Amount wei={sum(jobs.map(({ paid }) => paid))} />, note: "on your jobs so far" },
        {
          label: "Still in budgets",
          value: <Amount wei={sum(running.map(({ budget }) => budget))} />,
          note: "comes back if it is not used",
        },
      ]}
    />
  );
}

function MyJobs({ account }: { readonly account: Hex | undefined }): JSX.Element {
  const query = useQuery(
    `jobs ${account}`,
    async () => (account === undefined ? [] : await readJobsOf(account).catch(() => [])),
    true,
  );
  return (
    <Card title="Your jobs" flush>
      {account === undefined ? (
        <Empty>
          <NeedsWallet what="see and submit jobs" />
        </Empty>
      ) : (
        <Answer query={query}>
          {(jobs) => <RunningTable jobs={jobs} empty="You have no job yet. Drop a model or a kernel under New job." />}
        </Answer>
      )}
    </Card>
  );
}
