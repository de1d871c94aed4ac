/** Amounts of oGPU as people read them, and as they type them. */

const DECIMALS = 18;
const UNIT = 10n ** BigInt(DECIMALS);
const MILLION = 1_000_000n;

/** Thousands apart by a thin space, which no locale takes for a decimal sign. */
const THIN_SPACE = "\u2009";

export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE);
}

export function formatCount(count: bigint | number): string {
  const text = String(typeof count === "number" ? Math.round(count) : count);
  return text.startsWith("-") ? `-${groupDigits(text.slice(1))}` : groupDigits(text);
}

/** Rounded towards zero to so many decimals; what is there but rounds to nothing shows as `<0.0001`. */
export function formatAmount(wei: bigint, decimals = 4): string {
  const negative = wei < 0n;
  const size = negative ? -wei : wei;
  const whole = size / UNIT;
  const fraction = (size % UNIT).toString().padStart(DECIMALS, "0").slice(0, decimals).replace(/0+$/, "");
  const sign = negative ? "-" : "";
  if (whole === 0n && fraction === "" && size > 0n) return `${sign}<0.${"0".repeat(decimals - 1)}1`;
  return `${sign}${groupDigits(whole.toString())}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Every digit. */
export function exactAmount(wei: bigint): string {
  const negative = wei < 0n;
  const digits = (negative ? -wei : wei).toString().padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return `${negative ? "-" : ""}${digits.slice(0, -DECIMALS)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Gas prices: in gwei, and those that are tiny in wei. */
export function formatGasPrice(wei: bigint): string {
  const gwei = Number(wei) / 1e9;
  return gwei >= 0.001 ? `${Number(gwei.toPrecision(4))} gwei` : `${formatCount(wei)} wei`;
}

/** Millionths of a whole. */
export function formatShare(millionths: bigint): string {
  return formatRatio(millionths, MILLION);
}

/** As per cent, with a decimal or two where they tell something. */
export function formatRatio(part: bigint, whole: bigint): string {
  if (whole === 0n) return "0%";
  const hundredths = (part * 10_000n) / whole;
  const percent = Number(hundredths) / 100;
  if (percent === 0 && part > 0n) return "<0.01%";
  return `${percent >= 100 || Number.isInteger(percent) ? percent : percent.toFixed(percent < 10 ? 2 : 1)}%`;
}

/** 0 to 1, for bars. */
export function ratio(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * MILLION) / whole) / Number(MILLION);
}

export type ReadAmount = { readonly ok: true; readonly wei: bigint } | { readonly ok: false; readonly problem: string };

/** Plain digits with a point. A comma may be meant as either sign, so it is not guessed. */
export function readAmount(text: string): ReadAmount {
  const trimmed = text.trim().replaceAll(THIN_SPACE, "");
  if (trimmed === "") return { ok: false, problem: "Enter an amount of oGPU." };
  const match = /^(\d{0,30})(?:\.(\d*))?$/.exec(trimmed);
  if (match === null || (match[1] === "" && (match[2] ?? "") === "")) {
    return { ok: false, problem: "Write the amount with digits and a point, such as 12.5." };
  }
  const [, whole = "", fraction = ""] = match;
  if (fraction.length > DECIMALS) return { ok: false, problem: `oGPU has ${DECIMALS} decimals at most.` };
  const wei = BigInt(whole === "" ? "0" : whole) * UNIT + BigInt(fraction.padEnd(DECIMALS, "0"));
  return wei > 0n ? { ok: true, wei } : { ok: false, problem: "Enter more than nothing." };
}
