/** Amounts in documents: a decimal number, one space and its unit, so that nobody has to count zeros. */
import { formatGwei, formatOgpu, GWEI, parseGwei, parseOgpu } from "../base/units.ts";
import { mapped, type Shape, text } from "./shape.ts";

/** At most 256 bits of whole part; exactly the decimals that the unit has. */
const AMOUNT =
  /^((0|[1-9][0-9]{0,59})(\.[0-9]{1,18})? oGPU|(0|[1-9][0-9]{0,68})(\.[0-9]{1,9})? gwei|(0|[1-9][0-9]{0,76}) wei)$/;

/** Wei. */
export function amount(): Shape<bigint> {
  return mapped(text(AMOUNT, 100, 'an amount such as "1.5 oGPU", "2 gwei" or "7 wei"'), parseAmount);
}

function parseAmount(value: string): bigint {
  const [number = "", unit] = value.split(" ");
  if (unit === "oGPU") return parseOgpu(number);
  return unit === "gwei" ? parseGwei(number) : BigInt(number);
}

/** The text that `amount` reads, in the largest unit that keeps it short. */
export function amountText(wei: bigint): string {
  if (wei === 0n) return "0 oGPU";
  const inOgpu = formatOgpu(wei);
  // Six decimals of oGPU are still easy to read; beyond that a smaller unit says it better.
  if ((inOgpu.split(".")[1] ?? "").length <= 6) return `${inOgpu} oGPU`;
  return wei % GWEI === 0n || wei > GWEI ? `${formatGwei(wei)} gwei` : `${wei} wei`;
}
