/** The opcodes of each fork, by their codes, in the form that the loop reads. */
import { FORKS, type Fork } from "../../execution/rules.ts";
import { ARITHMETIC } from "./arithmetic.ts";
import { CALLS } from "./calls.ts";
import { CONTROL } from "./control.ts";
import { CREATES } from "./creates.ts";
import { ENVIRONMENT } from "./environment.ts";
import { type Frame, fail } from "./frame.ts";
import { LOGIC, OSAKA_LOGIC } from "./logic.ts";
import { LOGS } from "./logs.ts";
import { MEMORY } from "./memory.ts";
import type { Opcode, OpcodeHandler } from "./opcode.ts";
import { STACK } from "./stack.ts";
import { STORAGE } from "./storage.ts";

const MAX_STACK = 1024;

export interface OpcodeTable {
  readonly gas: Uint16Array;
  /** How many words there must be, and how many there may be, before the opcode. */
  readonly least: Uint16Array;
  readonly most: Uint16Array;
  readonly handlers: readonly OpcodeHandler[];
}

const SINCE_CANCUN: readonly Opcode[] = [
  ...ARITHMETIC,
  ...LOGIC,
  ...STACK,
  ...MEMORY,
  ...CONTROL,
  ...ENVIRONMENT,
  ...STORAGE,
  ...LOGS,
  ...CALLS,
  ...CREATES,
];

/** What each fork adds to the one before it. */
const ADDED: Readonly<Record<Fork, readonly Opcode[]>> = { cancun: SINCE_CANCUN, prague: [], osaka: OSAKA_LOGIC };

/** 0xfe is invalid by definition, the others are not defined. */
function invalid(frame: Frame): void {
  const opcode = frame.code[frame.pc - 1] ?? 0;
  fail(frame, `invalid opcode: ${opcode === 0xfe ? "INVALID" : `opcode 0x${opcode.toString(16)} not defined`}`);
}

export function opcodeTable(fork: Fork): OpcodeTable {
  const gas = new Uint16Array(256);
  const least = new Uint16Array(256);
  const most = new Uint16Array(256).fill(MAX_STACK);
  const handlers: OpcodeHandler[] = Array.from({ length: 256 }, () => invalid);
  for (const { code, gas: price, pops, pushes, run } of opcodesOf(fork)) {
    gas[code] = price;
    least[code] = pops;
    most[code] = MAX_STACK - Math.max(pushes - pops, 0);
    handlers[code] = run;
  }
  return { gas, least, most, handlers };
}

function opcodesOf(fork: Fork): readonly Opcode[] {
  return FORKS.slice(0, FORKS.indexOf(fork) + 1).flatMap((name) => ADDED[name]);
}
