/** Transactions to native modules by one account, with the modules' own errors told as this program's. */
import { type Abi, decodeErrorResult } from "viem";
import { CodedError } from "../../base/errors.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { type ModuleName, ogpuModules } from "../../rpc/client/modules.ts";
import type { Receipt } from "../transaction-sender.ts";
import { callOf, type ModuleUse } from "./chain-calls.ts";
import type { CallOutcome, TransactionQueue } from "./transaction-queue.ts";

export interface ModuleError {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The error that a module reverted with, if it was one of its own. */
export function moduleErrorOf(outcome: CallOutcome, module: ModuleName): ModuleError | undefined {
  if (outcome.kind !== "reverted" || outcome.data === "0x") return undefined;
  try {
    const { errorName, args } = decodeErrorResult({ abi: ogpuModules[module].abi as Abi, data: outcome.data });
    return { name: errorName, args: args ?? [] };
  } catch {
    return undefined;
  }
}

/** What a call costs: the modules say so to whoever sends less, or anything else than a bond. */
function neededOf(error: ModuleError | undefined): bigint | undefined {
  const { name, args = [] } = error ?? {};
  const needed = name === "NotEnoughSent" ? args[1] : name === "WrongBond" ? args[0] : undefined;
  return typeof needed === "bigint" ? needed : undefined;
}

/** Sends with `value`, and once more with what the module asks for if that is more. */
export async function sendUse(queue: TransactionQueue, use: ModuleUse, value = 0n): Promise<CallOutcome> {
  const outcome = await queue.send(callOf(use, value));
  const needed = neededOf(moduleErrorOf(outcome, use.module));
  return needed === undefined || needed <= value ? outcome : await queue.send(callOf(use, needed));
}

/** What to do about errors that people meet. */
const HINTS: Readonly<Record<string, string>> = {
  NotEnoughSent: "The account has too little: fund it, or choose a smaller budget.",
  PriceAboveCap: "The price has risen above the source's cap: wait, or let its owner raise the cap.",
  UnknownProgram: "Publish the program first: ogpu job submit does that by itself.",
  SourceClosed: "Choose another source: ogpu source list shows them.",
  NoSource: "ogpu source list shows the sources.",
  NoJob: "ogpu job list shows the jobs.",
  WrongStatus: "ogpu job watch shows where the job is.",
  NotClient: "Sign with the key that submitted the job.",
  NotOwner: "Sign with the key that made the source.",
  DemandOpen: "Somebody demands just that already: wait for the answer.",
  OutOfRange: "What is named must be between the last two numbers.",
};

/** Throws CHAIN_REFUSED with the module's reason. */
export async function requireDone(queue: TransactionQueue, use: ModuleUse, value = 0n): Promise<Receipt> {
  const outcome = await sendUse(queue, use, value);
  if (outcome.kind === "done") return outcome.receipt;
  throw chainRefusal(use, moduleErrorOf(outcome, use.module), outcome.message);
}

/** The market tells where a job is by a number. */
function statusText(module: ModuleName, { name, args }: ModuleError): string {
  return module === "market" && name === "WrongStatus" ? `, job ${args[0]} is ${statusName(Number(args[1]))}` : "";
}

/** CHAIN_REFUSED, with the module's own error if there is one, and what to do. */
export function chainRefusal(
  { module, name }: Pick<ModuleUse, "module" | "name">,
  error: ModuleError | undefined,
  message: string,
): CodedError {
  const args = error?.args.map(String) ?? [];
  const reason = error === undefined ? message : `${error.name}(${args.join(", ")})${statusText(module, error)}`;
  const hint = HINTS[error?.name ?? ""];
  return new CodedError("CHAIN_REFUSED", `the chain refuses ${name}: ${reason}`, {
    ...{ module, function: name, error: error?.name, args },
    ...(hint !== undefined && { hint }),
  });
}
