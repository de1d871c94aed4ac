import type { JSX } from "preact";
import type { Hex } from "viem";
import { Answer, Badge, Bar, Card, PageHead, Stats, Table } from "../../components/layout.tsx";
import { Address, Ago, Amount, BlockLink } from "../../components/values.tsx";
import { formatCount, formatRatio, formatShare } from "../../format/amounts.ts";
import { formatRoute } from "../../router/route.ts";
import { type Quantity, readQuantities } from "../../state/json.ts";
import { recentBlocks } from "../../state/live.ts";
import { ask } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { CHOICES } from "../../words/templates.ts";
import { MyStake } from "./my-stake.tsx";
import { nameOf } from "./name-of.ts";
import { readValidators, type Validator, type ValidatorList } from "./read-validators.ts";
import { signedShare } from "./signed-share.ts";

export function ValidatorsPage(): JSX.Element {
  const query = useQuery("validators", readValidators, true);
  return (
    <>
      <PageHead
        title="Validators"
        intro="Whoever stakes decides on blocks. Delegate to a validator to share its rewards, and its penalties."
      />
      <Answer query={query}>
        {(list) => (
          <>
            <Totals list={list} />
            <Card title="Your stake">
              <MyStake validators={list.validators} />
            </Card>
            <Card title="Validators" flush>
              <ValidatorTable list={list} />
            </Card>
          </>
        )}
      </Answer>
      <Card title="Penalties" flush>
        <Slashes />
      </Card>
    </>
  );
}

function Totals({ list: { validators } }: { readonly list: ValidatorList }): JSX.Element {
  const active = validators.filter(({ index }) => index !== undefined);
  const staked = validators.reduce((sum, { stake }) => sum + stake, 0n);
  const own = validators.reduce((sum, { selfStake }) => sum + selfStake, 0n);
  const held = validators.reduce((sum, { rewardsHeld, commissionDue }) => sum + rewardsHeld + commissionDue, 0n);
  return (
    <Stats
      items={[
        {
          label: "In this epoch",
          value: formatCount(active.length),
          note: `of ${formatCount(validators.length)} registered`,
        },
        {
          label: "Staked",
          value: <Amount wei={staked} decimals={2} />,
          note: `${formatRatio(staked - own, staked)} delegated by others`,
        },
        { label: "Rewards to claim", value: <Amount wei={held} />, note: "paid at the end of an epoch" },
        {
          label: "Jailed",
          value: formatCount(validators.filter(({ jailedUntil }) => jailedUntil > 0n).length),
          note: "were absent too long",
        },
      ]}
    />
  );
}

export function ValidatorState({ validator }: { readonly validator: Validator }): JSX.Element {
  if (validator.isTombstoned) return <Badge tone="bad">Out for good</Badge>;
  if (validator.jailedUntil > 0n) return <Badge tone="bad">Jailed</Badge>;
  if (validator.index !== undefined) return <Badge tone="good">Active</Badge>;
  return validator.isCandidate ? <Badge tone="accent">Next epoch</Badge> : <Badge>Inactive</Badge>;
}

function ValidatorTable({ list }: { readonly list: ValidatorList }): JSX.Element {
  const blocks = useStore(recentBlocks);
  return (
    <Table
      label="Validators"
      rows={list.validators}
      rowKey={({ operator }) => operator}
      empty="Nobody has registered."
      columns={[
        {
          name: "Validator",
          cell: (validator) => (
            <a href={formatRoute({ page: "validator", operator: validator.operator })}>{nameOf(validator)}</a>
          ),
        },
        { name: "State", cell: (validator) => <ValidatorState validator={validator} /> },
        { name: "Stake", isNumber: true, cell: ({ stake }) => <Amount wei={stake} decimals={2} /> },
        { name: "Vote", isNumber: true, cell: ({ weight }) => formatRatio(weight, list.totalWeight) },
        { name: "Commission", isNumber: true, cell: ({ commission }) => formatShare(commission) },
        { name: "Signed lately", isNumber: true, cell: ({ index }) => <Signed share={signedShare(index, blocks)} /> },
      ]}
    />
  );
}

function Signed({ share }: { readonly share: number | undefined }): JSX.Element {
  if (share === undefined) return <span class="soft">—</span>;
  const percent = `${Math.round(100 * share)}%`;
  return (
    <span class="row nowrap signed">
      <Bar label={`${percent} of the last blocks`} parts={[{ share, tone: share > 0.5 ? "good" : "warn" }]} />
      {percent}
    </span>
  );
}

interface SlashJson {
  readonly operator: Hex;
  readonly offence: number;
  readonly epoch: Quantity;
  readonly blockNumber: Quantity;
  readonly time: Quantity;
  readonly amount: Quantity;
  readonly reporter: Hex;
}

const NOBODY = /^0x0+$/;

export function Slashes({ operator }: { readonly operator?: string }): JSX.Element {
  const query = useQuery(
    "slashes",
    async () => {
      const { slashes } = await ask<{ slashes: readonly SlashJson[] }>("ogpu_getSlashes", 0, 100);
      return slashes.map((slash) => readQuantities(slash, ["epoch", "blockNumber", "time", "amount"])).reverse();
    },
    true,
  );
  return (
    <Answer query={query}>
      {(slashes) => (
        <Table
          label="Penalties"
          rows={slashes.filter(
            (slash) => operator === undefined || slash.operator.toLowerCase() === operator.toLowerCase(),
          )}
          rowKey={(slash) => `${slash.operator} ${slash.blockNumber}`}
          empty={operator === undefined ? "No validator has ever been punished." : "It has never been punished."}
          columns={[
            { name: "Validator", cell: (slash) => <Address of={slash.operator} /> },
            { name: "For", cell: ({ offence }) => CHOICES["slashing.offence"]?.[offence] ?? String(offence) },
            { name: "Lost", isNumber: true, cell: ({ amount }) => <Amount wei={amount} /> },
            { name: "Block", isNumber: true, cell: ({ blockNumber }) => <BlockLink number={blockNumber} /> },
            { name: "When", cell: ({ time }) => <Ago time={1000 * Number(time)} /> },
            {
              name: "Reported by",
              cell: ({ reporter }) =>
                NOBODY.test(reporter) ? <span class="soft">the chain</span> : <Address of={reporter} />,
            },
          ]}
        />
      )}
    </Answer>
  );
}
