/** A provider as anybody may see it: reputation, devices with how busy they were, earnings. */
import type { JSX } from "preact";
import type { Hex } from "viem";
import { Stats } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { formatCount, formatRatio } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { recentBlocks } from "../../state/live.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import type { ActivityEvent } from "./activity.ts";
import { readActivity } from "./read-activity.ts";
import type { ProviderFacts } from "./read-provider.ts";

export interface Activity {
  readonly events: readonly ActivityEvent[];
  readonly now: number;
}

/** `undefined` until the node has answered. */
export function useActivity(account: Hex): Activity | undefined {
  const head = useStore(recentBlocks).at(-1);
  const read = useQuery(
    `activity ${account}`,
    async () => (head === undefined ? undefined : { events: await readActivity(account, head.number) }),
    true,
  ).value;
  if (read === undefined || head === undefined) return undefined;
  return { events: read.events, now: Math.floor(head.milliseconds / 1000) };
}

export function ProviderStats({ facts: { provider, reputation } }: { readonly facts: ProviderFacts }): JSX.Element {
  const settled = reputation.accepted + reputation.rejected + reputation.late;
  return (
    <Stats
      items={[
        { label: "Earned", value: <Amount wei={reputation.earned} />, note: `${formatCount(settled)} jobs settled` },
        {
          label: "Accepted",
          value: settled === 0n ? "—" : formatRatio(reputation.accepted, settled),
          note: `${formatCount(reputation.late)} late, ${formatCount(reputation.rejected)} rejected`,
        },
        {
          label: "Compute units",
          value: formatCount(reputation.computeUnits),
          note:
            reputation.busySeconds === 0n
              ? "no work yet"
              : `in ${formatDuration(1000 * Number(reputation.busySeconds))} of work`,
        },
        {
          label: "Collateral",
          value: <Amount wei={provider.free + provider.reserved} decimals={2} />,
          note: (
            <>
              of it <Amount wei={provider.reserved} decimals={2} /> reserved
            </>
          ),
        },
        { label: "Lost", value: <Amount wei={reputation.lost} />, note: "of collateral, to penalties" },
      ]}
    />
  );
}
