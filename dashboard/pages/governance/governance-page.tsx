import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Answer, Badge, Card, Facts, PageHead, Stats, Table, type Tone } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Ago, Amount, BlockLink } from "../../components/values.tsx";
import { formatCount, formatShare } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { formatRoute } from "../../router/route.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { NewProposal } from "./new-proposal.tsx";
import { type Counted, KIND_WORDS, QUEUED, readProposals, STATUS_WORDS, VOTING } from "./read-governance.ts";
import { TallyBar } from "./tally-bar.tsx";

export function GovernancePage(): JSX.Element {
  const proposals = useQuery("proposals", readProposals, true);
  const [tab, setTab] = useState("Proposals");
  const open = (proposals.value ?? []).filter(
    ({ proposal }) => proposal.status === VOTING || proposal.status === QUEUED,
  );
  return (
    <>
      <PageHead
        title="Governance"
        intro="Those who stake decide on parameters, the treasury and upgrades. The protocol carries out what they accept."
      />
      <Stats
        items={[
          {
            label: "Open proposals",
            value: proposals.value && formatCount(open.length),
            note: proposals.value && `of ${formatCount(proposals.value.length)} in all`,
          },
          ...useTreasuryStats(),
        ]}
      />
      <Tabs
        label="Parts of governance"
        tabs={["Proposals", "Propose", "Parameters", "Upgrades"]}
        chosen={tab}
        onChoose={setTab}
      />
      {tab === "Proposals" && (
        <Card title="Proposals" flush>
          <Answer query={proposals}>{(list) => <ProposalTable list={list} />}</Answer>
        </Card>
      )}
      {tab === "Propose" && (
        <NewProposal
          onDone={() => {
            setTab("Proposals");
            proposals.again();
          }}
        />
      )}
      {tab === "Parameters" && <ParametersCard />}
      {tab === "Upgrades" && <UpgradesCard />}
    </>
  );
}

function useTreasuryStats() {
  const treasury = useQuery(
    "treasury",
    async () => {
      const [balance, spent, fees] = await Promise.all([
        node.readModule({ module: "treasury", functionName: "balance" }),
        node.readModule({ module: "treasury", functionName: "spent" }),
        node.readModule({ module: "treasury", functionName: "receivedFrom", args: ["base fees"] }),
      ]);
      return { balance, spent, fees };
    },
    true,
  ).value;
  return [
    { label: "Treasury", value: treasury && <Amount wei={treasury.balance} />, note: "only proposals spend it" },
    { label: "From base fees", value: treasury && <Amount wei={treasury.fees} decimals={6} />, note: "since genesis" },
    { label: "Spent", value: treasury && <Amount wei={treasury.spent} />, note: "since genesis" },
  ];
}

const STATUS_TONES: readonly Tone[] = ["plain", "accent", "warn", "good", "bad", "plain", "plain", "bad", "plain"];

export function ProposalStatus({ status }: { readonly status: number }): JSX.Element {
  return <Badge tone={STATUS_TONES[status] ?? "plain"}>{STATUS_WORDS[status] ?? String(status)}</Badge>;
}

function ProposalTable({ list }: { readonly list: readonly Counted[] }): JSX.Element {
  return (
    <Table
      label="Proposals"
      rows={list}
      rowKey={({ proposal }) => String(proposal.id)}
      empty="Nobody has proposed anything yet."
      columns={[
        {
          name: "Proposal",
          isLong: true,
          cell: ({ proposal: { id, title } }) => (
            <a href={formatRoute({ page: "proposal", id: String(id) })}>
              {String(id)}. {title}
            </a>
          ),
        },
        { name: "Kind", cell: ({ proposal }) => KIND_WORDS[proposal.kind] ?? "" },
        { name: "State", cell: ({ proposal }) => <ProposalStatus status={proposal.status} /> },
        { name: "Votes", cell: ({ tally }) => <TallyBar tally={tally} /> },
        {
          name: "Due",
          cell: ({ proposal: { due, status } }) =>
            status === VOTING || status === QUEUED ? (
              <Ago time={1000 * Number(due)} />
            ) : (
              <span class="soft">
                ended <Ago time={1000 * Number(due)} />
              </span>
            ),
        },
      ]}
    />
  );
}

/** A parameter's value in its unit, which its name tells. */
export function ParameterValue({ name, value }: { readonly name: string; readonly value: bigint }): JSX.Element {
  const last = name.split(".").at(-1) ?? "";
  if (last.endsWith("Share")) return <>{formatShare(value)}</>;
  if (last.endsWith("Seconds")) return <>{formatDuration(1000 * Number(value))}</>;
  if (value >= 10n ** 12n) return <Amount wei={value} />;
  return <>{formatCount(value)}</>;
}

function ParametersCard(): JSX.Element {
  const query = useQuery("parameters", async () => {
    const pages = await Promise.all(
      [0n, 50n, 100n].map((start) =>
        node.readModule({ module: "governance", functionName: "parameters", args: [start, 50n] }),
      ),
    );
    return pages.flat();
  });
  return (
    <Card title="Parameters of the economy" flush>
      <Answer query={query}>
        {(parameters) => (
          <Table
            label="Parameters"
            rows={parameters}
            rowKey={({ name }) => name}
            empty="This chain has no parameters."
            columns={[
              { name: "Name", cell: ({ name }) => <code>{name}</code> },
              {
                name: "Value",
                isNumber: true,
                cell: ({ name, value }) => <ParameterValue name={name} value={value} />,
              },
              {
                name: "Least",
                isNumber: true,
                cell: ({ name, least }) => <ParameterValue name={name} value={least} />,
              },
              { name: "Most", isNumber: true, cell: ({ name, most }) => <ParameterValue name={name} value={most} /> },
            ]}
          />
        )}
      </Answer>
    </Card>
  );
}

function UpgradesCard(): JSX.Element {
  const query = useQuery(
    "upgrades",
    async () => {
      const [scheduled, active] = await Promise.all([
        node.readModule({ module: "governance", functionName: "scheduledUpgrades" }),
        node.readModule({ module: "governance", functionName: "activeUpgrades", args: [0n, 50n] }),
      ]);
      return [
        ...scheduled.map((upgrade) => ({ ...upgrade, isActive: false })),
        ...active.map((upgrade) => ({ ...upgrade, isActive: true })),
      ];
    },
    true,
  );
  return (
    <Card title="Upgrades" flush>
      <Answer query={query}>
        {(upgrades) => (
          <Table
            label="Upgrades"
            rows={upgrades}
            rowKey={({ name }) => name}
            empty="No upgrade is scheduled, and none has taken place."
            columns={[
              { name: "Upgrade", cell: ({ name }) => <code>{name}</code> },
              {
                name: "State",
                cell: ({ isActive }) =>
                  isActive ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Scheduled</Badge>,
              },
              { name: "From block", isNumber: true, cell: ({ height }) => <BlockLink number={height} /> },
              {
                name: "By",
                cell: ({ proposal }) => (
                  <a href={formatRoute({ page: "proposal", id: String(proposal) })}>proposal {String(proposal)}</a>
                ),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  );
}

export function RulesFacts({ id }: { readonly id: bigint }): JSX.Element {
  const query = useQuery(`rules ${id}`, () =>
    node.readModule({ module: "governance", functionName: "rulesOf", args: [id] }),
  );
  return (
    <Answer query={query}>
      {([quorum, threshold, veto, timelock]) => (
        <Facts
          items={[
            ["Quorum", `${formatShare(quorum)} of stake must vote`],
            ["Threshold", `more than ${formatShare(threshold)} yes`],
            ["Veto", `from ${formatShare(veto)} of the votes on`],
            ["Time lock", formatDuration(1000 * Number(timelock))],
          ]}
        />
      )}
    </Answer>
  );
}
