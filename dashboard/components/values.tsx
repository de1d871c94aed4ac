/** Values of the chain: addresses, hashes, amounts and times, always shown the same way. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { exactAmount, formatAmount } from "../format/amounts.ts";
import { shortHex } from "../format/hex.ts";
import { formatAgo, formatTime } from "../format/times.ts";
import { formatRoute, type Route } from "../router/route.ts";
import { now } from "../state/live.ts";
import { useStore } from "../state/use-store.ts";
import { nameOfAddress } from "../words/names.ts";
import { Icon } from "./icons.tsx";

export function Copy({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    // Not there on a page that came over plain HTTP from elsewhere.
    await navigator.clipboard?.writeText(text).catch(() => undefined);
    setCopied(true);
    setTimeout(() => setCopied(false), 1200);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()} aria-label={isCopied ? "Copied" : `Copy ${what}`}>
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
}

interface IdProps {
  readonly of: string;
  readonly isWhole?: boolean;
}

export function Address({ of, isWhole = false }: IdProps): JSX.Element {
  const name = nameOfAddress(of);
  return (
    <span class="id">
      <a
        class={name === undefined ? "mono" : undefined}
        href={formatRoute({ page: "account", address: of })}
        title={of}
      >
        {isWhole ? of : (name ?? shortHex(of))}
      </a>
      <Copy text={of} what="address" />
    </span>
  );
}

export function Hash({ of, isWhole = false, route }: IdProps & { readonly route?: Route }): JSX.Element {
  const text = <span class="mono">{isWhole ? of : shortHex(of, 8, 6)}</span>;
  return (
    <span class="id">
      {route === undefined ? (
        <span title={of}>{text}</span>
      ) : (
        <a href={formatRoute(route)} title={of}>
          {text}
        </a>
      )}
      <Copy text={of} what="hash" />
    </span>
  );
}

export function BlockLink({ number }: { readonly number: bigint | number }): JSX.Element {
  return <a href={formatRoute({ page: "block", id: String(number) })}>{String(number)}</a>;
}

export function Amount({ wei, decimals = 4 }: { readonly wei: bigint; readonly decimals?: number }): JSX.Element {
  return (
    <span class="nowrap" title={`${exactAmount(wei)} oGPU`}>
      {formatAmount(wei, decimals)}
      <span class="unit">oGPU</span>
    </span>
  );
}

/** Milliseconds since 1970. */
export function Ago({ time }: { readonly time: number }): JSX.Element {
  const current = useStore(now);
  return (
    <time class="nowrap" dateTime={new Date(time).toISOString()} title={formatTime(time)}>
      {formatAgo(time, current)}
    </time>
  );
}

export function Time({ time }: { readonly time: number }): JSX.Element {
  return (
    <span>
      {formatTime(time)} <span class="soft">({<Ago time={time} />})</span>
    </span>
  );
}
