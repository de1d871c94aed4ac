import type { JSX } from "preact";
import { Facts } from "../../../components/layout.tsx";
import { Amount } from "../../../components/values.tsx";
import { formatCount, formatShare } from "../../../format/amounts.ts";
import { formatDuration } from "../../../format/times.ts";
import type { Quote } from "./quote.ts";

export function QuoteFacts({ quote, tier }: { readonly quote: Quote; readonly tier: number }): JSX.Element {
  const { expectedSeconds, devices, odds } = quote;
  const time = expectedSeconds === undefined ? "Nobody has done such work yet" : formatDuration(1000 * expectedSeconds);
  return (
    <Facts
      items={[
        ["Price", <Amount key="p" wei={quote.price} decimals={9} />],
        ["Verification", <Amount key="v" wei={quote.verification} decimals={9} />],
        ["In all", <Amount key="t" wei={quote.total} decimals={9} />],
        [
          "Set aside",
          <span key="l">
            <Amount wei={quote.lock} decimals={9} />, which comes back
          </span>,
        ],
        ["Expected time", `${time}; ${formatCount(devices)} devices of tier ${tier}`],
        [
          "A cheat",
          odds
            .map(
              ({ falsified, caught }) =>
                `who falsifies ${formatShare(falsified)} is caught with ${formatShare(caught)}`,
            )
            .join(" · "),
        ],
      ]}
    />
  );
}
