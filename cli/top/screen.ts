/** Draws a snapshot as lines of text for a terminal of a given size. Pure. */
import { formatOgpu } from "../../base/units.ts";
import { padVisible, type Style, visibleLength } from "../style.ts";
import type { ShownBlock, ShownValidator, Snapshot } from "./snapshot.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const SPARKS = "▁▂▃▄▅▆▇█";
const LABEL = 10;
const BAR = 20;
/** Seconds without a block after which the age is shown as odd: three heartbeats of the specs. */
const OLD = 30;

/** Exactly `rows` lines, none wider than `columns`. */
export function screenLines(snapshot: Snapshot, size: ScreenSize, now: number, style: Style): readonly string[] {
  const head = [...headLines(snapshot, now, style), ""];
  const footer = style.dim("q quits");
  const room = Math.max(0, size.rows - head.length - 1);
  const validatorRows = Math.min(snapshot.validators.length, Math.max(0, Math.floor(room / 2) - 2));
  const validators = validatorLines(snapshot, validatorRows, style);
  const blocks = blockLines(snapshot.blocks, Math.max(0, room - validators.length - 1), now, style);
  const lines = [...head, ...validators, ...blocks].slice(0, size.rows - 1);
  while (lines.length < size.rows - 1) lines.push("");
  return [...lines, footer].map((line) => cut(line, size.columns));
}

function headLines(snapshot: Snapshot, now: number, style: Style): string[] {
  const { network, role, height, epoch, view, peers, waiting, baseFee, supply, finality } = snapshot;
  const age = Math.max(0, (now - snapshot.headMilliseconds) / 1000);
  const ageText = `${age.toFixed(age < 10 ? 1 : 0)} s ago`;
  const share = Number((supply.total * 10_000n) / (supply.cap === 0n ? 1n : supply.cap)) / 10_000;
  const transactions = snapshot.blocks.map(({ transactions: count }) => count).reverse();
  const fact = (name: string, text: string): string => `${style.dim(padVisible(name, LABEL))}${text}`;
  return [
    `${style.bold(`${network} · block ${height}`)}  ${age > OLD ? style.warn(ageText) : style.good(ageText)}`,
    fact("node", `${role}, epoch ${epoch}, view ${view}, ${peers} peers${processText(snapshot)}`),
    fact(
      "finality",
      finality === undefined ? "not measured here" : `p50 ${seconds(finality.p50)}, p95 ${seconds(finality.p95)}`,
    ),
    fact("waiting", `${waiting} transactions, base fee ${(Number(baseFee) / 1e9).toFixed(3)} gwei`),
    fact("supply", `${bar(share)} ${whole(supply.total)} of ${whole(supply.cap)} oGPU, ${whole(supply.staked)} staked`),
    fact("blocks", `${sparkline(transactions)}  transactions in the last ${transactions.length} blocks`),
  ];
}

function processText({ memoryBytes, loopUse }: Snapshot): string {
  const memory = memoryBytes === undefined ? "" : `, ${Math.round(memoryBytes / 2 ** 20)} MB`;
  return `${memory}${loopUse === undefined ? "" : `, ${Math.round(loopUse * 100)}% of a core`}`;
}

function validatorLines({ validators, counted }: Snapshot, rows: number, style: Style): readonly string[] {
  if (rows === 0) return [];
  const total = validators.reduce((sum, { weight }) => sum + weight, 0n);
  const row = ({ operator, weight, signed }: ValidatorRow): string => {
    const share = total === 0n ? 0 : Number((weight * 1000n) / total) / 10;
    const part = counted === 0 ? 1 : signed / counted;
    const paint = part >= 0.9 ? style.good : part >= 0.5 ? style.warn : style.bad;
    return `  ${operator}  ${`${share.toFixed(1)}%`.padStart(6)}  ${paint(counted === 0 ? "-" : `${Math.round(part * 100)}% signed`)}`;
  };
  const left = validators.length - rows;
  const more = left > 0 ? style.dim(`, ${left} more`) : "";
  return [
    `${style.bold("validators")}${style.dim(` of this epoch, by weight${more}`)}`,
    ...validators.slice(0, rows).map(row),
    "",
  ];
}

type ValidatorRow = ShownValidator;

function blockLines(blocks: readonly ShownBlock[], rows: number, now: number, style: Style): readonly string[] {
  if (rows < 2) return [];
  const row = ({ number, hash, milliseconds, transactions, fullness, proposer }: ShownBlock): string => {
    const age = `${Math.max(0, Math.round((now - milliseconds) / 1000))} s`;
    const counts = `${String(transactions).padStart(5)} tx  ${`${(fullness * 100).toFixed(1)}%`.padStart(6)} full`;
    return `  ${String(number).padStart(9)}  ${hash.slice(0, 12)}…  ${age.padStart(7)}  ${counts}  ${style.dim(proposer.slice(0, 12))}`;
  };
  return [style.bold("blocks"), ...blocks.slice(0, rows - 1).map(row)];
}

/** One character for each value, scaled to the largest. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  return values.map((value) => SPARKS[Math.round((value / most) * (SPARKS.length - 1))] ?? "").join("");
}

function bar(share: number): string {
  const filled = Math.round(share * BAR);
  return `[${"#".repeat(filled)}${"-".repeat(BAR - filled)}]`;
}

function seconds(value: number): string {
  return Number.isFinite(value) ? `under ${value < 1 ? `${Math.round(value * 1000)} ms` : `${value} s`}` : "longer";
}

/** Whole oGPU, in groups of three digits. */
function whole(wei: bigint): string {
  return (formatOgpu(wei).split(".")[0] ?? "").replace(/\B(?=(\d{3})+$)/g, ",");
}

/** By visible characters; colours are closed where something was cut off. */
function cut(line: string, width: number): string {
  if (visibleLength(line) <= width) return line;
  let seen = 0;
  let out = "";
  for (let i = 0; i < line.length && seen < width; i++) {
    if (line[i] === "\u001b") {
      const end = line.indexOf("m", i);
      out += line.slice(i, end + 1);
      i = end;
      continue;
    }
    out += line[i];
    seen++;
  }
  return line.includes("\u001b") ? `${out}\u001b[0m` : out;
}
