import type { JSX } from "preact";
import type { Hex } from "viem";
import { Answer, Facts } from "../../components/layout.tsx";
import { Address } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { formatBytes } from "../../format/hex.ts";
import { useQuery } from "../../state/use-query.ts";
import { readSummary } from "./read-market.ts";

/** What the chain knows of a program without running it. */
export function ProgramFacts({ program }: { readonly program: Hex }): JSX.Element {
  const query = useQuery(`program ${program}`, () => readSummary(program));
  return (
    <Answer query={query}>
      {({ publisher, launches, fuel, refereeable, inputs, outputs }) => (
        <Facts
          items={[
            ["Published by", <Address key="p" of={publisher} />],
            ["Work", `${formatCount(launches)} launches, ${formatCount(fuel)} compute units`],
            ["Inputs", inputs.length === 0 ? "none" : inputs.map(formatBytes).join(", ")],
            ["Outputs", outputs.map(formatBytes).join(", ")],
            [
              "Referee",
              refereeable
                ? "the chain itself can recompute any part of it"
                : "too large for the chain to recompute: votes decide",
            ],
          ]}
        />
      )}
    </Answer>
  );
}
