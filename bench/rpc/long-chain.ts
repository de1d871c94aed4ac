/** A validator's folder with a chain of many blocks, each with one transfer of a token, made as fast as this machine can. */
import { encodeFunctionData, getContractAddress, parseAbi } from "viem";
import { bls } from "../../base/bls.ts";
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import { GWEI } from "../../base/units.ts";
import { blsSigner } from "../../chain/consensus/bls-crypto.ts";
import type { Clock } from "../../chain/runtime/clock.ts";
import type { Node } from "../../chain/runtime/node.ts";
import { openNode } from "../../chain/runtime/open-node.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { developmentValidatorKey } from "../../genesis/development-validators.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";

const ABI = parseAbi(["function transfer(address to, uint256 value) returns (bool)"]);

/** Every so many transfers, one goes to the account that is asked about. */
export const RARE = 20;

function recipient(index: number): Hex {
  const rare = testAccount(1).address;
  return index % RARE === 0 ? rare : `0x${(0x100000 + (index % 1_000)).toString(16).padStart(40, "0")}`;
}

export function transferData(index: number): Hex {
  return encodeFunctionData({ abi: ABI, functionName: "transfer", args: [recipient(index), BigInt(index)] });
}

export interface LongChain {
  readonly token: Hex;
  readonly transfers: number;
}

/** The first block has the token, the others a transfer each; the end of an epoch may be a block of its own. */
export async function makeLongChain(
  directory: string,
  spec: ChainSpec,
  code: Uint8Array,
  blocks: number,
): Promise<LongChain> {
  const holder = testAccount(0);
  const clock = new LeapingClock(Number(spec.genesisTime) * 1000);
  const failures: unknown[] = [];
  const opened = await openNode({
    ...{ spec, directory, clock, coinbase: holder.address, isNewKey: true },
    signer: blsSigner(bls, developmentValidatorKey(0, bls)),
    onFailure: (error) => failures.push(error),
  });
  const token = getContractAddress({ from: holder.address, nonce: 0n }).toLowerCase() as Hex;
  let nonce = 0;
  try {
    for (; opened.node.head.number < blocks; nonce++) {
      const content =
        nonce === 0 ? { to: undefined, data: code } : { to: token, data: hexToBytes(transferData(nonce)) };
      const raw = signTransaction(
        {
          ...{ type: 2, chainId: spec.chainId, nonce: BigInt(nonce), value: 0n, accessList: [] },
          ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, gasLimit: 2_000_000n },
          ...content,
        },
        holder.privateKey,
      );
      const made = nextBlock(opened.node);
      await opened.node.submit(raw);
      clock.leap(spec.block.intervalMilliseconds);
      await made;
      if (failures.length > 0) throw failures[0];
    }
  } finally {
    await opened.close();
  }
  return { token, transfers: nonce - 1 };
}

function nextBlock(node: Node): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = node.onBlock(() => {
      unsubscribe();
      // Let the commit come to its end.
      setImmediate(resolve);
    });
  });
}

/** A clock that stands still until it is told how far to leap. */
class LeapingClock implements Clock {
  #time: number;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor(time: number) {
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  setTimer(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#time + milliseconds, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  leap(milliseconds: number): void {
    this.#time += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#time);
    this.#timers = this.#timers.filter(({ at }) => at > this.#time);
    for (const { run } of due) run();
  }
}
