import type { JSX } from "preact";
import type { Hex, Log } from "viem";
import { getLogs } from "viem/actions";
import { Answer, Card, Table } from "../../components/layout.tsx";
import { Words } from "../../components/sentence.tsx";
import { Address, BlockLink } from "../../components/values.tsx";
import { shortHex } from "../../format/hex.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { wordsOfLog } from "../../words/decode.ts";

interface LogListProps {
  readonly logs: readonly Log[];
  readonly empty: string;
  readonly withBlock?: boolean;
}

export function LogList({ logs, empty, withBlock = false }: LogListProps): JSX.Element {
  return (
    <Table
      label="Logs"
      rows={logs}
      rowKey={({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`}
      empty={empty}
      columns={[
        ...(withBlock
          ? [{ name: "Block", cell: ({ blockNumber }: Log) => <BlockLink number={blockNumber ?? 0n} /> }]
          : []),
        { name: "From", cell: ({ address }) => <Address of={address} /> },
        { name: "What", isLong: true, cell: (log) => <LogWords log={log} /> },
      ]}
    />
  );
}

function LogWords({ log }: { readonly log: Log }): JSX.Element {
  const words = wordsOfLog(log);
  if (words !== undefined) return <Words of={words} />;
  const [topic] = log.topics;
  return (
    <span class="soft">
      Event <code title={topic}>{topic === undefined ? "without a topic" : shortHex(topic, 8, 4)}</code> with{" "}
      {log.topics.length} topics and {(log.data.length - 2) / 2} bytes
    </span>
  );
}

/** What the protocol itself did in a block: rewards, epochs, proposals that came due. */
export function ProtocolLogs({
  blockHash,
  transactions,
}: {
  readonly blockHash: Hex;
  readonly transactions: number;
}): JSX.Element {
  const query = useQuery(`logs ${blockHash}`, () => getLogs(node, { blockHash }));
  return (
    <Answer query={query}>
      {(logs) => {
        const own = logs.filter(({ transactionIndex }) => (transactionIndex ?? 0) >= transactions);
        return own.length === 0 ? null : (
          <Card title={`The protocol’s own work (${own.length})`} flush>
            <LogList logs={own} empty="" />
          </Card>
        );
      }}
    </Answer>
  );
}
