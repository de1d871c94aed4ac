import type { JSX } from "preact";
import { Bar } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { formatRatio, ratio } from "../../format/amounts.ts";
import type { Tally } from "./read-governance.ts";

/** Of all stake that could vote. */
export function TallyBar({ tally: { yes, no, abstain, veto, total } }: { readonly tally: Tally }): JSX.Element {
  const voted = yes + no + abstain + veto;
  const words = `${formatRatio(yes, total)} yes, ${formatRatio(no + veto, total)} against`;
  return (
    <div class="tally">
      <Bar
        label={`${words}, ${formatRatio(voted, total)} of stake voted`}
        parts={[
          { share: ratio(yes, total), tone: "good" },
          { share: ratio(abstain, total), tone: "soft" },
          { share: ratio(no, total), tone: "warn" },
          { share: ratio(veto, total), tone: "bad" },
        ]}
      />
      <span class="soft small nowrap">{words}</span>
    </div>
  );
}

export function TallyDetail({ tally }: { readonly tally: Tally }): JSX.Element {
  const { yes, no, abstain, veto, total } = tally;
  const rows = [
    ["Yes", "good", yes],
    ["No", "warn", no],
    ["Abstain", "soft", abstain],
    ["Veto", "bad", veto],
  ] as const;
  return (
    <>
      <TallyBar tally={tally} />
      <dl class="facts">
        {rows.map(([name, tone, amount]) => (
          <div key={name}>
            <dt>
              <span class={`legend ${tone}`}>{name}</span>
            </dt>
            <dd>
              <Amount wei={amount} decimals={2} /> <span class="soft">({formatRatio(amount, total)})</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
