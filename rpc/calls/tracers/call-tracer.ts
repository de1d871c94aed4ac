/** The tree of messages, in the form of geth's callTracer. */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import type { BegunMessage, EndedMessage } from "../../../vm/evm/execution-listener.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import { quantityText } from "../../format.ts";
import { decodeRevertReason } from "../../revert-reason.ts";
import type { TraceOptions } from "../../trace-options.ts";
import type { Traced, TraceRoom, Tracer } from "./tracer.ts";

interface CallLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  /** How many logs the transaction had before it, without those of messages that failed. */
  readonly index: Hex;
  /** How many messages its own message had sent before it. */
  readonly position: Hex;
}

interface CallNode {
  readonly type: string;
  readonly from: Hex;
  to?: Hex;
  readonly value?: Hex;
  gas: Hex;
  gasUsed: Hex;
  readonly input: Hex;
  output?: Hex;
  error?: string;
  revertReason?: string;
  calls?: CallNode[];
  logs?: CallLog[];
}

/** The members of a message in JSON apart from its bytes. */
const NODE_BYTES = 300;

export class CallTracer implements Tracer {
  private readonly options: TraceOptions;
  private readonly room: TraceRoom;
  /** From the outermost to the one that runs; `undefined` for those that are not shown. */
  private readonly open: { readonly node: CallNode | undefined; readonly gas: bigint; readonly logs: number }[] = [];
  /** So many logs there are, also of messages that are not shown. */
  private logs = 0;
  private root: CallNode | undefined;

  constructor(options: TraceOptions, room: TraceRoom) {
    this.options = options;
    this.room = room;
  }

  onBegin(message: BegunMessage): void {
    const isShown = this.open.length === 0 || !this.options.onlyTopCall;
    const node = isShown ? this.nodeOf(message) : undefined;
    if (node !== undefined) {
      const parent = this.open.at(-1)?.node;
      if (parent === undefined) this.root ??= node;
      else {
        parent.calls ??= [];
        parent.calls.push(node);
      }
    }
    this.open.push({ node, gas: message.gas, logs: this.logs });
  }

  private nodeOf({ kind, from, to, value, gas, input }: BegunMessage): CallNode {
    this.room.take(NODE_BYTES + 2 * input.length);
    return {
      type: kind,
      from,
      to,
      ...(kind !== "STATICCALL" && { value: quantityText(value) }),
      gas: quantityText(gas),
      gasUsed: "0x0",
      input: bytesToHex(input),
    };
  }

  onEnd({ gasLeft, output, failure }: EndedMessage): void {
    const ended = this.open.pop();
    if (failure !== undefined) this.logs = ended?.logs ?? 0;
    if (ended?.node === undefined) return;
    const { node, gas } = ended;
    this.room.take(2 * output.length);
    node.gasUsed = quantityText(gas - gasLeft);
    if (failure !== undefined) failNode(node, failure, output);
    else if (output.length > 0) node.output = bytesToHex(output);
  }

  onLog({ address, topics, data }: Log): void {
    const index = quantityText(this.logs++);
    const node = this.open.at(-1)?.node;
    if (!this.options.withLog || node === undefined) return;
    this.room.take(NODE_BYTES + 2 * data.length);
    node.logs ??= [];
    const position = quantityText(node.calls?.length ?? 0);
    node.logs.push({ address, topics, data: bytesToHex(data), index, position });
  }

  /** The outermost message has all the transaction's gas, also what it costs before anything runs. */
  result({ gasLimit, gasUsed }: Traced): object {
    const { root } = this;
    if (root === undefined) return {};
    root.gas = quantityText(gasLimit);
    root.gasUsed = quantityText(gasUsed);
    return root;
  }
}

function failNode(node: CallNode, failure: string, output: Uint8Array): void {
  node.error = failure;
  dropLogs(node);
  if (node.type.startsWith("CREATE")) delete node.to;
  if (failure !== "execution reverted" || output.length === 0) return;
  node.output = bytesToHex(output);
  const reason = decodeRevertReason(output);
  if (reason !== undefined) node.revertReason = reason;
}

/** What was logged below a message that failed was never logged. */
function dropLogs(node: CallNode): void {
  delete node.logs;
  for (const call of node.calls ?? []) dropLogs(call);
}
