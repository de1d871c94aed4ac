/** Signed transfers among funded accounts, the same for every contestant. */
import { bytesToHex, EMPTY_BYTES } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { Address } from "../../vm/state/account.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";

export const CHAIN_ID = 31_338n;
export const COINBASE: Address = "0x00000000000000000000000000000000000000cb";
export const BASE_FEE = 1_000_000_000n;
export const FUNDS: bigint = 10n ** 21n;
const TRANSFER_GAS = 21_000n;

export interface Workload {
  readonly addresses: readonly Address[];
  /** Raw transactions of each block. */
  readonly blocks: readonly (readonly Uint8Array[])[];
  /** Twice what a block uses, so that the base fee stays where it is. */
  readonly gasLimit: bigint;
}

export function makeWorkload(size: {
  readonly accounts: number;
  readonly blocks: number;
  readonly transfersPerBlock: number;
}): Workload {
  const random = new Prng("transfers");
  const keys = Array.from({ length: size.accounts }, () => random.bytes(32));
  const addresses = keys.map((key) => bytesToHex(privateKeyToAddress(key)));
  const nonces = new Array<bigint>(size.accounts).fill(0n);
  const transfer = (index: number): Uint8Array => {
    const from = random.below(size.accounts);
    const nonce = nonces[from] as bigint;
    nonces[from] = nonce + 1n;
    return signTransaction(
      {
        type: index % 2 === 0 ? 0 : 2,
        chainId: CHAIN_ID,
        nonce,
        maxFeePerGas: 2n * BASE_FEE,
        maxPriorityFeePerGas: index % 2 === 0 ? 2n * BASE_FEE : 1n,
        gasLimit: TRANSFER_GAS,
        to: addresses[random.below(size.accounts)],
        value: 10n ** 15n + BigInt(random.below(1_000_000)),
        data: EMPTY_BYTES,
        accessList: [],
      },
      keys[from] as Uint8Array,
    );
  };
  const blocks = Array.from({ length: size.blocks }, () =>
    Array.from({ length: size.transfersPerBlock }, (_, index) => transfer(index)),
  );
  return { addresses, blocks, gasLimit: 2n * TRANSFER_GAS * BigInt(size.transfersPerBlock) };
}
