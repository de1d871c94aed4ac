import type { JSX } from "preact";
import type { RecentBlock } from "../../../rpc/client/answers.ts";
import { Table } from "../../components/layout.tsx";
import { Ago, BlockLink } from "../../components/values.tsx";
import { formatRatio } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { latencyOf } from "../../state/pace.ts";

/** The newest first. */
export function BlockTable({ blocks }: { readonly blocks: readonly RecentBlock[] }): JSX.Element {
  return (
    <Table
      label="Blocks"
      rows={blocks}
      rowKey={({ hash }) => hash}
      empty="No block has come yet."
      columns={[
        { name: "Block", cell: ({ number }) => <BlockLink number={number} /> },
        { name: "Made", cell: ({ milliseconds }) => <Ago time={milliseconds} /> },
        { name: "Transactions", isNumber: true, cell: ({ transactions }) => transactions },
        { name: "Gas used", isNumber: true, cell: ({ gasUsed, gasLimit }) => formatRatio(gasUsed, gasLimit) },
        {
          name: "Final after",
          isNumber: true,
          cell: (block) => {
            const latency = latencyOf(block);
            return latency === undefined ? <span class="soft">not seen</span> : formatDuration(latency);
          },
        },
        {
          name: "Signed by",
          isNumber: true,
          cell: ({ signedWeight, totalWeight, number }) =>
            number === 0n ? <span class="soft">genesis</span> : `${formatRatio(signedWeight, totalWeight)} of stake`,
        },
      ]}
    />
  );
}
