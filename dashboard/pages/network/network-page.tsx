import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Chart } from "../../components/chart.tsx";
import { Bar, Card, Facts, PageHead, Stats } from "../../components/layout.tsx";
import { Ago, Amount, BlockLink } from "../../components/values.tsx";
import { formatCount, formatGasPrice, formatRatio, ratio } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { now, recentBlocks, status } from "../../state/live.ts";
import { node } from "../../state/node.ts";
import { latencyOf, paceOf } from "../../state/pace.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { BlockTable } from "../explorer/block-table.tsx";
import { MarketGlance } from "./market-glance.tsx";

export function NetworkPage(): JSX.Element {
  const current = useStore(status);
  return (
    <>
      <PageHead
        title="Network"
        intro={
          current === undefined
            ? "The chain as this node sees it, live."
            : `The ${current.network} chain as this node sees it, live. Epoch ${current.epoch}, ${current.peers} ${current.peers === 1 ? "peer" : "peers"}.`
        }
      />
      <Glance />
      <MarketGlance />
      <Charts />
      <div class="main-and-side">
        <Card title="Latest blocks" flush action={<a href="#/explorer">All blocks</a>}>
          <LatestBlocks />
        </Card>
        <SupplyCard />
      </div>
    </>
  );
}

function Glance(): JSX.Element {
  const blocks = useStore(recentBlocks);
  const pace = paceOf(blocks, useStore(now));
  const head = blocks.at(-1);
  const supply = useQuery("supply", () => node.getSupply(), true).value;
  const validators = useQuery(`set ${head?.epoch}`, () => node.getEpochValidators()).value;
  return (
    <Stats
      items={[
        { label: "Height", value: head && formatCount(head.number), note: head && <Ago time={head.milliseconds} /> },
        {
          label: "Finality",
          value: pace.medianFinality === undefined ? head && "—" : formatDuration(pace.medianFinality),
          note:
            pace.slowFinality === undefined
              ? "measured as blocks come"
              : `95% within ${formatDuration(pace.slowFinality)}`,
        },
        {
          label: "Transactions",
          value: head && formatCount(pace.transactionsPerMinute),
          note: `in the last minute, ${pace.blocksPerMinute} blocks`,
        },
        {
          label: "Validators",
          value: validators && formatCount(validators.validators.length),
          note: head && `${formatRatio(head.signedWeight, head.totalWeight)} of stake signed last`,
        },
        {
          label: "Staked",
          value: supply && <Amount wei={supply.locked.staked} decimals={0} />,
          note: supply && `${formatRatio(supply.locked.staked, supply.total)} of the supply`,
        },
        {
          label: "Base fee",
          value: head && formatGasPrice(head.baseFeePerGas),
          note: head && `${formatRatio(head.gasUsed, head.gasLimit)} of the last block used`,
        },
      ]}
    />
  );
}

function Charts(): JSX.Element {
  const blocks = useStore(recentBlocks);
  const data = useMemo(() => {
    const seen = blocks.slice(-120);
    return {
      numbers: seen.map(({ number }) => Number(number)),
      latency: seen.map((block) => latencyOf(block) ?? null),
      transactions: seen.map(({ transactions }) => transactions),
      fees: seen.map(({ baseFeePerGas }) => Number(baseFeePerGas)),
    };
  }, [blocks]);
  return (
    <div class="columns three">
      <Card title="Time to finality">
        <Chart
          label="Milliseconds to finality by block"
          kind="line"
          x={data.numbers}
          y={data.latency}
          format={(ms) => `${Math.round(ms)} ms`}
        />
      </Card>
      <Card title="Transactions per block">
        <Chart
          label="Transactions by block"
          kind="bars"
          color="--chart-2"
          x={data.numbers}
          y={data.transactions}
          format={(count) => String(Math.round(count * 10) / 10)}
        />
      </Card>
      <Card title="Base fee">
        <Chart
          label="Base fee by block"
          kind="line"
          color="--chart-3"
          x={data.numbers}
          y={data.fees}
          format={(fee) => formatGasPrice(BigInt(Math.round(fee)))}
        />
      </Card>
    </div>
  );
}

function LatestBlocks(): JSX.Element {
  const blocks = useStore(recentBlocks);
  return <BlockTable blocks={blocks.slice(-8).reverse()} />;
}

function SupplyCard(): JSX.Element {
  const supply = useQuery("supply", () => node.getSupply(), true).value;
  const head = useStore(recentBlocks).at(-1);
  return (
    <Card title="Supply">
      {supply === undefined ? (
        <span class="skeleton" />
      ) : (
        <>
          <p>
            <Amount wei={supply.total} decimals={2} /> <span class="soft">of at most</span> <Amount wei={supply.cap} />
          </p>
          <Bar
            label={`${formatRatio(supply.total, supply.cap)} of the cap exists`}
            parts={[{ share: ratio(supply.total, supply.cap) }]}
          />
          <Facts
            items={[
              ["Of the cap", formatRatio(supply.total, supply.cap)],
              ["At genesis", <Amount key="g" wei={supply.genesis} />],
              ["Minted since", <Amount key="m" wei={supply.minted} />],
              ["Burned", <Amount key="b" wei={supply.burned} decimals={6} />],
              ["Treasury", <Amount key="t" wei={supply.locked.treasury} decimals={6} />],
              head !== undefined && ["At block", <BlockLink key="n" number={head.number} />],
            ]}
          />
        </>
      )}
    </Card>
  );
}
