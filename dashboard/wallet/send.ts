/** Sends a call to a module: tried on the node first, then signed, then followed until it is final. */
import { type Abi, type Hash, type Hex, parseEventLogs, type TransactionReceipt } from "viem";
import { simulateContract, waitForTransactionReceipt, writeContract } from "viem/actions";
import { moduleNamed } from "../state/modules.ts";
import { node } from "../state/node.ts";
import { describeProblem } from "../words/problem.ts";
import { hideToast, showToast } from "./toasts.ts";
import { signer, wallet } from "./wallet.ts";

export interface ModuleCall {
  /** What it does, for the messages: "Delegation of 5 oGPU". */
  readonly title: string;
  readonly module: string;
  readonly functionName: string;
  readonly args?: readonly unknown[];
  readonly value?: bigint;
}

/** What a transaction came to that is final and went well; `undefined` otherwise, of which the reader has been told. */
export type Sent = TransactionReceipt | undefined;

export async function sendCall({ title, module, functionName, args = [], value = 0n }: ModuleCall): Promise<Sent> {
  const { address, abi } = moduleNamed(module);
  return await follow(title, async (account) => {
    // The module's own reason is clearer than what a wallet makes of it.
    await simulateContract(node, { account, address, abi, functionName, args, value } as never);
    const client = await signer();
    const { account: from, chain } = client;
    return await writeContract(client, { address, abi, functionName, args, value, account: from, chain } as never);
  });
}

export async function follow(title: string, send: (account: Hex) => Promise<Hash>): Promise<Sent> {
  const account = wallet.value?.address;
  if (account === undefined) {
    showToast({ tone: "bad", title: "No wallet is connected.", detail: "Connect one at the top of the page." });
    return undefined;
  }
  const isInjected = wallet.value?.provider !== undefined;
  let toast = showToast({ tone: "plain", title, detail: isInjected ? "Confirm it in your wallet." : "Being signed." });
  try {
    const hash = await send(account);
    toast = showToast({ tone: "plain", title, detail: "Sent. Waiting for its block.", hash }, toast);
    const receipt = await waitForTransactionReceipt(node, { hash, timeout: 60_000 });
    const { status, blockNumber } = receipt;
    const isGood = status === "success";
    const detail = isGood ? `Final in block ${blockNumber}.` : `It was included in block ${blockNumber} and failed.`;
    showToast({ tone: isGood ? "good" : "bad", title, detail, hash }, toast);
    return isGood ? receipt : undefined;
  } catch (error) {
    hideToast(toast);
    showToast({ tone: "bad", ...describeProblem(error) });
    return undefined;
  }
}

/** A number that a module told in a transaction: the argument `name` of its first such event. */
export function toldNumber({ logs }: TransactionReceipt, module: string, eventName: string, name: string): bigint {
  const { address, abi } = moduleNamed(module);
  const own = logs.filter((log) => log.address.toLowerCase() === address);
  const [event] = parseEventLogs({ abi: abi as Abi, eventName, logs: own });
  return (event?.args as Readonly<Record<string, bigint>> | undefined)?.[name] ?? 0n;
}
