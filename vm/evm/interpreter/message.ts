/** How a message begins and ends: money, precompiles, native modules, code, and what is undone. */
import { bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { NativeModule } from "../../modules/module.ts";
import { encodeRevert, runModule } from "../../modules/run-module.ts";
import { type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH, isEmptyAccount } from "../../state/account.ts";
import type { WorkingState } from "../../state/working-state.ts";
import { type Frame, fail, REVERTED, RUNNING, STOPPED } from "./frame.ts";
import { CODE_BYTE_GAS, charge, gasLeft, returnGas, setGas } from "./gas.ts";
import type { Precompile } from "./precompiles/precompile.ts";
import { push } from "./stack.ts";
import { tellCall, tellCreation, tellEnd } from "./tell.ts";

/** EIP-170. */
const MAX_CODE_BYTES = 24_576;
/** EIP-3541: no code begins with it. */
const RESERVED_FIRST_BYTE = 0xef;
/** What a module takes for a call that it refuses because of its kind: it costs us some work too. */
const REFUSED_MODULE_CALL_GAS = 1_000n;

/** A frame for the message that `frame` sends, with everything of the last message at this depth set back. */
export function nextFrame(frame: Frame): Frame {
  const next = frame.machine.frameAt(frame.depth + 1);
  resetFrame(next);
  next.stackBase = next.sp = frame.sp;
  next.memoryBase = frame.memoryBase + frame.memorySize;
  return next;
}

export function resetFrame(frame: Frame): void {
  frame.status = RUNNING;
  frame.pc = 0;
  frame.stackBase = frame.sp = 0;
  frame.memoryBase = frame.memorySize = 0;
  frame.analysis = undefined;
  frame.output = EMPTY_BYTES;
  frame.returnData = EMPTY_BYTES;
  frame.isCreation = false;
}

function setMarks(frame: Frame): void {
  frame.stateMark = frame.machine.state.checkpoint();
  frame.machine.journal.mark(frame);
}

/**
 * Begins a call of the code at `target`; the frame says who sends what, and has the code. `entersAccount` is false when
 * the code runs in the name of another account. Precompiles, modules and accounts without code have ended when this
 * returns; otherwise the frame is to be run.
 */
export function beginCall(frame: Frame, target: Address, entersAccount: boolean): void {
  const { machine } = frame;
  setMarks(frame);
  if (machine.listener !== undefined) tellCall(frame, target);
  const module = machine.rules.modules.get(target);
  if (module !== undefined) {
    callModule(frame, module, entersAccount);
    return;
  }
  if (entersAccount) transfer(machine.state, frame.caller, target, frame.value);
  const precompile = machine.precompiles.get(target);
  if (precompile !== undefined) runPrecompile(frame, precompile);
  else if (frame.code.length === 0) frame.status = STOPPED;
}

/** Moves the money, and lets an empty account that is only touched disappear (EIP-161). */
function transfer(state: WorkingState, from: Address, to: Address, value: bigint): void {
  if (value !== 0n) state.transfer(from, to, value);
  else touch(state, to);
}

export function touch(state: WorkingState, address: Address): void {
  const account = state.account(address);
  if (account !== undefined && isEmptyAccount(account)) state.setAccount(address, undefined);
}

function runPrecompile(frame: Frame, precompile: Precompile): void {
  if (!charge(frame, precompile.gas(frame.input))) return;
  const output = precompile.run(frame.input);
  if (output === undefined) {
    fail(frame, "precompile failed");
    return;
  }
  frame.output = output;
  frame.status = STOPPED;
}

function callModule(frame: Frame, module: NativeModule, entersAccount: boolean): void {
  const { state, environment, journal } = frame.machine;
  const gasLimit = gasLeft(frame);
  // A module acts on its own account: code of ours never runs in the name of another.
  if (!entersAccount) {
    setGas(frame, gasLimit > REFUSED_MODULE_CALL_GAS ? gasLimit - REFUSED_MODULE_CALL_GAS : 0n);
    frame.output = encodeRevert(`${module.name}: no DELEGATECALL or CALLCODE`);
    frame.status = REVERTED;
    return;
  }
  const { caller, value, isStatic } = frame;
  state.transfer(caller, module.address, value);
  const message = { caller, value, data: frame.input.slice(), gasLimit, isStatic };
  const outcome = runModule(module, message, state, environment);
  if (outcome.outOfGas) {
    fail(frame);
    return;
  }
  setGas(frame, gasLimit - outcome.gasUsed);
  frame.output = outcome.output;
  frame.status = outcome.succeeded ? STOPPED : REVERTED;
  if (!outcome.succeeded) return;
  journal.logs.push(...outcome.logs);
  for (const log of outcome.logs) frame.machine.listener?.onLog?.(log);
}

/**
 * Begins the creation of the contract at the frame's address, which the caller has warmed. Fails the frame at once
 * when there is something already (EIP-684, EIP-7610).
 */
export function beginCreation(frame: Frame): void {
  const { state, journal } = frame.machine;
  setMarks(frame);
  frame.isCreation = true;
  if (frame.machine.listener !== undefined) tellCreation(frame);
  const before = state.account(frame.address) ?? EMPTY_ACCOUNT;
  if (before.nonce !== 0n || before.codeHash !== EMPTY_CODE_HASH || state.hasStorage(frame.address)) {
    fail(frame, "contract address collision");
    return;
  }
  journal.addCreated(frame.address);
  state.setAccount(frame.address, { nonce: 1n, balance: before.balance, codeHash: EMPTY_CODE_HASH });
  state.transfer(frame.caller, frame.address, frame.value);
}

/** Stores the code of a new contract, or undoes what a frame that did not end well has done. */
export function settle(frame: Frame): void {
  if (frame.isCreation && frame.status === STOPPED) depositCode(frame);
  if (frame.machine.listener !== undefined) tellEnd(frame);
  if (frame.status === STOPPED) return;
  frame.machine.state.revert(frame.stateMark);
  frame.machine.journal.revert(frame);
}

function depositCode(frame: Frame): void {
  const { state } = frame.machine;
  const code = frame.output;
  if (code.length > MAX_CODE_BYTES || code[0] === RESERVED_FIRST_BYTE) {
    fail(frame, code.length > MAX_CODE_BYTES ? "max code size exceeded" : "invalid code: must not begin with 0xef");
    return;
  }
  if (!charge(frame, CODE_BYTE_GAS * code.length)) {
    frame.failure = "contract creation code storage out of gas";
    return;
  }
  if (code.length === 0) return;
  const codeHash = bytesToHex(keccak256(code));
  const { nonce, balance } = state.account(frame.address) ?? EMPTY_ACCOUNT;
  state.putCode(codeHash, code);
  state.setAccount(frame.address, { nonce, balance, codeHash });
}

/** Gives the result of a message to the frame that sent it, which goes on. */
export function returnTo(parent: Frame, frame: Frame): void {
  settle(frame);
  parent.status = RUNNING;
  returnGas(parent, frame.gas, frame.reserve);
  const { output } = frame;
  if (frame.isCreation) {
    parent.returnData = frame.status === REVERTED ? output : EMPTY_BYTES;
    push(parent, frame.status === STOPPED ? frame.addressWord : 0n);
    return;
  }
  parent.returnData = output;
  if (output.length > 0 && parent.resultLength > 0) {
    const fits = output.length <= parent.resultLength ? output : output.subarray(0, parent.resultLength);
    parent.machine.memory.set(fits, parent.resultAt);
  }
  push(parent, frame.status === STOPPED ? 1n : 0n);
}
