/** Tells a listener what becomes of messages. Only called when somebody listens. */

import type { Address } from "../../state/account.ts";
import type { MessageKind } from "../execution-listener.ts";
import { type Frame, REVERTED, STOPPED } from "./frame.ts";
import { CODE_BYTE_GAS, gasLeft } from "./gas.ts";

const KINDS: Readonly<Record<number, MessageKind>> = {
  240: "CREATE",
  241: "CALL",
  242: "CALLCODE",
  244: "DELEGATECALL",
  245: "CREATE2",
  250: "STATICCALL",
};

/** The frame that waits for this one. */
function senderOf(frame: Frame): Frame | undefined {
  return frame.depth === 0 ? undefined : frame.machine.frameAt(frame.depth - 1);
}

function tell(frame: Frame, to: Address, input: Uint8Array, usual: MessageKind): void {
  const sender = senderOf(frame);
  frame.machine.listener?.onBegin?.({
    // The sender's opcode: it has been read, and the message is what it does.
    kind: sender === undefined ? usual : (KINDS[sender.code[sender.pc - 1] ?? 0] ?? usual),
    depth: frame.depth,
    from: sender?.address ?? frame.caller,
    to,
    value: frame.value,
    input: input.slice(),
    gas: gasLeft(frame),
    gasOfSender: sender === undefined ? 0n : gasLeft(sender),
  });
}

export function tellCall(frame: Frame, target: Address): void {
  tell(frame, target, frame.input, "CALL");
}

export function tellCreation(frame: Frame): void {
  tell(frame, frame.address, frame.code, "CREATE");
}

/** After a creation has stored its code. */
export function tellEnd(frame: Frame): void {
  const { status, output } = frame;
  const failure = status === STOPPED ? undefined : status === REVERTED ? "execution reverted" : frame.failure;
  const gasOfCode = frame.isCreation && status === STOPPED ? BigInt(CODE_BYTE_GAS * output.length) : 0n;
  frame.machine.listener?.onEnd?.({ gasLeft: gasLeft(frame), gasOfCode, output: output.slice(), failure });
}

/** A call that was paid for and never begins. */
export function tellUnsent(frame: Frame, target: Address, isTooDeep: boolean): void {
  tellCall(frame, target);
  const failure = isTooDeep ? "max call depth exceeded" : "insufficient balance for transfer";
  frame.machine.listener?.onEnd?.({ gasLeft: gasLeft(frame), output: frame.returnData, failure });
}

export function tellDestruction(frame: Frame, heir: Address, balance: bigint): void {
  const { listener } = frame.machine;
  listener?.onBegin?.({
    kind: "SELFDESTRUCT",
    depth: frame.depth + 1,
    from: frame.address,
    to: heir,
    value: balance,
    input: frame.output,
    gas: 0n,
    gasOfSender: gasLeft(frame),
  });
  listener?.onEnd?.({ gasLeft: 0n, output: frame.output, failure: undefined });
}
