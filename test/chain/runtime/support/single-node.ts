/** A validator alone in a temporary folder, with accounts that have money and a clock that stands still. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bls } from "../../../../base/bls.ts";
import { bytesToHex } from "../../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { GWEI, OGPU } from "../../../../base/units.ts";
import { blsSigner } from "../../../../chain/consensus/bls-crypto.ts";
import type { Node } from "../../../../chain/runtime/node.ts";
import { type OpenNode, type OpenNodeOptions, openNode } from "../../../../chain/runtime/open-node.ts";
import type { ChainHead } from "../../../../chain/store/chain-store.ts";
import type { ChainSpec } from "../../../../genesis/chain-spec.ts";
import { developmentValidatorKey, developmentValidators } from "../../../../genesis/development-validators.ts";
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

const START_SECONDS = 1_800_000_000;

/** Alice and Bob have 1,000 oGPU each. */
export function singleSpec(): ChainSpec {
  const spec = sampleSpec();
  const empty = { note: "", nonce: 0n, code: new Uint8Array(0), storage: new Map() };
  return {
    ...spec,
    genesisTime: BigInt(START_SECONDS),
    validators: developmentValidators(1, bls),
    accounts: [ALICE, BOB].map(({ address }) => ({ ...empty, address, balance: 1000n * OGPU })),
  };
}

export class SingleNode {
  readonly directory: string = mkdtempSync(join(tmpdir(), "ogpu-node-"));
  readonly clock: ManualClock = new ManualClock(START_SECONDS * 1000);
  readonly spec: ChainSpec;
  readonly failures: unknown[] = [];
  readonly blocks: ChainHead[] = [];
  #opened: OpenNode | undefined;

  constructor(spec: ChainSpec = singleSpec()) {
    this.spec = spec;
  }

  async open(changes: Partial<OpenNodeOptions> = {}): Promise<Node> {
    this.#opened = await openNode({
      spec: this.spec,
      directory: this.directory,
      signer: blsSigner(bls, developmentValidatorKey(0, bls)),
      isNewKey: true,
      coinbase: COINBASE,
      clock: this.clock,
      onFailure: (error) => this.failures.push(error),
      ...changes,
    });
    const { node } = this.#opened;
    node.onBlock((block) => this.blocks.push(block));
    return node;
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
  }

  /** Lets the interval pass and waits for the block that is then made. */
  async nextBlock(node: Node): Promise<ChainHead> {
    const made = new Promise<ChainHead>((resolve) => {
      const unsubscribe = node.onBlock((block) => {
        unsubscribe();
        resolve(block);
      });
    });
    // Let the commit of the block before come to its end.
    await new Promise((resolve) => setImmediate(resolve));
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
