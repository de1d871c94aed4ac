/** Line charts as SVG, of plain numbers: the same input gives the same text. */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
  /** Dots instead of a line: what was measured. */
  readonly isMeasured?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** The upper end of x; it begins at 0. */
  readonly xMost: number;
  /** Ends of y; of a logarithmic axis as powers of ten. */
  readonly yLeast: number;
  readonly yMost: number;
  readonly isLogarithmic?: boolean;
  readonly series: readonly Series[];
}

const [WIDTH, HEIGHT] = [720, 420];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 190, 40, 50];
const COLOURS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#555555"];

export function drawChart(chart: Chart): string {
  const { xMost, yLeast, yMost, isLogarithmic = false } = chart;
  const xAt = (x: number): number => LEFT + (x / xMost) * (WIDTH - LEFT - RIGHT);
  const yAt = (y: number): number => {
    const value = isLogarithmic ? Math.log10(Math.max(y, 10 ** yLeast)) : y;
    return HEIGHT - BOTTOM - ((value - yLeast) / (yMost - yLeast)) * (HEIGHT - TOP - BOTTOM);
  };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${chart.title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="22" font-size="15">${chart.title}</text>`,
    ...xAxis(chart, xAt),
    ...yAxis(chart, yAt),
    ...chart.series.flatMap((series, index) => draw(series, index, xAt, yAt)),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function xAxis({ xMost, x }: Chart, xAt: (x: number) => number): readonly string[] {
  const ticks = Array.from({ length: 9 }, (_, index) => (index * xMost) / 8);
  return [
    ...ticks.flatMap((tick) => [
      `<line x1="${fixed(xAt(tick))}" y1="${TOP}" x2="${fixed(xAt(tick))}" y2="${HEIGHT - BOTTOM}" stroke="#e5e5e5"/>`,
      `<text x="${fixed(xAt(tick))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${shortly(tick)}</text>`,
    ]),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${x}</text>`,
  ];
}

function yAxis({ yLeast, yMost, y, isLogarithmic }: Chart, yAt: (y: number) => number): readonly string[] {
  const step = (yMost - yLeast) / 8;
  const ticks = Array.from({ length: 9 }, (_, index) => yLeast + index * step);
  return [
    ...ticks.flatMap((tick) => {
      const at = fixed(yAt(isLogarithmic === true ? 10 ** tick : tick));
      const label = isLogarithmic === true ? `1e${shortly(tick)}` : shortly(tick);
      return [
        `<line x1="${LEFT}" y1="${at}" x2="${WIDTH - RIGHT}" y2="${at}" stroke="#e5e5e5"/>`,
        `<text x="${LEFT - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">${label}</text>`,
      ];
    }),
    `<text x="16" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 ${HEIGHT / 2})">${y}</text>`,
  ];
}

function draw(
  { name, points, isMeasured = false }: Series,
  index: number,
  xAt: (x: number) => number,
  yAt: (y: number) => number,
): readonly string[] {
  const colour = COLOURS[index % COLOURS.length] as string;
  const legend = TOP + 16 + index * 20;
  const at = points.map(([x, y]) => [fixed(xAt(x)), fixed(yAt(y))] as const);
  const [x, text] = [WIDTH - RIGHT + 14, `<text x="${WIDTH - RIGHT + 38}" y="${legend + 4}">${name}</text>`];
  if (isMeasured) {
    const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="none" stroke="${colour}"/>`);
    return [...dots, `<circle cx="${x + 9}" cy="${legend}" r="3.5" fill="none" stroke="${colour}"/>`, text];
  }
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="1.8" points="${at.map((point) => point.join(",")).join(" ")}"/>`,
    `<line x1="${x}" y1="${legend}" x2="${x + 18}" y2="${legend}" stroke="${colour}" stroke-width="1.8"/>`,
    text,
  ];
}

/** So that another machine's last bits do not show. */
function fixed(value: number): string {
  return value.toFixed(1);
}

function shortly(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
