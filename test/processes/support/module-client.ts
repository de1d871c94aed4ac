/** Calls native modules of a running network over JSON-RPC, as a dApp would. */
import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from "viem";
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { bytesToHex, EMPTY_BYTES, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { GWEI } from "../../../base/units.ts";
import type { Address } from "../../../vm/state/account.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { call } from "./json-rpc.ts";
import { until } from "./until.ts";

type Mutability = "pure" | "view" | "nonpayable" | "payable";

export interface Target<A extends Abi> {
  readonly address: Address;
  readonly abi: A;
}

export interface ClientReceipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly blockNumber: number;
  /** What the gas has cost. */
  readonly fee: bigint;
}

export class ModuleClient {
  readonly #url: () => string;
  readonly #chainId: bigint;

  constructor(url: () => string, chainId: bigint) {
    this.#url = url;
    this.#chainId = chainId;
  }

  /** In a final block, whether it succeeded or not. */
  async send<const A extends Abi, Name extends ContractFunctionName<A>>(
    key: Uint8Array,
    { address, abi }: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, Mutability, Name>,
    value = 0n,
  ): Promise<ClientReceipt> {
    const data = hexToBytes(encodeFunctionData({ abi: abi as Abi, functionName, args } as never));
    return await this.#transact(key, address, value, data, 6_000_000n);
  }

  async transfer(key: Uint8Array, to: Address, value: bigint): Promise<ClientReceipt> {
    return await this.#transact(key, to, value, EMPTY_BYTES, 21_000n);
  }

  /** On the state after a block: the last one if none is named. */
  async view<const A extends Abi, Name extends ContractFunctionName<A>>(
    { address, abi }: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, Mutability, Name>,
    block?: number,
  ): Promise<ContractFunctionReturnType<A, Mutability, Name>> {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args } as never);
    const output = await call<Hex>(this.#url(), "eth_call", [{ to: address, data }, tagOf(block)]);
    const result = decodeFunctionResult({ abi: abi as Abi, functionName: functionName as string, data: output });
    return result as ContractFunctionReturnType<A, Mutability, Name>;
  }

  async balance(address: Address, block?: number): Promise<bigint> {
    return BigInt(await call<Hex>(this.#url(), "eth_getBalance", [address, tagOf(block)]));
  }

  async #transact(
    key: Uint8Array,
    to: Address,
    value: bigint,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<ClientReceipt> {
    const from = bytesToHex(privateKeyToAddress(key));
    const nonce = BigInt(await call<Hex>(this.#url(), "eth_getTransactionCount", [from, "latest"]));
    const fees = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, gasLimit };
    const raw = signTransaction(
      { type: 2, chainId: this.#chainId, nonce, ...fees, to, value, data, accessList: [] },
      key,
    );
    const hash = await call<Hex>(this.#url(), "eth_sendRawTransaction", [bytesToHex(raw)]);
    return await this.receipt(hash);
  }

  async receipt(hash: Hex): Promise<ClientReceipt> {
    const found = await until(`a block has ${hash}`, async () => {
      const receipt = await call<Readonly<Record<string, Hex>> | null>(this.#url(), "eth_getTransactionReceipt", [
        hash,
      ]);
      return receipt ?? undefined;
    });
    const { status = "0x", blockNumber = "0x0", gasUsed = "0x0", effectiveGasPrice = "0x0" } = found;
    const fee = BigInt(gasUsed) * BigInt(effectiveGasPrice);
    return { transactionHash: hash, status, blockNumber: Number(blockNumber), fee };
  }
}

function tagOf(block: number | undefined): string {
  return block === undefined ? "latest" : `0x${block.toString(16)}`;
}
