import type { JSX } from "preact";
import { Badge, Bar, Table } from "../../components/layout.tsx";
import { Address, Ago, Amount, Hash } from "../../components/values.tsx";
import { textOfBytes } from "../../format/hex.ts";
import { formatRoute } from "../../router/route.ts";
import { JOB_STATUS, progressOf, toneOfStatus } from "./job-words.ts";
import type { Job } from "./read-market.ts";

export function JobStatus({ status }: { readonly status: number }): JSX.Element {
  return <Badge tone={toneOfStatus(status)}>{JOB_STATUS[status] ?? status}</Badge>;
}

function JobLink({ id }: { readonly id: bigint }): JSX.Element {
  return <a href={formatRoute({ page: "job", id: String(id) })}>Job {String(id)}</a>;
}

export function RunningTable({ jobs, empty }: { readonly jobs: readonly Job[]; readonly empty: string }): JSX.Element {
  return (
    <Table
      label="Jobs"
      rows={jobs}
      rowKey={({ id }) => String(id)}
      empty={empty}
      columns={[
        { name: "Job", cell: ({ id }) => <JobLink id={id} /> },
        { name: "State", cell: ({ status }) => <JobStatus status={status} /> },
        {
          name: "Progress",
          cell: (job) => {
            const share = progressOf(job);
            return (
              <Bar
                label={`${Math.round(100 * share)}% done`}
                parts={[{ share, tone: share === 1 ? "good" : "accent" }]}
              />
            );
          },
        },
        { name: "Paid", isNumber: true, cell: ({ paid }) => <Amount wei={paid} /> },
        { name: "Budget left", isNumber: true, cell: ({ budget }) => <Amount wei={budget} /> },
        { name: "Made", cell: ({ created }) => <Ago time={1000 * Number(created)} /> },
      ]}
    />
  );
}

export function AuctionTable({ jobs }: { readonly jobs: readonly Job[] }): JSX.Element {
  return (
    <Table
      label="Auctions"
      rows={jobs}
      rowKey={({ id }) => String(id)}
      empty="No auction takes bids now."
      columns={[
        { name: "Job", cell: ({ id }) => <JobLink id={id} /> },
        { name: "Client", cell: ({ client }) => <Address of={client} /> },
        { name: "Program", cell: ({ program }) => <Hash of={program} /> },
        { name: "Tier", isNumber: true, cell: ({ tier }) => tier },
        { name: "Region", cell: ({ region }) => textOfBytes(region) ?? "anywhere" },
        { name: "Budget", isNumber: true, cell: ({ budget }) => <Amount wei={budget} /> },
        { name: "Bids until", cell: ({ by }) => <Ago time={1000 * Number(by)} /> },
      ]}
    />
  );
}
