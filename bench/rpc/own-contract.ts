/** A contract in the engine that the node itself uses, in this process, on a state in memory. */
import { assert } from "../../base/errors.ts";
import { createEvmEngine } from "../../vm/evm/create-engine.ts";
import type { EvmEngine } from "../../vm/evm/evm-engine.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { type Address, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { MemoryState } from "../../vm/state/memory-state.ts";
import { WorkingState } from "../../vm/state/working-state.ts";

const CALLER: Address = `0x${"ca".repeat(20)}`;
const RULES: ExecutionRules = {
  chainId: 1n,
  fork: "osaka",
  allowUnprotected: true,
  maxTransactionBytes: 131_072,
  modules: new Map(),
};
const ENVIRONMENT: BlockEnvironment = {
  ...{ number: 1n, timestamp: 1n, milliseconds: 0, consensus: undefined, coinbase: CALLER },
  ...{ gasLimit: 30_000_000n, baseFeePerGas: 0n, prevRandao: new Uint8Array(32), blobBaseFee: 1n },
  blockHash: () => undefined,
};

export class OwnContract {
  /** What the last call returned. */
  output: Uint8Array = new Uint8Array(0);
  readonly #engine: EvmEngine = createEvmEngine(RULES);
  readonly #parent = new MemoryState();
  readonly #address: Address;

  /** From creation code. */
  constructor(code: Uint8Array) {
    const state = new WorkingState(this.#parent);
    state.setAccount(CALLER, { nonce: 1n, balance: 10n ** 20n, codeHash: EMPTY_CODE_HASH });
    this.#address = this.#run(state, undefined, code).createdAddress as Address;
    state.endTransaction();
    this.#parent.apply(state.changes());
  }

  /** So many calls, with the data in turn, each on a state of its own as eth_call has it. */
  call(data: readonly Uint8Array[], count: number): number {
    for (let i = 0; i < count; i++) {
      this.output = this.#run(
        new WorkingState(this.#parent),
        this.#address,
        data[i % data.length] as Uint8Array,
      ).output;
    }
    return count;
  }

  #run(state: WorkingState, to: Address | undefined, data: Uint8Array): ReturnType<EvmEngine["execute"]> {
    const message = { from: CALLER, to, value: 0n, data, gasLimit: 10_000_000n, gasPrice: 0n, accessList: [] };
    const outcome = this.#engine.execute(message, state, ENVIRONMENT);
    assert(outcome.succeeded, "our EVM answers");
    return outcome;
  }
}
