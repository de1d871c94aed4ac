/**
 * Calls that wait for a thread. Addresses take turns, so that whoever asks for a thousand calls delays another's one by one
 * of them; and one address has a part of the room. Loopback counts as one address, and may have all of the room.
 */
import { isLoopback } from "../addresses.ts";
import type { JobCaller } from "../calls/job-caller.ts";
import { CALLS_SHARE } from "../limits.ts";

export interface QueuedCall {
  readonly caller: JobCaller;
  readonly reject: (error: unknown) => void;
}

export class CallQueue<Call extends QueuedCall> {
  readonly #room: number;
  /** The address whose turn it is first. None is empty. */
  readonly #byAddress = new Map<string, Call[]>();
  #size = 0;

  constructor(room: number) {
    this.#room = room;
  }

  get size(): number {
    return this.#size;
  }

  hasRoom(address: string): boolean {
    if (this.#size >= this.#room) return false;
    const own = this.#byAddress.get(address)?.length ?? 0;
    return own === 0 || isLoopback(address) || own < CALLS_SHARE * this.#room;
  }

  push(call: Call): void {
    const { address } = call.caller;
    const own = this.#byAddress.get(address);
    if (own === undefined) this.#byAddress.set(address, [call]);
    else own.push(call);
    this.#size++;
  }

  /** The next one whose result somebody still wants; the others before it are told why not. */
  shift(): Call | undefined {
    for (const [address, calls] of this.#byAddress) {
      this.#byAddress.delete(address);
      const call = this.#firstWanted(calls);
      if (calls.length > 0) this.#byAddress.set(address, calls);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  /** Back to where they came from, in their order: their thread has died. */
  putBack(calls: readonly Call[]): void {
    for (const call of calls.toReversed()) {
      const { address } = call.caller;
      this.#byAddress.set(address, [call, ...(this.#byAddress.get(address) ?? [])]);
    }
    this.#size += calls.length;
  }

  /** Makes room: calls whose results nobody wants are told so. */
  dropUnwanted(): void {
    for (const [address, calls] of this.#byAddress) {
      const wanted = calls.filter(isWanted);
      this.#size -= calls.length - wanted.length;
      if (wanted.length === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, wanted);
    }
  }

  rejectAll(error: unknown): void {
    for (const calls of this.#byAddress.values()) for (const call of calls) call.reject(error);
    this.#byAddress.clear();
    this.#size = 0;
  }

  #firstWanted(calls: Call[]): Call | undefined {
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      this.#size--;
      if (isWanted(call)) return call;
    }
    return undefined;
  }
}

/** False: its caller has been told. */
export function isWanted({ caller, reject }: QueuedCall): boolean {
  try {
    caller.check();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
