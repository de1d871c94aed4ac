/** Ways in which what somebody sends can be wrong. */
import { bytesToHex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { Address } from "../../../vm/state/account.ts";
import { messageOf, type Operation } from "./operation.ts";
import type { Random } from "./random.ts";

/** Something that is wrong with it; by chance it may still be right. */
export function spoil(
  operation: Operation,
  random: Random,
  people: readonly Address[],
  affordable: (value: bigint) => bigint,
): Operation {
  if (operation.module === "transfer" || operation.module === "market") return operation;
  switch (random.below(6)) {
    case 0:
      // Whoever registers is a validator; the checks know all who may.
      if (operation.functionName === "register" && operation.module === "staking") return operation;
      return { ...operation, actor: random.pick(people), via: undefined };
    case 1:
      return { ...operation, garbage: bytesToHex(keccak256(utf8(String(random.next()))).subarray(random.below(32))) };
    case 2:
      return { ...operation, value: operation.value === 0n ? affordable(5n) : 0n };
    case 3:
      return { ...operation, value: operation.value === 0n ? 0n : 1n, args: operation.args.map(tooMuch) };
    default:
      return { ...operation, args: operation.args.map((arg) => (random.once(2) ? arg : strange(arg))) };
  }
}

/** A number that is too large for its type cannot even be sent. */
export function isEncodable(operation: Operation): boolean {
  try {
    messageOf(operation);
    return true;
  } catch {
    return false;
  }
}

function tooMuch(arg: unknown): unknown {
  return typeof arg === "bigint" ? arg * 1_000_000n + (1n << 100n) : arg;
}

function strange(arg: unknown): unknown {
  if (typeof arg === "bigint") return 0n;
  if (typeof arg === "number") return 200;
  if (typeof arg === "string" && arg.length === 42) return "0x00000000000000000000000000000000deadbeef";
  if (typeof arg === "string" && arg.startsWith("0x")) return arg.length > 66 ? `${arg.slice(0, -2)}00` : arg;
  if (typeof arg === "string") return "x".repeat(5_000);
  return Array.isArray(arg) ? arg.slice(1) : arg;
}
