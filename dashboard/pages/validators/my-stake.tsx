import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Hex } from "viem";
import { Action, AmountField, NeedsWallet, SelectField } from "../../components/forms.tsx";
import { Answer, Table } from "../../components/layout.tsx";
import { Ago, Amount } from "../../components/values.tsx";
import { formatAmount, readAmount } from "../../format/amounts.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { sendCall } from "../../wallet/send.ts";
import { wallet } from "../../wallet/wallet.ts";
import { type Position, readPositions, type Validator } from "./read-validators.ts";

interface MyStakeProps {
  readonly validators: readonly Validator[];
}

function labelOf({ metadata, index, operator }: Validator): string {
  const name =
    metadata === "" ? (index === undefined ? operator.slice(0, 10) : `Validator ${index}`) : metadata.slice(0, 30);
  return `${name} (${operator.slice(0, 8)}…)`;
}

export function MyStake({ validators }: MyStakeProps): JSX.Element {
  const account = useStore(wallet)?.address;
  const positions = useQuery(
    `positions ${account}`,
    async () => (account === undefined ? [] : await readPositions(account)),
    true,
  );
  return (
    <div class="form">
      <NeedsWallet what="delegate, unbond and claim" />
      {account !== undefined && (
        <Answer query={positions}>
          {(list) => <Positions positions={list} validators={validators} onDone={positions.again} />}
        </Answer>
      )}
      <StakeForm validators={validators} onDone={positions.again} />
    </div>
  );
}

export function StakeForm({ validators, onDone }: MyStakeProps & { readonly onDone: () => void }): JSX.Element {
  const open = validators.filter(({ isTombstoned }) => !isTombstoned);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [amount, setAmount] = useState("");
  const operator = (chosen ?? open[0]?.operator) as Hex | undefined;
  const read = readAmount(amount);
  const problem = amount === "" || read.ok ? undefined : read.problem;
  const isReady = read.ok && operator !== undefined;
  const send = async (functionName: "delegate" | "unbond") => {
    if (!read.ok || operator === undefined) return;
    const title = `${functionName === "delegate" ? "Delegation" : "Unbonding"} of ${formatAmount(read.wei)} oGPU`;
    const call = functionName === "delegate" ? { args: [operator], value: read.wei } : { args: [operator, read.wei] };
    if (await sendCall({ title, module: "staking", functionName, ...call })) {
      setAmount("");
      onDone();
    }
  };
  return (
    <>
      <div class="form-row">
        {open.length > 1 && (
          <SelectField
            label="Validator"
            value={operator ?? ""}
            onChange={setChosen}
            options={open.map((validator) => [validator.operator, labelOf(validator)])}
          />
        )}
        <AmountField label="Amount" value={amount} onChange={setAmount} problem={problem} />
      </div>
      <div class="row">
        <Action run={() => send("delegate")} isDisabled={!isReady}>
          Delegate
        </Action>
        <Action run={() => send("unbond")} isDisabled={!isReady} tone="plain">
          Unbond
        </Action>
        <span class="soft small">Unbonded stake waits, and stays liable, before it can be withdrawn.</span>
      </div>
    </>
  );
}

interface PositionsProps extends MyStakeProps {
  readonly positions: readonly Position[];
  readonly onDone: () => void;
}

function Positions({ positions, validators, onDone }: PositionsProps): JSX.Element {
  const send = async (title: string, functionName: string, operator: Hex) => {
    if (await sendCall({ title, module: "staking", functionName, args: [operator] })) onDone();
  };
  return (
    <Table
      label="Your delegations"
      rows={positions}
      rowKey={({ operator }) => operator}
      empty="You have not delegated anything yet."
      columns={[
        {
          name: "Validator",
          cell: ({ operator }) => labelOf(validators.find((one) => one.operator === operator) ?? fallback(operator)),
        },
        { name: "Delegated", isNumber: true, cell: ({ amount }) => <Amount wei={amount} /> },
        { name: "Rewards", isNumber: true, cell: ({ rewards }) => <Amount wei={rewards} decimals={8} /> },
        {
          name: "Unbonding",
          isNumber: true,
          cell: ({ unbonding }) =>
            unbonding.length === 0 ? (
              <span class="soft">none</span>
            ) : (
              unbonding.map(({ amount, dueAt }) => (
                <div key={`${dueAt}`}>
                  <Amount wei={amount} />{" "}
                  <span class="soft">
                    due <Ago time={1000 * Number(dueAt)} />
                  </span>
                </div>
              ))
            ),
        },
        {
          name: "",
          cell: ({ operator, rewards, unbonding }) => (
            <span class="row">
              <Action
                isSmall
                tone="plain"
                isDisabled={rewards === 0n}
                run={() => send("Claim of rewards", "claimRewards", operator)}
              >
                Claim
              </Action>
              <Action
                isSmall
                tone="plain"
                isDisabled={unbonding.length === 0}
                run={() => send("Withdrawal of stake", "withdraw", operator)}
              >
                Withdraw
              </Action>
            </span>
          ),
        },
      ]}
    />
  );
}

/** A validator beyond those that the page has fetched. */
function fallback(operator: Hex): Validator {
  return { operator, metadata: "", index: undefined } as Validator;
}
