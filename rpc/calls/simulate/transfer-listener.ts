/** Hears the logs of a call and, if asked, money that moves, told as a log that Ether would emit if it were a token. */
import { bytes32, bytesToHex, type Hex, hexToBytes, padLeft } from "../../../base/bytes.ts";
import type { BegunMessage, EndedMessage, ExecutionListener } from "../../../vm/evm/execution-listener.ts";
import type { Log } from "../../../vm/receipt/log.ts";

/** Where Ethereum's execution API puts such logs. */
const MONEY: Hex = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/** keccak-256 of Transfer(address,address,uint256). */
const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export class TransferListener implements ExecutionListener {
  readonly logs: Log[] = [];
  private readonly marks: number[] = [];

  onBegin({ kind, from, to, value }: BegunMessage): void {
    this.marks.push(this.logs.length);
    if (value === 0n || kind === "DELEGATECALL" || kind === "CALLCODE") return;
    this.logs.push({ address: MONEY, topics: [TRANSFER, word(from), word(to)], data: bytes32(value) });
  }

  onEnd({ failure }: EndedMessage): void {
    const mark = this.marks.pop() ?? 0;
    if (failure !== undefined) this.logs.length = mark;
  }

  onLog(log: Log): void {
    this.logs.push(log);
  }
}

function word(address: Hex): Hex {
  return bytesToHex(padLeft(hexToBytes(address), 32));
}
