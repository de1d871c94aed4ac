/** Fields and buttons of forms. */
import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useStore } from "../state/use-store.ts";
import { wallet } from "../wallet/wallet.ts";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly children: (attributes: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": boolean;
  }) => ComponentChildren;
}

export function Field({ label, hint, problem, children }: FieldProps): JSX.Element {
  const id = useId();
  const about = `${id}-about`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": about, "aria-invalid": problem !== undefined })}
      <div id={about}>
        {problem !== undefined && (
          <div class="problem" role="alert">
            {problem}
          </div>
        )}
        {hint !== undefined && <div class="hint">{hint}</div>}
      </div>
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly placeholder?: string;
  readonly rows?: number;
}

export function TextField({ label, value, onChange, hint, problem, placeholder, rows }: TextFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) =>
        rows === undefined ? (
          <input
            {...attributes}
            class="input"
            value={value}
            placeholder={placeholder}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...attributes}
            class="input"
            rows={rows}
            value={value}
            placeholder={placeholder}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

export function AmountField(props: TextFieldProps): JSX.Element {
  const { label, value, onChange, hint, problem, placeholder = "0.0" } = props;
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(attributes) => (
        <div class="with-unit">
          <input
            {...attributes}
            class="input"
            inputMode="decimal"
            autocomplete="off"
            placeholder={placeholder}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          oGPU
        </div>
      )}
    </Field>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly hint?: ComponentChildren;
}

export function SelectField({ label, value, onChange, options, hint }: SelectFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ActionProps {
  readonly children: ComponentChildren;
  readonly run: () => Promise<unknown>;
  readonly tone?: "primary" | "danger" | "plain";
  readonly isSmall?: boolean;
  readonly isDisabled?: boolean;
}

/** Sends something: one at a time, and only with a wallet. */
export function Action({
  children,
  run,
  tone = "primary",
  isSmall = false,
  isDisabled = false,
}: ActionProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const isConnected = useStore(wallet) !== undefined;
  const classes = ["button", tone === "plain" ? "" : tone, isSmall ? "small" : ""].filter((name) => name !== "");
  return (
    <button
      type="button"
      class={classes.join(" ")}
      disabled={isBusy || isDisabled || !isConnected}
      title={isConnected ? undefined : "Connect a wallet first"}
      onClick={() => {
        setBusy(true);
        void run().finally(() => setBusy(false));
      }}
    >
      {children}
    </button>
  );
}

/** In place of a form, while nobody could send it. */
export function NeedsWallet({ what }: { readonly what: string }): JSX.Element | null {
  if (useStore(wallet) !== undefined) return null;
  return <p class="soft">Connect a wallet at the top of the page to {what}.</p>;
}
