import type { JSX } from "preact";
import type { ChartProps } from "./chart-props.ts";
import { lazy } from "./lazy.tsx";

const Plot = lazy(async () => (await import("./plot.tsx")).Plot);

/** The library that draws comes after the page stands. */
export function Chart(props: ChartProps): JSX.Element {
  const last = props.y.findLast((value) => value !== null);
  return (
    <figure class="chart" role="img" aria-label={`${props.label}${last == null ? "" : `, last ${props.format(last)}`}`}>
      {props.x.length < 2 ? <div class="empty">Waiting for more blocks.</div> : <Plot {...props} />}
    </figure>
  );
}
