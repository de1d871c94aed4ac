/** Every opcode, in the form of geth's struct logger and of Ethereum's execution API. */
import { bytes32, bytesToHex, type Hex, padLeft } from "../../../base/bytes.ts";
import type { BegunMessage, EndedMessage, StepFrame } from "../../../vm/evm/execution-listener.ts";
import { opcodeName } from "../../../vm/evm/opcode-names.ts";
import { quantityText } from "../../format.ts";
import type { TraceOptions } from "../../trace-options.ts";
import type { Traced, TraceRoom, Tracer } from "./tracer.ts";

interface OpcodeJson {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  gasCost: number;
  readonly depth: number;
  readonly refund?: number;
  readonly stack?: readonly Hex[];
  readonly memory?: readonly Hex[];
  readonly returnData?: Hex;
  readonly storage?: Readonly<Record<Hex, Hex>>;
  error?: string;
}

const SLOAD = 0x54;
const SSTORE = 0x55;
/** An entry in JSON apart from its lists, and a word of them. */
const ENTRY_BYTES = 80;
const WORD_BYTES = 70;

export class OpcodeTracer implements Tracer {
  private readonly options: TraceOptions;
  private readonly room: TraceRoom;
  private readonly entries: OpcodeJson[] = [];
  /** The last entry of each message that is open, whose price is not known yet. */
  private readonly pending: (OpcodeJson | undefined)[] = [];
  private readonly storage = new Map<Hex, Record<Hex, Hex>>();

  constructor(options: TraceOptions, room: TraceRoom) {
    this.options = options;
    this.room = room;
  }

  onBegin({ gasOfSender }: BegunMessage): void {
    this.settle(gasOfSender);
    this.pending.push(undefined);
  }

  onEnd({ gasLeft: left, gasOfCode = 0n, failure }: EndedMessage): void {
    const last = this.pending.at(-1);
    // An opcode that fails takes all gas, which is not its price.
    if (last !== undefined && failure !== undefined && failure !== "execution reverted") last.error = failure;
    else this.settle(left + gasOfCode);
    this.pending.pop();
  }

  readonly onStep = (frame: StepFrame, opcode: number): void => {
    this.settle(gasLeft(frame));
    const { limit } = this.options;
    if (limit > 0 && this.entries.length >= limit) return;
    const entry = this.entryOf(frame, opcode);
    this.entries.push(entry);
    this.pending[this.pending.length - 1] = entry;
  };

  /** The opcode before has cost what is gone since. */
  private settle(gasNow: bigint): void {
    const last = this.pending.at(-1);
    if (last === undefined) return;
    last.gasCost = Math.max(0, last.gas - Number(gasNow));
    this.pending[this.pending.length - 1] = undefined;
  }

  private entryOf(frame: StepFrame, opcode: number): OpcodeJson {
    const { disableStack, enableMemory, enableReturnData, disableStorage } = this.options;
    this.room.take(ENTRY_BYTES);
    const { refund } = frame.machine.journal;
    const touchesStorage = !disableStorage && (opcode === SLOAD || opcode === SSTORE);
    return {
      pc: frame.pc,
      op: opcodeName(opcode),
      gas: Number(gasLeft(frame)),
      gasCost: 0,
      depth: frame.depth + 1,
      ...(refund > 0 && { refund }),
      ...(!disableStack && { stack: this.stackOf(frame) }),
      ...(enableMemory && frame.memorySize > 0 && { memory: this.memoryOf(frame) }),
      ...(enableReturnData && frame.returnData.length > 0 && { returnData: this.dataOf(frame.returnData) }),
      ...(touchesStorage && { storage: this.storageOf(frame, opcode) }),
    };
  }

  private stackOf({ machine, stackBase, sp }: StepFrame): readonly Hex[] {
    this.room.take(WORD_BYTES * (sp - stackBase));
    return machine.stack.slice(stackBase, sp).map(quantityText);
  }

  private memoryOf({ machine, memoryBase, memorySize }: StepFrame): readonly Hex[] {
    this.room.take((WORD_BYTES * memorySize) / 32);
    return Array.from({ length: memorySize / 32 }, (_, word) =>
      bytesToHex(machine.memory.subarray(memoryBase + 32 * word, memoryBase + 32 * word + 32)),
    );
  }

  private dataOf(data: Uint8Array): Hex {
    this.room.take(2 * data.length);
    return bytesToHex(data);
  }

  /** All slots of the contract that the trace has seen so far. */
  private storageOf(frame: StepFrame, opcode: number): Readonly<Record<Hex, Hex>> {
    const { machine, sp, stackBase, address } = frame;
    const known = this.storage.get(address) ?? {};
    const words = opcode === SLOAD ? 1 : 2;
    if (sp - stackBase < words) return known;
    const slot = bytesToHex(bytes32(machine.stack[sp - 1] as bigint));
    known[slot] =
      opcode === SLOAD
        ? bytesToHex(padLeft(machine.state.storage(address, slot), 32))
        : bytesToHex(bytes32(machine.stack[sp - 2] as bigint));
    this.storage.set(address, known);
    this.room.take(2 * WORD_BYTES * Object.keys(known).length);
    return { ...known };
  }

  result({ gasUsed, output, succeeded }: Traced): object {
    return {
      gas: Number(gasUsed),
      failed: !succeeded,
      returnValue: this.dataOf(output),
      structLogs: this.entries,
    };
  }
}

function gasLeft({ gas, reserve }: StepFrame): bigint {
  return BigInt(gas) + reserve;
}
