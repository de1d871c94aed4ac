/** A contract in @ethereumjs/evm in this process, without anything around it. */
import { createEVM, type EVM } from "@ethereumjs/evm";
import { type Address, createAddressFromString } from "@ethereumjs/util";
import { assert } from "../../base/errors.ts";

const CALLER: Address = createAddressFromString(`0x${"ca".repeat(20)}`);

export class BareContract {
  /** What the last call returned. */
  output: Uint8Array = new Uint8Array(0);
  readonly #evm: EVM;
  readonly #address: Address;

  private constructor(evm: EVM, address: Address) {
    this.#evm = evm;
    this.#address = address;
  }

  /** From creation code. */
  static async create(code: Uint8Array): Promise<BareContract> {
    const evm = await createEVM();
    const { createdAddress } = await evm.runCall({ caller: CALLER, data: code, gasLimit: 10_000_000n });
    assert(createdAddress !== undefined, "the bare EVM creates the contract");
    return new BareContract(evm, createdAddress);
  }

  /** So many calls, with the data in turn. */
  async call(data: readonly Uint8Array[], count: number): Promise<number> {
    for (let i = 0; i < count; i++) {
      this.#evm.journal.cleanJournal();
      const { execResult } = await this.#evm.runCall({
        ...{ caller: CALLER, to: this.#address, isStatic: true, gasLimit: 1_000_000n },
        data: data[i % data.length] as Uint8Array,
      });
      assert(execResult.exceptionError === undefined, "the bare EVM answers");
      this.output = execResult.returnValue;
    }
    return count;
  }
}
