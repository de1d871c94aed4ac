import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { decodeEventLog, getAbiItem, type Hex, numberToHex, toEventSelector } from "viem";
import { Chart } from "../../components/chart.tsx";
import { Card, Stats } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { formatAmount, formatCount } from "../../format/amounts.ts";
import { recentBlocks } from "../../state/live.ts";
import { pricing, providers } from "../../state/modules.ts";
import { ask } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { readInFlight, readTiers } from "../client/read-market.ts";
import { type PricePoint, pricesOf, type Settled, unitsByMinute } from "./market-history.ts";

/** Blocks that one request may span. */
const SPAN = 10_000n;
const NANO = 1_000_000_000n;
const SETTLED = toEventSelector(getAbiItem({ abi: providers.abi, name: "Settled" }));
const PRICE_CHANGED = toEventSelector(getAbiItem({ abi: pricing.abi, name: "PriceChanged" }));

interface RawLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockTimestamp: Hex;
}

function readLogs(address: Hex, topic: Hex, head: bigint): Promise<readonly RawLog[]> {
  const fromBlock = numberToHex(head < SPAN ? 0n : head - SPAN + 1n);
  return ask("eth_getLogs", { address, topics: [topic], fromBlock, toBlock: numberToHex(head) });
}

async function readSettled(head: bigint): Promise<readonly Settled[]> {
  return (await readLogs(providers.address, SETTLED, head)).map(({ topics, data, blockTimestamp }) => {
    const { args } = decodeEventLog({ abi: providers.abi, eventName: "Settled", topics, data });
    return { seconds: Number(blockTimestamp), computeUnits: args.computeUnits };
  });
}

async function readPrices(head: bigint): Promise<readonly PricePoint[]> {
  return (await readLogs(pricing.address, PRICE_CHANGED, head)).map(({ topics, data, blockTimestamp }) => {
    const { args } = decodeEventLog({ abi: pricing.abi, eventName: "PriceChanged", topics, data });
    return { seconds: Number(blockTimestamp), tier: args.tier, price: args.price };
  });
}

async function readMarket(head: bigint) {
  const inFlight = await readInFlight();
  if (inFlight === undefined) return { isThere: false } as const;
  const [settled, changes, tiers] = await Promise.all([readSettled(head), readPrices(head), readTiers()]);
  return { isThere: true, inFlight, settled, changes, tiers } as const;
}

type Market = Extract<Awaited<ReturnType<typeof readMarket>>, { isThere: true }>;

/** Jobs and prices; nothing where the chain has no market. */
export function MarketGlance(): JSX.Element | null {
  const head = useStore(recentBlocks).at(-1);
  const market = useQuery("market", () => readMarket(head?.number ?? 0n), true).value;
  if (market === undefined || !market.isThere || head === undefined) return null;
  return <MarketView market={market} now={Math.floor(head.milliseconds / 1000)} />;
}

function MarketView({ market, now }: { readonly market: Market; readonly now: number }): JSX.Element {
  const { inFlight, settled, changes, tiers } = market;
  const busy = tiers.filter(({ devices }) => devices > 0n);
  const shown = busy.length > 0 ? busy.slice(0, 4) : tiers.slice(0, 2);
  // The tier whose price moves: that of most devices.
  const main = shown.reduce((best, each) => (each.devices > best.devices ? each : best), shown[0] ?? NO_TIER);
  const data = useMemo(() => {
    const minutes = unitsByMinute(settled, now);
    const prices = pricesOf(changes, main.tier, main.price, now);
    return {
      minutes: minutes.map(({ seconds }) => seconds),
      units: minutes.map(({ units }) => Number(units)),
      times: prices.map(({ seconds }) => seconds),
      prices: prices.map(({ price }) => Number(price / NANO)),
    };
  }, [market, now]);
  return (
    <>
      <Stats
        items={[
          { label: "Jobs in flight", value: formatCount(inFlight), note: "open, computed or verified" },
          {
            label: "Compute units",
            value: formatCount(
              settled.reduce((sum, each) => (each.seconds > now - 60 ? sum + each.computeUnits : sum), 0n),
            ),
            note: "settled in the last minute",
          },
          ...shown.map(({ tier, price, devices }) => ({
            label: `Tier ${tier}`,
            value: <Amount wei={price} decimals={9} />,
            note: `a million units, ${formatCount(devices)} devices`,
          })),
        ]}
      />
      <div class="columns">
        <Card title="Compute units per minute">
          <Chart
            label="Compute units settled by minute"
            kind="bars"
            isTime
            color="--chart-2"
            x={data.minutes}
            y={data.units}
            format={(units) => SHORT.format(units)}
          />
        </Card>
        <Card title={`Price of a million units, tier ${main.tier}`}>
          <Chart
            label={`Price of tier ${main.tier} over time`}
            kind="line"
            isTime
            color="--chart-3"
            x={data.times}
            y={data.prices}
            format={(nano) => formatAmount(BigInt(Math.round(nano)) * NANO, 9)}
          />
        </Card>
      </div>
    </>
  );
}

const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const NO_TIER = { tier: 0, price: 0n, devices: 0n };
