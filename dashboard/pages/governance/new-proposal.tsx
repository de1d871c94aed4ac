import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Action, AmountField, NeedsWallet, SelectField, TextField } from "../../components/forms.tsx";
import { Card } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { readAmount } from "../../format/amounts.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { sendCall } from "../../wallet/send.ts";

type Kind = "text" | "parameters" | "spending" | "upgrade";

interface Draft {
  readonly title: string;
  readonly body: string;
  readonly kind: Kind;
  readonly name: string;
  readonly value: string;
  readonly to: string;
}

const EMPTY: Draft = { title: "", body: "", kind: "text", name: "", value: "", to: "" };

interface Call {
  readonly functionName: string;
  readonly args: readonly unknown[];
}

/** The call that makes the proposal, or what is missing. */
function callOf({ title, body, kind, name, value, to }: Draft): Call | string {
  if (title.trim() === "") return "Give it a title.";
  switch (kind) {
    case "text":
      return { functionName: "proposeText", args: [title, body] };
    case "parameters":
      if (name === "") return "Choose a parameter.";
      if (!/^\d+$/.test(value)) return "The value is a whole number, in the parameter’s own unit.";
      return { functionName: "proposeParameters", args: [title, body, [name], [BigInt(value)]] };
    case "spending": {
      const amount = readAmount(value);
      if (!/^0x[0-9a-fA-F]{40}$/.test(to)) return "Say to which address.";
      return amount.ok ? { functionName: "proposeSpending", args: [title, body, to, amount.wei] } : amount.problem;
    }
    case "upgrade":
      if (!/^[a-z0-9-]{1,32}$/.test(name)) return "An upgrade’s name has letters, digits and hyphens, in lower case.";
      if (!/^\d+$/.test(value)) return "Say at which block.";
      return { functionName: "proposeUpgrade", args: [title, body, name, BigInt(value)] };
  }
}

export function NewProposal({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const deposit = useQuery("deposit", () => node.getParameter({ name: "governance.deposit" })).value;
  const call = callOf(draft);
  const send = async () => {
    if (typeof call === "string" || deposit === undefined) return;
    const done = await sendCall({ title: `Proposal “${draft.title}”`, module: "governance", ...call, value: deposit });
    if (done) {
      setDraft(EMPTY);
      onDone();
    }
  };
  return (
    <Card title="Propose something">
      <div class="form">
        <NeedsWallet what="propose" />
        <div class="form-row">
          <SelectField
            label="Kind"
            value={draft.kind}
            onChange={(kind) => change({ kind: kind as Kind, name: "", value: "" })}
            options={[
              ["text", "A text, of which nothing follows by itself"],
              ["parameters", "Change a parameter"],
              ["spending", "Pay from the treasury"],
              ["upgrade", "Schedule an upgrade"],
            ]}
          />
          <TextField label="Title" value={draft.title} onChange={(title) => change({ title })} />
        </div>
        <TextField
          label="Text"
          rows={4}
          value={draft.body}
          onChange={(body) => change({ body })}
          hint="It is kept in the chain’s history; for a long one, put a link."
        />
        <Details draft={draft} change={change} />
        <div class="row">
          <Action run={send} isDisabled={typeof call === "string" || deposit === undefined}>
            Propose
          </Action>
          <span class="soft small">
            {typeof call === "string" && draft.title !== ""
              ? call
              : deposit !== undefined && (
                  <>
                    It costs a deposit of <Amount wei={deposit} />, which comes back unless it is vetoed.
                  </>
                )}
          </span>
        </div>
      </div>
    </Card>
  );
}

interface DetailsProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

function Details({ draft, change }: DetailsProps): JSX.Element | null {
  const names = useQuery("parameter names", async () => {
    const pages = await Promise.all(
      [0n, 50n, 100n].map((start) =>
        node.readModule({ module: "governance", functionName: "parameters", args: [start, 50n] }),
      ),
    );
    return pages.flat().map(({ name, value }) => ({ name, value }));
  }).value;
  if (draft.kind === "parameters") {
    const current = names?.find(({ name }) => name === draft.name)?.value;
    return (
      <div class="form-row">
        <SelectField
          label="Parameter"
          value={draft.name}
          onChange={(name) => change({ name })}
          options={[["", "Choose one"], ...(names ?? []).map(({ name }) => [name, name] as const)]}
        />
        <TextField
          label="New value"
          value={draft.value}
          onChange={(value) => change({ value })}
          hint={current === undefined ? undefined : `It is ${current} now.`}
        />
      </div>
    );
  }
  if (draft.kind === "spending") {
    return (
      <div class="form-row">
        <TextField label="To" value={draft.to} onChange={(to) => change({ to })} placeholder="0x…" />
        <AmountField label="Amount" value={draft.value} onChange={(value) => change({ value })} />
      </div>
    );
  }
  if (draft.kind === "upgrade") {
    return (
      <div class="form-row">
        <TextField label="Upgrade" value={draft.name} onChange={(name) => change({ name })} />
        <TextField label="At block" value={draft.value} onChange={(value) => change({ value })} />
      </div>
    );
  }
  return null;
}
