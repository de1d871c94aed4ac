import type { JSX } from "preact";
import { Field } from "../../components/forms.tsx";
import { caughtChance } from "./job-words.ts";

interface AssuranceFieldProps {
  readonly seats: number;
  readonly onChange: (seats: number) => void;
}

/** Shares of the work that somebody may try to fake. */
const FAKED = [0.5, 0.2, 0.05];
const MOST = 32;

export function AssuranceField({ seats, onChange }: AssuranceFieldProps): JSX.Element {
  const words = FAKED.map(
    (share) => `${Math.round(100 * share)}%: ${(100 * caughtChance(share, seats)).toFixed(share < 0.1 ? 0 : 1)}%`,
  );
  return (
    <Field
      label={`Assurance: ${seats} ${seats === 1 ? "verifier checks" : "verifiers check"}`}
      hint={`Chance to catch whoever fakes so much of the work: ${words.join(" · ")}. All checked parts must agree; a fifth of the stake is taken to lie.`}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="range"
          min={1}
          max={MOST}
          value={seats}
          onInput={(event) => onChange(Number(event.currentTarget.value))}
        />
      )}
    </Field>
  );
}
