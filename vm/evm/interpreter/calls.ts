/** CALL, CALLCODE, DELEGATECALL, STATICCALL: prices, and the message that follows. */
import { EMPTY_BYTES, type Hex } from "../../../base/bytes.ts";
import { type Account, type Address, EMPTY_CODE_HASH, isEmptyAccount } from "../../state/account.ts";
import { delegateOf } from "./delegation.ts";
import { CALLING, type Frame, fail, RUNNING, WRITE_PROTECTION } from "./frame.ts";
import {
  CALL_STIPEND,
  CALL_VALUE_GAS,
  COLD_ACCOUNT_EXTRA_GAS,
  COLD_ACCOUNT_GAS,
  charge,
  NEW_ACCOUNT_GAS,
  reach,
  returnGas,
  splitGas,
  WARM_ACCESS_GAS,
} from "./gas.ts";
import { beginCall, nextFrame, returnTo } from "./message.ts";
import { type Opcode, type OpcodeHandler, opcode } from "./opcode.ts";
import { push } from "./stack.ts";
import { tellUnsent } from "./tell.ts";
import { addressOf, addressWord } from "./words.ts";

export const MAX_DEPTH = 1024;

/** How the four differ. */
interface CallKind {
  readonly takesValue: boolean;
  /** Whether the code runs in its own account, and not in the sender's. */
  readonly entersAccount: boolean;
  /** DELEGATECALL: sender and value stay those of the frame. */
  readonly keepsSender: boolean;
  readonly isStatic: boolean;
}

const CALL: CallKind = { takesValue: true, entersAccount: true, keepsSender: false, isStatic: false };
const CALLCODE: CallKind = { takesValue: true, entersAccount: false, keepsSender: false, isStatic: false };
const DELEGATECALL: CallKind = { takesValue: false, entersAccount: false, keepsSender: true, isStatic: false };
const STATICCALL: CallKind = { takesValue: false, entersAccount: true, keepsSender: false, isStatic: true };

function call(kind: CallKind): OpcodeHandler {
  return (frame) => {
    const { stack, journal, state } = frame.machine;
    const top = frame.sp - 1;
    const requested = stack[top] as bigint;
    const word = stack[top - 1] as bigint;
    const value = kind.takesValue ? (stack[top - 2] as bigint) : 0n;
    const at = kind.takesValue ? top - 6 : top - 5;
    frame.sp = at;
    if (value !== 0n && kind.entersAccount && frame.isStatic) {
      fail(frame, WRITE_PROTECTION);
      return;
    }
    const inputLength = stack[at + 2] as bigint;
    const inputAt = reach(frame, stack[at + 3] as bigint, inputLength);
    if (inputAt < 0) return;
    const resultLength = stack[at] as bigint;
    const resultAt = reach(frame, stack[at + 1] as bigint, resultLength);
    if (resultAt < 0) return;
    frame.resultAt = resultAt;
    frame.resultLength = Number(resultLength);
    const target = addressOf(word);
    if (journal.warmAddress(target) && !charge(frame, COLD_ACCOUNT_EXTRA_GAS)) return;
    const account = state.account(target);
    if (value !== 0n && !charge(frame, valueGas(kind, account))) return;
    const codeHash = codeHashToRun(frame, account?.codeHash ?? EMPTY_CODE_HASH);
    if (codeHash === undefined) return;
    const next = nextFrame(frame);
    splitGas(frame, next, requested);
    if (value !== 0n) next.gas += CALL_STIPEND;
    next.input =
      inputLength === 0n ? EMPTY_BYTES : frame.machine.memory.subarray(inputAt, inputAt + Number(inputLength));
    next.code = state.code(codeHash);
    next.codeHash = codeHash;
    setParties(frame, next, kind, word, target, value);
    send(frame, next, kind, target, value);
  };
}

function valueGas(kind: CallKind, account: Account | undefined): number {
  const makesAccount = kind.entersAccount && (account === undefined || isEmptyAccount(account));
  return makesAccount ? CALL_VALUE_GAS + NEW_ACCOUNT_GAS : CALL_VALUE_GAS;
}

/** Whose code runs: the account's, or that of the account it delegates to (EIP-7702), which is an access to pay for. */
function codeHashToRun(frame: Frame, codeHash: Hex): Hex | undefined {
  const { machine } = frame;
  if (!machine.followsDelegations || codeHash === EMPTY_CODE_HASH) return codeHash;
  const delegate = delegateOf(machine.state.code(codeHash));
  if (delegate === undefined) return codeHash;
  const isCold = machine.journal.warmAddress(delegate);
  if (!charge(frame, isCold ? COLD_ACCOUNT_GAS : WARM_ACCESS_GAS)) return undefined;
  return machine.state.account(delegate)?.codeHash ?? EMPTY_CODE_HASH;
}

function setParties(frame: Frame, next: Frame, kind: CallKind, word: bigint, target: Address, value: bigint): void {
  next.address = kind.entersAccount ? target : frame.address;
  next.addressWord = kind.entersAccount ? addressWord(word) : frame.addressWord;
  next.caller = kind.keepsSender ? frame.caller : frame.address;
  next.callerWord = kind.keepsSender ? frame.callerWord : frame.addressWord;
  next.value = kind.keepsSender ? frame.value : value;
  next.isStatic = frame.isStatic || kind.isStatic;
}

function send(frame: Frame, next: Frame, kind: CallKind, target: Address, value: bigint): void {
  frame.returnData = EMPTY_BYTES;
  if (next.depth > MAX_DEPTH || (value !== 0n && frame.machine.state.balance(frame.address) < value)) {
    if (frame.machine.listener !== undefined) tellUnsent(next, target, next.depth > MAX_DEPTH);
    returnGas(frame, next.gas, next.reserve);
    push(frame, 0n);
    return;
  }
  beginCall(next, target, kind.entersAccount);
  if (next.status === RUNNING) frame.status = CALLING;
  else returnTo(frame, next);
}

export const CALLS: readonly Opcode[] = [
  opcode(0xf1, WARM_ACCESS_GAS, 7, 1, call(CALL)),
  opcode(0xf2, WARM_ACCESS_GAS, 7, 1, call(CALLCODE)),
  opcode(0xf4, WARM_ACCESS_GAS, 6, 1, call(DELEGATECALL)),
  opcode(0xfa, WARM_ACCESS_GAS, 6, 1, call(STATICCALL)),
];
