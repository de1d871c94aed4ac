import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { getBlock } from "viem/actions";
import { Answer, Card, PageHead, Table } from "../../components/layout.tsx";
import { Words } from "../../components/sentence.tsx";
import { Address, BlockLink, Hash } from "../../components/values.tsx";
import { recentBlocks } from "../../state/live.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { wordsOfTransaction } from "../../words/decode.ts";
import { BlockTable } from "./block-table.tsx";

const PAGE = 20;
/** Blocks that are looked through for transactions. */
const LOOKED_AT = 12;

export function ExplorerPage(): JSX.Element {
  return (
    <>
      <PageHead
        title="Explorer"
        intro="Every block is final when you see it. Open one to have your own browser check the signatures that made it so."
      />
      <Card title="Latest transactions" flush>
        <LatestTransactions />
      </Card>
      <Blocks />
    </>
  );
}

function Blocks(): JSX.Element {
  const blocks = useStore(recentBlocks);
  const [shown, setShown] = useState(PAGE);
  return (
    <Card title="Blocks" flush>
      <BlockTable blocks={blocks.slice(-shown).reverse()} />
      {shown < blocks.length && (
        <div class="empty">
          <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
            Show more
          </button>
        </div>
      )}
    </Card>
  );
}

function LatestTransactions(): JSX.Element {
  const blocks = useStore(recentBlocks);
  const numbers = blocks.filter(({ transactions }) => transactions > 0).slice(-LOOKED_AT);
  const key = numbers.map(({ number }) => number).join(" ");
  const query = useQuery(`transactions ${key}`, async () => {
    const full = await Promise.all(
      numbers.map(({ number }) => getBlock(node, { blockNumber: number, includeTransactions: true })),
    );
    return full
      .reverse()
      .flatMap(({ transactions }) => [...transactions].reverse())
      .slice(0, PAGE);
  });
  return (
    <Answer query={query}>
      {(transactions) => (
        <Table
          label="Transactions"
          rows={transactions}
          rowKey={({ hash }) => hash}
          empty="No transaction in the last blocks. Connect a wallet and send one."
          columns={[
            { name: "Hash", cell: ({ hash }) => <Hash of={hash} route={{ page: "transaction", hash }} /> },
            { name: "Block", cell: ({ blockNumber }) => <BlockLink number={blockNumber ?? 0n} /> },
            { name: "From", cell: ({ from }) => <Address of={from} /> },
            { name: "What", isLong: true, cell: (transaction) => <Words of={wordsOfTransaction(transaction)} /> },
          ]}
        />
      )}
    </Answer>
  );
}
