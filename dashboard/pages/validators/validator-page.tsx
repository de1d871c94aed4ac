import type { JSX } from "preact";
import { AnswerPage, Card, Empty, Facts, PageHead } from "../../components/layout.tsx";
import { Address, Amount, Hash, Time } from "../../components/values.tsx";
import { formatRatio, formatShare } from "../../format/amounts.ts";
import { recentBlocks } from "../../state/live.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { StakeForm } from "./my-stake.tsx";
import { nameOf } from "./name-of.ts";
import { readValidators, type Validator, type ValidatorList } from "./read-validators.ts";
import { signedShare } from "./signed-share.ts";
import { Slashes, ValidatorState } from "./validators-page.tsx";

export function ValidatorPage({ operator }: { readonly operator: string }): JSX.Element {
  const query = useQuery("validators", readValidators, true);
  return (
    <AnswerPage title="Validator" query={query}>
      {(list) => {
        const validator = list.validators.find((one) => one.operator.toLowerCase() === operator.toLowerCase());
        return validator === undefined ? (
          <Unknown operator={operator} />
        ) : (
          <ValidatorView validator={validator} list={list} again={query.again} />
        );
      }}
    </AnswerPage>
  );
}

function Unknown({ operator }: { readonly operator: string }): JSX.Element {
  return (
    <>
      <PageHead title="Validator" />
      <Card title="Not a validator">
        <Empty title="Nobody has registered a validator by this account.">
          <Address of={operator} />
        </Empty>
      </Card>
    </>
  );
}

interface ValidatorViewProps {
  readonly validator: Validator;
  readonly list: ValidatorList;
  readonly again: () => void;
}

function ValidatorView({ validator, list, again }: ValidatorViewProps): JSX.Element {
  const blocks = useStore(recentBlocks);
  const lately = signedShare(validator.index, blocks);
  const { index } = validator;
  const counted = useQuery(
    `counted ${index}`,
    async () => {
      if (index === undefined) return undefined;
      const [active, of] = await Promise.all([
        node.readModule({ module: "staking", functionName: "activeAt", args: [BigInt(index)] }),
        node.readModule({ module: "staking", functionName: "countedBlocks" }),
      ]);
      return { signed: active[4], of };
    },
    true,
  ).value;
  return (
    <>
      <PageHead title={nameOf(validator)}>
        <ValidatorState validator={validator} />
      </PageHead>
      <div class="columns">
        <Card title="About">
          <Facts
            items={[
              ["Operator", <Address key="o" of={validator.operator} />],
              ["Stake", <Amount key="s" wei={validator.stake} />],
              ["Its own", <Amount key="w" wei={validator.selfStake} />],
              ["Voting power", formatRatio(validator.weight, list.totalWeight)],
              ["Commission", `${formatShare(validator.commission)} (${formatShare(validator.maxCommission)} at most)`],
              ["Paid to", <Address key="p" of={validator.payout} />],
              ["Signing key", <Hash key="k" of={validator.publicKey} />],
              validator.jailedUntil > 0n && [
                "Jailed until",
                <Time key="j" time={1000 * Number(validator.jailedUntil)} />,
              ],
            ]}
          />
        </Card>
        <div class="stack">
          <Card title="Performance">
            <Facts
              items={[
                ["This epoch", counted === undefined ? "—" : `signed ${counted.signed} of ${counted.of} blocks`],
                ["Lately", lately === undefined ? "—" : `${Math.round(100 * lately)}% of the last blocks`],
                ["Commission due", <Amount key="c" wei={validator.commissionDue} decimals={8} />],
                ["Held for delegators", <Amount key="r" wei={validator.rewardsHeld} decimals={8} />],
              ]}
            />
            <p class="soft small">Certificates close at two thirds of stake, so even a good validator misses some.</p>
          </Card>
          <Card title="Delegate to it">
            <StakeForm validators={[validator]} onDone={again} />
          </Card>
        </div>
      </div>
      <Card title="Penalties" flush>
        <Slashes operator={validator.operator} />
      </Card>
    </>
  );
}
