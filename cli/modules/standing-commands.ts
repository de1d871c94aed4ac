/** What providers and verifiers have in common: money that stands behind their work, pauses, and an end. */
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";
import { amountOption, callModule } from "./module-commands.ts";

export interface Standing {
  readonly module: "providers" | "verifiers";
  /** As the group is called. */
  readonly word: "provider" | "verifier";
  /** What stands behind its work. */
  readonly money: "collateral" | "stake";
  /** What a pause does, and its end. */
  readonly paused: string;
  readonly resumed: string;
}

const options = { ...senderOptions, rpc: rpcOption } as const;

/** How the status is told, by the modules' numbers. */
export const STANDING_STATUS: readonly string[] = ["not registered", "active", "paused", "leaving"];

export function dateText(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString();
}

/** Rows of what leaves, for a table of facts. */
export function leavingFacts(
  [amounts, dues]: readonly [readonly bigint[], readonly bigint[]],
  word: Standing["word"],
): readonly (readonly [string, string])[] {
  return amounts.map((amount, index) => {
    const due = dateText(dues[index] ?? 0n);
    return ["leaving", `${formatOgpu(amount)} oGPU, can be claimed from ${due} on: ogpu ${word} claim`] as const;
  });
}

export function pauseCommand({ module, word, paused }: Standing): Command {
  const path = `ogpu ${word} pause`;
  return defineCommand({
    name: "pause",
    summary: "Take no new work until it resumes; what is under way goes on",
    options,
    examples: [{ command: `${path} --key ${word}.json`, description: "before it is stopped for a while" }],
    async run({ options: given }, context): Promise<ExitCode> {
      const order = { module, functionName: "pause", args: [], done: paused } as const;
      return callModule(given.rpc, await senderKey(given, path), order, context);
    },
  });
}

export function resumeCommand({ module, word, resumed }: Standing): Command {
  const path = `ogpu ${word} resume`;
  return defineCommand({
    name: "resume",
    summary: "Take work again after a pause",
    options,
    examples: [{ command: `${path} --key ${word}.json`, description: "when it is back" }],
    async run({ options: given }, context): Promise<ExitCode> {
      const order = { module, functionName: "resume", args: [], done: resumed } as const;
      return callModule(given.rpc, await senderKey(given, path), order, context);
    },
  });
}

export function topUpCommand({ module, word, money }: Standing): Command {
  const path = `ogpu ${word} top-up`;
  return defineCommand({
    name: "top-up",
    summary: `Add to its ${money}`,
    options: { amount: amountOption, ...options },
    examples: [{ command: `${path} --amount 50 --key ${word}.json`, description: "50 oGPU more" }],
    async run({ options: given }, context): Promise<ExitCode> {
      const value = readValue("--amount", given.amount, path, parseOgpu);
      const done = `added ${formatOgpu(value)} oGPU`;
      const order = { module, functionName: "topUp", args: [], value, done } as const;
      return callModule(given.rpc, await senderKey(given, path), order, context);
    },
  });
}

export function withdrawCommand({ module, word, money }: Standing): Command {
  const path = `ogpu ${word} withdraw`;
  return defineCommand({
    name: "withdraw",
    summary: `Begin to take a part of its ${money} out; it can be claimed after a delay`,
    details:
      `What is withdrawn stays liable until it is claimed, and the minimum has to stay: to take everything, see ogpu ${word} ` +
      `exit. ogpu ${word} status says when it is due.`,
    options: {
      amount: amountOption,
      cancel: { type: "flag", description: "the other way round: what was leaving stays after all" },
      ...options,
    },
    examples: [
      { command: `${path} --amount 25 --key ${word}.json`, description: "25 oGPU, which wait for their time" },
    ],
    async run({ options: given }, context): Promise<ExitCode> {
      const amount = readValue("--amount", given.amount, path, parseOgpu);
      const key = await senderKey(given, path);
      const much = `${formatOgpu(amount)} oGPU`;
      const done = given.cancel ? `${much} stay` : `${much} are leaving; see when they are due: ogpu ${word} status`;
      const functionName = given.cancel ? "cancelWithdrawal" : "requestWithdrawal";
      return callModule(given.rpc, key, { module, functionName, args: [amount], done }, context);
    },
  });
}

export function claimCommand({ module, word, money }: Standing): Command {
  const path = `ogpu ${word} claim`;
  return defineCommand({
    name: "claim",
    summary: `Take ${money} whose time of leaving is over`,
    options,
    examples: [{ command: `${path} --key ${word}.json`, description: "all that is due" }],
    async run({ options: given }, context): Promise<ExitCode> {
      const order = { module, functionName: "withdraw", args: [], done: "all that was due is paid" } as const;
      return callModule(given.rpc, await senderKey(given, path), order, context);
    },
  });
}
