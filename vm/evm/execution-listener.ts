/** Whoever listens to a transaction while it runs: tracers. What it hears is copied, and nothing it does changes the run. */
import type { Log } from "../receipt/log.ts";
import type { Address } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";

export type MessageKind =
  | "CALL"
  | "CALLCODE"
  | "DELEGATECALL"
  | "STATICCALL"
  | "CREATE"
  | "CREATE2"
  /** Not a message, but shown as one: the money that a contract leaves behind. */
  | "SELFDESTRUCT";

export interface BegunMessage {
  readonly kind: MessageKind;
  /** 0 for the transaction's own message. */
  readonly depth: number;
  readonly from: Address;
  /** Whose code runs; of a creation, the new contract. */
  readonly to: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: bigint;
  /** What is left to the sender meanwhile; 0 for the outermost message. */
  readonly gasOfSender: bigint;
}

export interface EndedMessage {
  readonly gasLeft: bigint;
  /** Of what is gone, what the new contract's code cost. */
  readonly gasOfCode?: bigint;
  readonly output: Uint8Array;
  /** `undefined`: it ended well. */
  readonly failure: string | undefined;
}

/** What an opcode finds, to look at: nothing of it is copied. */
export interface StepFrame {
  readonly depth: number;
  readonly address: Address;
  readonly code: Uint8Array;
  readonly pc: number;
  /** Gas left is the sum of both. */
  readonly gas: number;
  readonly reserve: bigint;
  /** The words of the stack are from `stackBase` to before `sp`, the top last. */
  readonly stackBase: number;
  readonly sp: number;
  readonly memoryBase: number;
  readonly memorySize: number;
  readonly returnData: Uint8Array;
  readonly machine: {
    readonly stack: readonly bigint[];
    readonly memory: Uint8Array;
    readonly state: StateReader;
    readonly journal: { readonly refund: number };
  };
}

export interface ExecutionListener {
  onBegin?(message: BegunMessage): void;
  /** Of the last message that has begun and not ended. */
  onEnd?(end: EndedMessage): void;
  /** A log of a message that may still be undone. */
  onLog?(log: Log): void;
  /** Before an opcode is checked and paid for. */
  readonly onStep?: (frame: StepFrame, opcode: number) => void;
}
