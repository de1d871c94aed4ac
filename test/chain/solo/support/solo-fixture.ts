/** A solo chain in a temporary folder, with accounts that have money and a clock that stands still. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesToHex } from "../../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { GWEI, OGPU } from "../../../../base/units.ts";
import { SoloChain, type SoloOptions } from "../../../../chain/solo/solo-chain.ts";
import type { ChainHead } from "../../../../chain/store/chain-store.ts";
import type { ChainSpec } from "../../../../genesis/chain-spec.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { signTransaction } from "../../../../vm/transaction/sign.ts";
import type { UnsignedTransaction } from "../../../../vm/transaction/transaction.ts";
import { sampleSpec } from "../../../genesis/support/sample-spec.ts";
import { ManualClock } from "./manual-clock.ts";

export interface Person {
  readonly key: Uint8Array;
  readonly address: Address;
}

export function person(number: number): Person {
  const key = new Uint8Array(32).fill(number + 1);
  return { key, address: bytesToHex(privateKeyToAddress(key)) };
}

export const ALICE: Person = person(0);
export const BOB: Person = person(1);
export const STRANGER: Person = person(9);
export const COINBASE: Address = person(7).address;

/** Alice and Bob have 1,000 oGPU each. */
export function soloSpec(): ChainSpec {
  const spec = sampleSpec();
  const empty = { note: "", nonce: 0n, code: new Uint8Array(0), storage: new Map() };
  return { ...spec, accounts: [ALICE, BOB].map(({ address }) => ({ ...empty, address, balance: 1000n * OGPU })) };
}

export class SoloFixture {
  readonly directory: string = mkdtempSync(join(tmpdir(), "ogpu-solo-"));
  readonly clock: ManualClock = new ManualClock(1_800_000_000_000);
  readonly spec: ChainSpec = soloSpec();
  readonly failures: unknown[] = [];
  readonly blocks: ChainHead[] = [];

  async open(changes: Partial<SoloOptions> = {}): Promise<SoloChain> {
    const chain = await SoloChain.open({
      spec: this.spec,
      directory: this.directory,
      coinbase: COINBASE,
      clock: this.clock,
      onViolation: (violation) => this.failures.push(violation),
      onFailure: (error) => this.failures.push(error),
      ...changes,
    });
    chain.onBlock((block) => this.blocks.push(block));
    return chain;
  }

  /** Lets the interval pass and waits for the block that is then made. */
  async nextBlock(chain: SoloChain): Promise<ChainHead> {
    const made = new Promise<ChainHead>((resolve) => {
      const unsubscribe = chain.onBlock((block) => {
        unsubscribe();
        resolve(block);
      });
    });
    // The timer of a block is set once the block before it is done with.
    while (this.clock.timersSet === 0) await new Promise((resolve) => setImmediate(resolve));
    this.clock.advance(this.spec.block.intervalMilliseconds);
    return await made;
  }

  sign(from: Person, fields: Partial<UnsignedTransaction> = {}): Uint8Array {
    return signTransaction(
      {
        type: 2,
        chainId: this.spec.chainId,
        nonce: 0n,
        maxFeePerGas: 3n * GWEI,
        maxPriorityFeePerGas: GWEI,
        gasLimit: 21_000n,
        to: BOB.address,
        value: OGPU,
        data: new Uint8Array(0),
        accessList: [],
        ...fields,
      },
      from.key,
    );
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
