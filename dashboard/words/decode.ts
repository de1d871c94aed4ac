/** Transactions and logs in words, by the ABIs of the native modules. */
import { type AbiParameter, decodeEventLog, decodeFunctionData, getAbiItem, type Hex } from "viem";
import { type KnownModule, moduleAt } from "../state/modules.ts";
import { type Described, fill, type Sentence, spelledOut } from "./sentence.ts";
import { CALLS, CHOICES, EVENTS } from "./templates.ts";

export interface TransactionParts {
  readonly to: string | null | undefined;
  readonly value: bigint;
  readonly input: Hex;
}

/** What a transaction wants, whoever sends it. */
export function wordsOfTransaction({ to, value, input }: TransactionParts): Sentence {
  const sent: Described = { name: "value", type: "uint256", value };
  if (to === null || to === undefined) return ["Create a contract"];
  const module = moduleAt(to);
  if (module !== undefined) {
    const call = decodedCall(module, input, sent);
    if (call !== undefined) return call;
  }
  const target = { kind: "address", address: to } as const;
  if (input === "0x") return ["Send ", { kind: "amount", wei: value }, " to ", target];
  const money = value === 0n ? [] : [" with ", { kind: "amount", wei: value } as const];
  return ["Call ", { kind: "code", text: input.slice(0, 10) }, " of ", target, ...money];
}

function decodedCall({ name: module, abi }: KnownModule, input: Hex, sent: Described): Sentence | undefined {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data: input });
    const item = getAbiItem({ abi, name: functionName, args: args as never });
    const inputs = item !== undefined && "inputs" in item ? (item.inputs ?? []) : [];
    const values = inputs.map((parameter, index) => described(module, parameter, args[index]));
    const template = CALLS[`${module}.${functionName}`];
    if (template !== undefined) return fill(module, template, [sent, ...values]);
    return spelledOut(module, functionName, sent.value === 0n ? values : [sent, ...values]);
  } catch {
    return undefined;
  }
}

export interface LogParts {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** `undefined` for the log of a contract that this page does not know. */
export function wordsOfLog({ address, topics, data }: LogParts): Sentence | undefined {
  const module = moduleAt(address);
  if (module === undefined) return undefined;
  try {
    const { eventName, args } = decodeEventLog({ abi: module.abi, topics: topics as [Hex, ...Hex[]], data });
    if (eventName === undefined) return undefined;
    const item = getAbiItem({ abi: module.abi, name: eventName });
    const inputs = item !== undefined && "inputs" in item ? (item.inputs ?? []) : [];
    const named = (args ?? {}) as unknown as Readonly<Record<string, unknown>>;
    const values = inputs.map((parameter) => described(module.name, parameter, named[parameter.name ?? ""]));
    const template = EVENTS[`${module.name}.${eventName}`];
    return template === undefined ? spelledOut(module.name, eventName, values) : fill(module.name, template, values);
  } catch {
    return undefined;
  }
}

function described(module: string, { name = "", type }: AbiParameter, value: unknown): Described {
  const word = CHOICES[`${module}.${name}`]?.[Number(value)];
  return word === undefined ? { name, type, value } : { name, type: "word", value: word };
}
