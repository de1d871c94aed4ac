import type { JSX } from "preact";
import type { Hex, Transaction, TransactionReceipt } from "viem";
import { getTransaction, getTransactionReceipt } from "viem/actions";
import { AnswerPage, Badge, Card, Facts, PageHead } from "../../components/layout.tsx";
import { Words } from "../../components/sentence.tsx";
import { Address, Amount, BlockLink, Hash } from "../../components/values.tsx";
import { formatCount, formatGasPrice } from "../../format/amounts.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { wordsOfTransaction } from "../../words/decode.ts";
import { LogList } from "./log-list.tsx";

interface Shown {
  readonly transaction: Transaction;
  readonly receipt: TransactionReceipt | undefined;
}

/** Characters of input that are shown. */
const MAX_INPUT = 20_000;

async function readTransaction(hash: Hex): Promise<Shown> {
  const transaction = await getTransaction(node, { hash });
  if (transaction.blockNumber === null) return { transaction, receipt: undefined };
  return { transaction, receipt: await getTransactionReceipt(node, { hash }) };
}

export function TransactionPage({ hash }: { readonly hash: string }): JSX.Element {
  const query = useQuery(`transaction ${hash}`, () => readTransaction(hash as Hex), true);
  return (
    <AnswerPage title="Transaction" query={query}>
      {(shown) => <TransactionView {...shown} />}
    </AnswerPage>
  );
}

function TransactionView({ transaction, receipt }: Shown): JSX.Element {
  const fee = receipt && receipt.gasUsed * receipt.effectiveGasPrice;
  return (
    <>
      <PageHead title="Transaction">
        {receipt === undefined ? (
          <Badge tone="warn">Waiting for a block</Badge>
        ) : receipt.status === "success" ? (
          <Badge tone="good">Final</Badge>
        ) : (
          <Badge tone="bad">Final, and failed</Badge>
        )}
      </PageHead>
      <Card title="What it does">
        <p>
          <Words of={wordsOfTransaction(transaction)} />
        </p>
        <Facts
          items={[
            ["Hash", <Hash key="h" of={transaction.hash} />],
            receipt !== undefined && ["Block", <BlockLink key="b" number={receipt.blockNumber} />],
            ["From", <Address key="f" of={transaction.from} />],
            transaction.to !== null && ["To", <Address key="t" of={transaction.to} />],
            receipt?.contractAddress != null && ["Created", <Address key="c" of={receipt.contractAddress} />],
            ["Value", <Amount key="v" wei={transaction.value} decimals={18} />],
            fee !== undefined && ["Fee", <Amount key="e" wei={fee} decimals={12} />],
            receipt !== undefined && [
              "Gas used",
              `${formatCount(receipt.gasUsed)} of ${formatCount(transaction.gas)} at ${formatGasPrice(receipt.effectiveGasPrice)}`,
            ],
            ["Nonce", formatCount(transaction.nonce)],
          ]}
        />
      </Card>
      {receipt !== undefined && (
        <Card title={`Events (${receipt.logs.length})`} flush>
          <LogList logs={receipt.logs} empty="It emitted no events." />
        </Card>
      )}
      {transaction.input !== "0x" && (
        <Card title="Input">
          <textarea
            class="input mono"
            readOnly
            rows={6}
            aria-label="Input as hexadecimal"
            value={transaction.input.slice(0, MAX_INPUT)}
          />
        </Card>
      )}
    </>
  );
}
