import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartProps } from "./chart-props.ts";

const HEIGHT = 184;
const AXIS_FONT = "11px system-ui, sans-serif";
const MIN_AXIS_WIDTH = 40;
const AXIS_MARGIN = 14;
const CHARACTER_WIDTH = 6.4;

function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A canvas takes no `light-dark()`: the browser resolves it on an element. */
function resolved(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = colorOf(name);
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Of an axis, so that its longest label fits. */
function widthOf(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.max(MIN_AXIS_WIDTH, AXIS_MARGIN + CHARACTER_WIDTH * longest);
}

function optionsOf({ kind, isTime = false, color = "--chart-1", format }: ChartProps, width: number): uPlot.Options {
  const stroke = resolved(color);
  const text = resolved("--text-soft");
  const grid = { stroke: resolved("--line"), width: 1 };
  const bars = uPlot.paths.bars?.({ size: [0.75, 24] });
  const fill = stroke.replace("rgb(", "rgba(").replace(")", ", 0.14)");
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [8, 6, 0, 0],
    scales: { x: { time: isTime }, y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.15 : 1] } },
    axes: [
      {
        stroke: text,
        grid: { show: false },
        ticks: { show: false },
        size: isTime ? 42 : 26,
        font: AXIS_FONT,
        space: 70,
      },
      {
        stroke: text,
        grid,
        ticks: { show: false },
        size: (_plot, labels) => widthOf(labels),
        font: AXIS_FONT,
        space: 36,
        values: (_plot, values) => values.map(format),
      },
    ],
    series: [
      {},
      kind === "bars"
        ? { stroke, fill: stroke, width: 0, points: { show: false }, ...(bars !== undefined && { paths: bars }) }
        : { stroke, fill, width: 1.6, points: { show: false }, spanGaps: true },
    ],
  };
}

export function Plot(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { x, y } = props;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => {
      plot.current?.destroy();
      const data = [latest.current.x, latest.current.y] as unknown as uPlot.AlignedData;
      plot.current = new uPlot(optionsOf(latest.current, element.clientWidth), data, element);
    };
    draw();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    addEventListener("ogpu-theme", draw);
    return () => {
      observer.disconnect();
      removeEventListener("ogpu-theme", draw);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData([x, y] as unknown as uPlot.AlignedData), [x, y]);
  return <div ref={place} />;
}
