import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { type ArgumentSpec, type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { amountOption, callModule, readModule } from "../modules/module-commands.ts";
import { namedAccount, ofOption } from "../modules/named-account.ts";
import { columns, factTable } from "../table.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";
import { stakeRegister } from "./stake-register.ts";

const OPERATOR: ArgumentSpec = { name: "operator", description: "the account of the validator's operator" };
const PAGE = 100n;

const options = { ...senderOptions, rpc: rpcOption } as const;

function operatorOf(text: string | undefined, path: string): Hex {
  return bytesToHex(readValue("<operator>", text ?? "", path, parseAddress));
}

const validators: Command = defineCommand({
  name: "validators",
  summary: "List the validators: their stake, commission, and whether they sign",
  options: { rpc: rpcOption },
  examples: [{ command: "ogpu stake validators", description: "before delegating to one" }],
  async run({ options: { rpc } }, { report, style }): Promise<ExitCode> {
    const operators: Hex[] = [];
    for (let start = 0n; ; start += PAGE) {
      const page = await readModule(rpc, "staking", "validators", [start, PAGE]);
      operators.push(...page);
      if (BigInt(page.length) < PAGE) break;
    }
    const found = await Promise.all(
      operators.map(async (operator) => ({ operator, ...(await readModule(rpc, "staking", "validator", [operator])) })),
    );
    const sorted = found.sort((a, b) => (a.stake < b.stake ? 1 : a.stake > b.stake ? -1 : 0));
    const rows = sorted.map((each) => [
      checksumAddress(hexToBytes(each.operator)),
      formatOgpu(each.stake),
      `${Number(each.commission) / 10_000} %`,
      stateText(each, style),
      each.metadata,
    ]);
    report({ validators: sorted }, columns(["operator", "stake (oGPU)", "commission", "state", "about"], rows));
    return 0;
  },
});

interface State {
  readonly isTombstoned: boolean;
  readonly jailedUntil: bigint;
  readonly isCandidate: boolean;
}

function stateText(
  { isTombstoned, jailedUntil, isCandidate }: State,
  { good, warn, bad }: { good(text: string): string; warn(text: string): string; bad(text: string): string },
): string {
  if (isTombstoned) return bad("tombstoned");
  if (jailedUntil > 0n) return warn("jailed");
  return isCandidate ? good("candidate") : warn("leaving");
}

const show: Command = defineCommand({
  name: "show",
  summary: "Show what an account has staked with a validator, and what it has earned",
  args: [OPERATOR],
  options: {
    of: ofOption,
    ...options,
  },
  examples: [{ command: "ogpu stake show 0x87bC...DD52 --from 0", description: "of a test account" }],
  async run({ args, options: given }, { report }): Promise<ExitCode> {
    const path = "ogpu stake show";
    const operator = operatorOf(args[0], path);
    const account = await namedAccount(given, path);
    const [delegation, unbondings] = await Promise.all([
      readModule(given.rpc, "staking", "delegation", [account, operator]),
      readModule(given.rpc, "staking", "unbondings", [account, operator]),
    ]);
    const text = factTable([
      ["delegated", `${formatOgpu(delegation.amount)} oGPU`],
      ["rewards", `${formatOgpu(delegation.rewards)} oGPU`],
      ...unbondings.map(
        ({ amount, dueAt }) =>
          ["unbonding", `${formatOgpu(amount)} oGPU, due ${new Date(Number(dueAt) * 1000).toISOString()}`] as const,
      ),
    ]);
    report({ account, operator, delegation, unbondings }, text);
    return 0;
  },
});

const delegate: Command = defineCommand({
  name: "delegate",
  summary: "Stake oGPU with a validator",
  args: [OPERATOR],
  options: { amount: amountOption, ...options },
  examples: [{ command: "ogpu stake delegate 0x87bC...DD52 --amount 5 --from 0", description: "on the devnet" }],
  async run({ args, options: given }, context): Promise<ExitCode> {
    const path = "ogpu stake delegate";
    const operator = operatorOf(args[0], path);
    const value = readValue("--amount", given.amount, path, parseOgpu);
    const key = await senderKey(given, path);
    const done = `delegated ${formatOgpu(value)} oGPU to ${operator}`;
    return callModule(
      given.rpc,
      key,
      { module: "staking", functionName: "delegate", args: [operator], value, done },
      context,
    );
  },
});

const unbond: Command = defineCommand({
  name: "unbond",
  summary: "Take stake back from a validator; it can be withdrawn after the unbonding time",
  args: [OPERATOR],
  options: { amount: amountOption, ...options },
  examples: [{ command: "ogpu stake unbond 0x87bC...DD52 --amount 5 --from 0", description: "on the devnet" }],
  async run({ args, options: given }, context): Promise<ExitCode> {
    const path = "ogpu stake unbond";
    const operator = operatorOf(args[0], path);
    const amount = readValue("--amount", given.amount, path, parseOgpu);
    const key = await senderKey(given, path);
    const done = `unbonding ${formatOgpu(amount)} oGPU from ${operator}; see when it is due: ogpu stake show`;
    return callModule(
      given.rpc,
      key,
      { module: "staking", functionName: "unbond", args: [operator, amount], done },
      context,
    );
  },
});

const withdraw: Command = defineCommand({
  name: "withdraw",
  summary: "Take what has unbonded",
  args: [OPERATOR],
  options,
  async run({ args, options: given }, context): Promise<ExitCode> {
    const path = "ogpu stake withdraw";
    const operator = operatorOf(args[0], path);
    const order = { module: "staking", functionName: "withdraw", args: [operator], done: "withdrawn" } as const;
    return callModule(given.rpc, await senderKey(given, path), order, context);
  },
});

const claim: Command = defineCommand({
  name: "claim",
  summary: "Take rewards, or with --commission a validator's commission",
  args: [{ ...OPERATOR, optional: true }],
  options: { commission: { type: "flag", description: "the commission of the sender's own validator" }, ...options },
  async run({ args, options: given }, context): Promise<ExitCode> {
    const path = "ogpu stake claim";
    const key = await senderKey(given, path);
    if (given.commission) {
      const order = { module: "staking", functionName: "claimCommission", args: [], done: "claimed" } as const;
      return callModule(given.rpc, key, order, context);
    }
    if (args[0] === undefined)
      throw usageError("whose rewards? give <operator>, or --commission", `See: ${path} --help`);
    const operator = operatorOf(args[0], path);
    const order = { module: "staking", functionName: "claimRewards", args: [operator], done: "claimed" } as const;
    return callModule(given.rpc, key, order, context);
  },
});

const unjail: Command = defineCommand({
  name: "unjail",
  summary: "Bring the sender's validator back after it was absent",
  options,
  async run({ options: given }, context): Promise<ExitCode> {
    const done = "out of jail; it signs again from the next epoch on, if its stake suffices";
    const order = { module: "staking", functionName: "unjail", args: [], done } as const;
    return callModule(given.rpc, await senderKey(given, "ogpu stake unjail"), order, context);
  },
});

export const stake: CommandGroup = {
  name: "stake",
  summary: "Become a validator, delegate, and take rewards",
  commands: [validators, show, stakeRegister, delegate, unbond, withdraw, claim, unjail],
};
