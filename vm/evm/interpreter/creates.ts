/** CREATE, CREATE2 (EIP-1014) and SELFDESTRUCT (EIP-6780). */
import { create2Address, createAddress } from "../../../base/address.ts";
import { bytes32, bytesToHex, EMPTY_BYTES, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { type Account, type Address, EMPTY_ACCOUNT, isEmptyAccount } from "../../state/account.ts";
import { MAX_DEPTH } from "./calls.ts";
import { CALLING, type Frame, fail, RUNNING, STOPPED, WRITE_PROTECTION } from "./frame.ts";
import {
  COLD_ACCOUNT_GAS,
  charge,
  INIT_CODE_WORD_GAS,
  KECCAK_WORD_GAS,
  NEW_ACCOUNT_GAS,
  reach,
  splitGas,
  wordsOf,
} from "./gas.ts";
import { beginCreation, nextFrame, returnTo, touch } from "./message.ts";
import { type Opcode, type OpcodeHandler, opcode } from "./opcode.ts";
import { push } from "./stack.ts";
import { tellDestruction } from "./tell.ts";
import { addressOf, MAX_WORD } from "./words.ts";

/** EIP-3860. */
export const MAX_INIT_CODE_BYTES = 49_152;
export const MAX_INIT_CODE = "max initcode size exceeded";
/** EIP-2681: an account whose nonce cannot rise creates nothing. */
const MAX_NONCE: bigint = 2n ** 64n - 1n;

function addressOfNext(creator: Address, nonce: bigint, salt: bigint | undefined, initCode: Uint8Array): Address {
  const sender = hexToBytes(creator);
  return bytesToHex(
    salt === undefined ? createAddress(sender, nonce) : create2Address(sender, bytes32(salt), keccak256(initCode)),
  );
}

function create(isSalted: boolean): OpcodeHandler {
  const wordGas = isSalted ? INIT_CODE_WORD_GAS + KECCAK_WORD_GAS : INIT_CODE_WORD_GAS;
  return (frame) => {
    const { machine } = frame;
    const top = frame.sp - 1;
    const value = machine.stack[top] as bigint;
    const length = machine.stack[top - 2] as bigint;
    const salt = isSalted ? (machine.stack[top - 3] as bigint) : undefined;
    frame.sp = isSalted ? top - 3 : top - 2;
    if (frame.isStatic || length > MAX_INIT_CODE_BYTES) {
      fail(frame, frame.isStatic ? WRITE_PROTECTION : MAX_INIT_CODE);
      return;
    }
    const at = reach(frame, machine.stack[top - 1] as bigint, length);
    if (at < 0) return;
    const size = Number(length);
    if (!charge(frame, wordGas * wordsOf(size))) return;
    frame.returnData = EMPTY_BYTES;
    const account = machine.state.account(frame.address) ?? EMPTY_ACCOUNT;
    if (frame.depth >= MAX_DEPTH || account.balance < value || account.nonce === MAX_NONCE) {
      push(frame, 0n);
      return;
    }
    send(frame, account, value, machine.memory.subarray(at, at + size), salt);
  };
}

function send(frame: Frame, account: Account, value: bigint, initCode: Uint8Array, salt: bigint | undefined): void {
  const { state, journal } = frame.machine;
  const { nonce, balance, codeHash } = account;
  const next = nextFrame(frame);
  splitGas(frame, next, MAX_WORD);
  state.setAccount(frame.address, { nonce: nonce + 1n, balance, codeHash });
  next.address = addressOfNext(frame.address, nonce, salt, initCode);
  next.addressWord = BigInt(next.address);
  journal.warmAddress(next.address);
  next.caller = frame.address;
  next.callerWord = frame.addressWord;
  next.value = value;
  next.input = EMPTY_BYTES;
  next.code = initCode;
  next.codeHash = undefined;
  next.isStatic = false;
  beginCreation(next);
  if (next.status === RUNNING) frame.status = CALLING;
  else returnTo(frame, next);
}

function selfDestruct(frame: Frame): void {
  if (frame.isStatic) {
    fail(frame, WRITE_PROTECTION);
    return;
  }
  const { stack, state, journal } = frame.machine;
  const { address } = frame;
  const heir = addressOf(stack[--frame.sp] as bigint);
  const balance = state.balance(address);
  const heirAccount = state.account(heir);
  const makesAccount = balance !== 0n && (heirAccount === undefined || isEmptyAccount(heirAccount));
  const coldGas = journal.warmAddress(heir) ? COLD_ACCOUNT_GAS : 0;
  if (!charge(frame, makesAccount ? coldGas + NEW_ACCOUNT_GAS : coldGas)) return;
  const isDestroyed = journal.isCreated(address);
  if (heir !== address) {
    if (balance === 0n) touch(state, heir);
    state.transfer(address, heir, balance);
  } else if (isDestroyed) {
    // Left to itself by an account that ceases to be: the money is gone.
    state.setBalance(address, 0n);
    state.recordBurn(balance);
  }
  if (isDestroyed) journal.addDestroyed(address);
  if (frame.machine.listener !== undefined) tellDestruction(frame, heir, balance);
  frame.output = EMPTY_BYTES;
  frame.status = STOPPED;
}

export const CREATES: readonly Opcode[] = [
  opcode(0xf0, 32_000, 3, 1, create(false)),
  opcode(0xf5, 32_000, 4, 1, create(true)),
  opcode(0xff, 5_000, 1, 0, selfDestruct),
];
