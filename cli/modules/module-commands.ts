/** What commands that read and call the chain's native modules have in common. */
import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
} from "viem";
import { checksumAddress } from "../../base/address.ts";
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu } from "../../base/units.ts";
import { type ModuleName, type OgpuModules, ogpuModules } from "../../rpc/client/modules.ts";
import type { CommandContext, ExitCode } from "../command.ts";
import { callRpc } from "../json-rpc-client.ts";
import { type Receipt, sendAction, waitForReceipt } from "../transaction-sender.ts";

type View<Name extends ModuleName> = ContractFunctionName<OgpuModules[Name]["abi"], "pure" | "view">;
type Changing<Name extends ModuleName> = ContractFunctionName<OgpuModules[Name]["abi"], "nonpayable" | "payable">;

/** Money that a command needs. */
export const amountOption = {
  type: "string",
  placeholder: "oGPU",
  description: "how much, such as 12.5",
  required: true,
} as const;

export async function readModule<Name extends ModuleName, Function extends View<Name>>(
  rpc: string,
  module: Name,
  functionName: Function,
  args: ContractFunctionArgs<OgpuModules[Name]["abi"], "pure" | "view", Function>,
): Promise<ContractFunctionReturnType<OgpuModules[Name]["abi"], "pure" | "view", Function>> {
  const { address, abi } = ogpuModules[module];
  const call = { abi: abi as Abi, functionName: functionName as string, args: args as readonly unknown[] };
  const data = encodeFunctionData(call);
  const answer = await asked(module, () => callRpc<Hex>(rpc, "eth_call", [{ to: address, data }, "latest"]));
  return decodeFunctionResult({ ...call, data: answer }) as never;
}

export interface ModuleOrder<Name extends ModuleName, Function extends Changing<Name>> {
  readonly module: Name;
  readonly functionName: Function;
  readonly args: ContractFunctionArgs<OgpuModules[Name]["abi"], "nonpayable" | "payable", Function>;
  readonly value?: bigint;
  /** What it does, for people, once it is done: `delegated 5 oGPU to 0x...`. */
  readonly done: string;
}

/** Sends the call, waits for its block, and says what came of it. Throws CHAIN_REFUSED with the module's own error. */
export async function callModule<Name extends ModuleName, Function extends Changing<Name>>(
  rpc: string,
  key: Uint8Array,
  { module, functionName, args, value = 0n, done }: ModuleOrder<Name, Function>,
  { report, progress, style }: CommandContext,
): Promise<ExitCode> {
  const { address, abi } = ogpuModules[module];
  const call = { abi: abi as Abi, functionName: functionName as string, args: args as readonly unknown[] };
  const data = hexToBytes(encodeFunctionData(call));
  const hash = await asked(module, () => sendAction(rpc, key, { to: address, value, data }));
  progress(`sent ${hash}, waiting for its block`);
  const receipt = await waitForReceipt(rpc, hash);
  const succeeded = receipt.status === "0x1";
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  const facts = {
    ...{ hash, from: checksumAddress(privateKeyToAddress(key)), status: succeeded ? "succeeded" : "failed" },
    ...{ blockNumber: Number(receipt.blockNumber), fee, events: eventsOf(receipt) },
  };
  const told = succeeded ? style.good(done) : style.bad("failed, and changed nothing but the fee");
  report(facts, `${told}\nblock ${facts.blockNumber}, fee ${formatOgpu(fee)} oGPU, ${hash}`);
  return succeeded ? 0 : 1;
}

/** What the modules told, decoded. */
function eventsOf({
  logs,
}: Receipt): readonly { readonly module: string; readonly event: string; readonly args: unknown }[] {
  return logs.flatMap(({ address, topics, data }) => {
    const found = Object.entries(ogpuModules).find(([, each]) => each.address === address.toLowerCase());
    if (found === undefined) return [];
    const [module, { abi }] = found;
    const decoded = decodeEventLog({ abi: abi as Abi, topics: topics as [Hex, ...Hex[]], data });
    return [{ module, event: decoded.eventName ?? "", args: decoded.args }];
  });
}

/** A revert of a module carries an error of its ABI, which says more than the node can. */
async function asked<Result>(module: ModuleName, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const reason = isCoded(error, "RPC_REFUSED") ? error.data["reason"] : undefined;
    const told = typeof reason === "string" ? errorText(module, reason as Hex) : undefined;
    if (told === undefined) throw error;
    throw new CodedError("CHAIN_REFUSED", `the ${module} module refuses: ${told}`, {
      module,
      hint: `What that means: vm/interfaces, and docs/spec/${fileName(module)}.md`,
    });
  }
}

function fileName(module: ModuleName): string {
  return module.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `NotEnoughFree(free 1, wanted 2)`, or undefined for what is no error of the module. */
export function errorText(module: ModuleName, data: Hex): string | undefined {
  try {
    const { abiItem, args, errorName } = decodeErrorResult({ abi: ogpuModules[module].abi as Abi, data });
    const inputs = "inputs" in abiItem ? (abiItem.inputs ?? []) : [];
    const values = (args ?? []).map((value, index) => `${inputs[index]?.name ?? ""} ${String(value)}`.trim());
    return `${errorName}(${values.join(", ")})`;
  } catch {
    return undefined;
  }
}
