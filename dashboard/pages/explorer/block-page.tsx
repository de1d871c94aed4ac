import type { JSX } from "preact";
import type { Block, Hex } from "viem";
import { getBlock } from "viem/actions";
import type { Finality } from "../../../rpc/client/answers.ts";
import { AnswerPage, Card, Facts, PageHead, Table } from "../../components/layout.tsx";
import { Words } from "../../components/sentence.tsx";
import { Address, BlockLink, Hash, Time } from "../../components/values.tsx";
import { formatCount, formatGasPrice, formatRatio } from "../../format/amounts.ts";
import { verifyBlock } from "../../light-client/verify-block.ts";
import { formatRoute } from "../../router/route.ts";
import { recentBlocks, status } from "../../state/live.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { wordsOfTransaction } from "../../words/decode.ts";
import { ProtocolLogs } from "./log-list.tsx";
import { VerificationNote, VerifiedHere } from "./verified-here.tsx";

type FullBlock = Block<bigint, true, "latest">;

interface Shown {
  readonly block: FullBlock;
  readonly finality: Finality;
}

async function readBlock(id: string): Promise<Shown> {
  const which = /^\d+$/.test(id) ? { blockNumber: BigInt(id) } : { blockHash: id as Hex };
  const block = (await getBlock(node, { ...which, includeTransactions: true })) as FullBlock;
  return { block, finality: await node.getFinality({ blockNumber: block.number }) };
}

export function BlockPage({ id }: { readonly id: string }): JSX.Element {
  const query = useQuery(`block ${id}`, () => readBlock(id));
  return (
    <AnswerPage title={`Block ${id}`} query={query}>
      {({ block, finality }) => <BlockView block={block} finality={finality} />}
    </AnswerPage>
  );
}

function BlockView({ block, finality }: Shown): JSX.Element {
  const { number, hash } = block;
  const chainId = useStore(status)?.chainId;
  const head = useStore(recentBlocks).at(-1)?.number ?? number;
  const { certificate } = finality;
  const verification = useQuery(`verify ${hash} ${chainId}`, async () =>
    chainId === undefined || certificate === null ? undefined : await verifyBlock(chainId, number, certificate.epoch),
  );
  return (
    <>
      <PageHead title={`Block ${formatCount(number)}`}>
        {number > 0n && <VerifiedHere result={verification.value} error={verification.error} hash={hash} />}
        <span class="row">
          {number > 0n && (
            <a class="button small" href={formatRoute({ page: "block", id: String(number - 1n) })}>
              Previous
            </a>
          )}
          {number < head && (
            <a class="button small" href={formatRoute({ page: "block", id: String(number + 1n) })}>
              Next
            </a>
          )}
        </span>
      </PageHead>
      <div class="columns">
        <Card title="Block">
          <Facts
            items={[
              ["Hash", <Hash key="h" of={hash} />],
              [
                "Parent",
                <Hash
                  key="p"
                  of={block.parentHash}
                  {...(number > 0n && { route: { page: "block", id: String(number - 1n) } as const })}
                />,
              ],
              ["Made", <Time key="t" time={1000 * Number(block.timestamp)} />],
              ["Tips to", <Address key="m" of={block.miner} />],
              [
                "Gas used",
                `${formatCount(block.gasUsed)} of ${formatCount(block.gasLimit)} (${formatRatio(block.gasUsed, block.gasLimit)})`,
              ],
              ["Base fee", formatGasPrice(block.baseFeePerGas ?? 0n)],
              ["State root", <Hash key="s" of={block.stateRoot} />],
              ["Size", `${formatCount(block.size)} bytes`],
            ]}
          />
        </Card>
        <CertificateCard finality={finality}>
          <VerificationNote result={verification.value} />
        </CertificateCard>
      </div>
      <Card title={`Transactions (${block.transactions.length})`} flush>
        <Table
          label="Transactions of the block"
          rows={block.transactions}
          rowKey={(transaction) => transaction.hash}
          empty="This block has no transactions: it keeps the chain alive, or finishes what was scheduled."
          columns={[
            {
              name: "Hash",
              cell: (transaction) => (
                <Hash of={transaction.hash} route={{ page: "transaction", hash: transaction.hash }} />
              ),
            },
            { name: "From", cell: ({ from }) => <Address of={from} /> },
            { name: "What", isLong: true, cell: (transaction) => <Words of={wordsOfTransaction(transaction)} /> },
          ]}
        />
      </Card>
      <ProtocolLogs blockHash={hash} transactions={block.transactions.length} />
    </>
  );
}

function CertificateCard({
  finality,
  children,
}: {
  readonly finality: Finality;
  readonly children: JSX.Element;
}): JSX.Element {
  const { certificate } = finality;
  if (certificate === null) {
    return (
      <Card title="Certificate">
        <p class="soft">Genesis needs none: it is where trust begins.</p>
      </Card>
    );
  }
  const { signers, signedWeight, totalWeight, blockNumber } = certificate;
  return (
    <Card title="Certificate">
      <Facts
        items={[
          ["Signed by", `${signers.length} validators, ${formatRatio(signedWeight, totalWeight)} of stake`],
          ["Positions", signers.map(({ index }) => index).join(", ")],
          ["Epoch, view", `${certificate.epoch}, ${certificate.view}`],
          blockNumber !== null &&
            blockNumber !== finality.blockNumber && ["With block", <BlockLink key="b" number={blockNumber} />],
          ["Signature", <Hash key="s" of={certificate.signature} />],
        ]}
      />
      {children}
    </Card>
  );
}
