/** LOG0 to LOG4. */
import type { Hex } from "../../../base/bytes.ts";
import { fail, WRITE_PROTECTION } from "./frame.ts";
import { charge, LOG_BYTE_GAS, reach } from "./gas.ts";
import { type Opcode, type OpcodeHandler, opcode } from "./opcode.ts";
import { wordHex } from "./words.ts";

/** The price of a log, and of each of its topics. */
const LOG_GAS = 375;

function log(topicCount: number): OpcodeHandler {
  return (frame) => {
    if (frame.isStatic) {
      fail(frame, WRITE_PROTECTION);
      return;
    }
    const { machine } = frame;
    const { stack } = machine;
    const top = frame.sp - 1;
    frame.sp = top - 1 - topicCount;
    const length = stack[top - 1] as bigint;
    const at = reach(frame, stack[top] as bigint, length);
    if (at < 0) return;
    const size = Number(length);
    if (!charge(frame, LOG_BYTE_GAS * size)) return;
    const topics: Hex[] = [];
    for (let i = 0; i < topicCount; i++) topics.push(wordHex(stack[top - 2 - i] as bigint));
    const entry = { address: frame.address, topics, data: machine.memory.slice(at, at + size) };
    machine.journal.logs.push(entry);
    machine.listener?.onLog?.(entry);
  };
}

export const LOGS: readonly Opcode[] = [0, 1, 2, 3, 4].map((n) =>
  opcode(0xa0 + n, LOG_GAS * (n + 1), n + 2, 0, log(n)),
);
