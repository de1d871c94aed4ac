import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Action, AmountField, TextField } from "../../components/forms.tsx";
import { Card, Facts } from "../../components/layout.tsx";
import { Ago, Amount } from "../../components/values.tsx";
import { formatAmount, readAmount } from "../../format/amounts.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { sendCall } from "../../wallet/send.ts";
import type { ProviderFacts } from "./read-provider.ts";

function problemOf(text: string): string | undefined {
  const read = readAmount(text);
  return text === "" || read.ok ? undefined : read.problem;
}

export function RegisterForm({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const least = useQuery("minCollateral", () => node.getParameter({ name: "providers.minCollateral" })).value;
  const [name, setName] = useState("");
  const [endpoint, setEndpoint] = useState("");
  const [amount, setAmount] = useState("");
  const read = readAmount(amount);
  const register = async () => {
    if (!read.ok) return;
    const call = { module: "providers", functionName: "register", args: [name, endpoint], value: read.wei };
    if (await sendCall({ title: `Registration of ${name}`, ...call })) onDone();
  };
  return (
    <Card title="Become a provider">
      <div class="form">
        <div class="form-row">
          <TextField label="Name" value={name} onChange={setName} hint="1 to 64 bytes, for people" />
          <TextField
            label="Where your agent is reached"
            value={endpoint}
            onChange={setEndpoint}
            placeholder="https://…"
            hint="May be empty"
          />
          <AmountField
            label="Collateral"
            value={amount}
            onChange={setAmount}
            problem={problemOf(amount)}
            hint={least === undefined ? undefined : `At least ${formatAmount(least)} oGPU`}
          />
        </div>
        <div class="row">
          <Action run={register} isDisabled={!read.ok || name.trim() === ""}>
            Register
          </Action>
        </div>
      </div>
    </Card>
  );
}

interface CollateralProps {
  readonly facts: ProviderFacts;
  readonly again: () => void;
}

export function Collateral({ facts: { provider, withdrawals }, again }: CollateralProps): JSX.Element {
  const [amount, setAmount] = useState("");
  const read = readAmount(amount);
  const send = async (title: string, functionName: "topUp" | "requestWithdrawal" | "withdraw") => {
    const wei = read.ok ? read.wei : 0n;
    const call = functionName === "topUp" ? { value: wei } : functionName === "withdraw" ? {} : { args: [wei] };
    if (await sendCall({ title, module: "providers", functionName, ...call })) {
      setAmount("");
      again();
    }
  };
  return (
    <Card title="Collateral">
      <Facts
        items={[
          ["Free", <Amount key="f" wei={provider.free} />],
          ["Reserved for jobs", <Amount key="r" wei={provider.reserved} />],
          ["Leaving", <Amount key="l" wei={provider.leaving} />],
          ...withdrawals.map(
            ({ amount: part, due }) =>
              [
                "Due",
                <span key={`${due}`}>
                  <Amount wei={part} /> <Ago time={1000 * Number(due)} />
                </span>,
              ] as const,
          ),
        ]}
      />
      <AmountField label="Amount" value={amount} onChange={setAmount} problem={problemOf(amount)} />
      <div class="row">
        <Action run={() => send("More collateral", "topUp")} isDisabled={!read.ok}>
          Add
        </Action>
        <Action tone="plain" run={() => send("Withdrawal of collateral", "requestWithdrawal")} isDisabled={!read.ok}>
          Begin to withdraw
        </Action>
        <Action
          tone="plain"
          run={() => send("Payment of collateral", "withdraw")}
          isDisabled={withdrawals.length === 0}
        >
          Withdraw what is due
        </Action>
      </div>
    </Card>
  );
}
