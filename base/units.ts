/** Amounts of oGPU. The smallest unit is the wei, 10^-18 oGPU; amounts in code are always in wei. */
import type { BaseErrorCode } from "./error-codes.ts";
import { CodedError } from "./errors.ts";

const OGPU_DECIMALS = 18;
const GWEI_DECIMALS = 9;

export const OGPU: bigint = 10n ** 18n;
export const GWEI: bigint = 10n ** 9n;

/** Far more than any amount has: bounds the work that a hostile text can ask for. */
const MAX_DIGITS = 100;

const AMOUNT_TEXT = /^([0-9]+)(?:\.([0-9]+))?$/;

function parseUnits(text: string, decimals: number, unit: string): bigint {
  const match = text.length <= MAX_DIGITS ? AMOUNT_TEXT.exec(text) : null;
  if (match === null) {
    throw new CodedError<BaseErrorCode>("BAD_AMOUNT", `an amount of ${unit} is written like 1 or 0.25`, {
      text: text.slice(0, MAX_DIGITS),
    });
  }
  const [, whole = "", fraction = ""] = match;
  if (fraction.length > decimals) {
    throw new CodedError<BaseErrorCode>("BAD_AMOUNT", `an amount of ${unit} has at most ${decimals} decimals`, {
      text,
    });
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

function formatUnits(amount: bigint, decimals: number): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const text = digits.slice(0, -decimals) + (fraction === "" ? "" : `.${fraction}`);
  return negative ? `-${text}` : text;
}

/** "1.5" to wei. Plain digits only, no sign, at most 18 decimals. Throws BAD_AMOUNT. */
export function parseOgpu(text: string): bigint {
  return parseUnits(text, OGPU_DECIMALS, "oGPU");
}

/** Wei to the shortest exact text: "1.5", "0", "-0.000000000000000001" (differences may be negative). */
export function formatOgpu(amount: bigint): string {
  return formatUnits(amount, OGPU_DECIMALS);
}

/** "1.5" (gwei, the unit in which gas prices are quoted) to wei. Throws BAD_AMOUNT. */
export function parseGwei(text: string): bigint {
  return parseUnits(text, GWEI_DECIMALS, "gwei");
}

/** Wei to the shortest exact text in gwei. */
export function formatGwei(amount: bigint): string {
  return formatUnits(amount, GWEI_DECIMALS);
}
