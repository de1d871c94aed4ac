import { parseAddress } from "../../base/address.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { formatOgpu } from "../../base/units.ts";
import { PARAMETERS, type ParameterUnit } from "../../genesis/economy.ts";
import { VOTE_CHOICES } from "../../rpc/client/ogpu-wallet-actions.ts";
import { type ArgumentSpec, type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { callModule, readModule } from "../modules/module-commands.ts";
import { columns, factTable } from "../table.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PAGE = 100n;
const KINDS = ["", "parameters", "spending", "upgrade", "text"];
const STATUSES = ["", "voting", "queued", "executed", "failed", "rejected", "no quorum", "vetoed", "cancelled"];
const ID: ArgumentSpec = { name: "proposal", description: "its number" };

function proposalId(text: string | undefined, path: string): bigint {
  return readValue("<proposal>", text ?? "", path, (given) => {
    if (/^\d{1,18}$/.test(given)) return BigInt(given);
    throw new CodedError("BAD_NUMBER", "write the number of a proposal, such as 3");
  });
}

const proposals: Command = defineCommand({
  name: "list",
  summary: "List proposals, the newest first",
  options: {
    limit: { type: "integer", placeholder: "n", description: "how many at most", default: 20, min: 1, max: 100 },
    rpc: rpcOption,
  },
  async run({ options: { limit, rpc } }, { report }): Promise<ExitCode> {
    const count = await readModule(rpc, "governance", "proposalCount", []);
    const start = count > BigInt(limit) ? count - BigInt(limit) : 0n;
    const found = [...(await readModule(rpc, "governance", "proposals", [start, BigInt(limit)]))].reverse();
    const rows = found.map(({ id, kind, status, due, title }) => [
      `${id}`,
      KINDS[kind] ?? "",
      STATUSES[status] ?? "",
      due === 0n ? "" : new Date(Number(due) * 1000).toISOString(),
      title,
    ]);
    const text = rows.length === 0 ? "no proposals yet" : columns(["id", "kind", "status", "due", "title"], rows);
    report({ proposals: found }, text);
    return 0;
  },
});

const show: Command = defineCommand({
  name: "show",
  summary: "Show a proposal and its votes",
  args: [ID],
  options: { rpc: rpcOption },
  async run({ args, options: { rpc } }, { report }): Promise<ExitCode> {
    const id = proposalId(args[0], "ogpu gov show");
    const [proposal, [yes, no, abstain, veto, total]] = await Promise.all([
      readModule(rpc, "governance", "proposal", [id]),
      readModule(rpc, "governance", "tally", [id]),
    ]);
    const share = (votes: bigint): string =>
      `${formatOgpu(votes)} oGPU (${total === 0n ? 0 : Number((votes * 1000n) / total) / 10} % of all stake)`;
    const text = factTable([
      ["title", proposal.title],
      ["kind", KINDS[proposal.kind] ?? ""],
      ["status", STATUSES[proposal.status] ?? ""],
      ["proposer", proposal.proposer],
      ["yes", share(yes)],
      ["no", share(no)],
      ["abstain", share(abstain)],
      ["veto", share(veto)],
    ]);
    report({ ...proposal, votes: { yes, no, abstain, veto, total } }, text);
    return 0;
  },
});

const vote: Command = defineCommand({
  name: "vote",
  summary: "Vote on a proposal, as a validator's operator or as a delegator",
  args: [ID, { name: "choice", description: "yes, no, abstain or veto" }],
  options: {
    validator: {
      type: "string",
      placeholder: "operator",
      description: "as a delegator of this validator: one's own stake then votes for itself",
    },
    ...senderOptions,
    rpc: rpcOption,
  },
  examples: [
    { command: "ogpu gov vote 3 yes --key keys/operator.json", description: "with all of a validator's stake" },
  ],
  async run({ args, options }, context): Promise<ExitCode> {
    const path = "ogpu gov vote";
    const id = proposalId(args[0], path);
    const choice = VOTE_CHOICES.findIndex((each, index) => index > 0 && each === args[1]);
    if (choice < 1) throw usageError(`${args[1]} is no choice`, "Choices: yes, no, abstain, veto.");
    const validator = options.validator && bytesToHex(readValue("--validator", options.validator, path, parseAddress));
    const key = await senderKey(options, path);
    const done = `voted ${args[1]} on proposal ${id}`;
    if (validator === undefined || validator === "") {
      return callModule(
        options.rpc,
        key,
        { module: "governance", functionName: "vote", args: [id, choice], done },
        context,
      );
    }
    const order = {
      module: "governance",
      functionName: "voteAsDelegator",
      args: [id, validator, choice],
      done,
    } as const;
    return callModule(options.rpc, key, order, context);
  },
});

const parameters: Command = defineCommand({
  name: "parameters",
  summary: "List the parameters of the economy as they are now",
  options: { rpc: rpcOption },
  async run({ options: { rpc } }, { report }): Promise<ExitCode> {
    const found: { readonly name: string; readonly value: bigint; readonly least: bigint; readonly most: bigint }[] =
      [];
    for (let start = 0n; ; start += PAGE) {
      const page = await readModule(rpc, "governance", "parameters", [start, PAGE]);
      found.push(...page);
      if (BigInt(page.length) < PAGE) break;
    }
    const rows = found.map(({ name, value, least, most }) => [
      name,
      shown(name, value),
      `${shown(name, least)} to ${shown(name, most)}`,
    ]);
    report({ parameters: found }, columns(["parameter", "value", "may be"], rows));
    return 0;
  },
});

const UNITS: ReadonlyMap<string, ParameterUnit> = new Map(PARAMETERS.map((each) => [each.name, each.definition.unit]));

/** In the unit that people think in. */
function shown(name: string, value: bigint): string {
  const unit = UNITS.get(name);
  if (unit === "amount") return `${formatOgpu(value)} oGPU`;
  if (unit === "share") return `${Number(value) / 10_000} %`;
  return unit === "seconds" ? `${value} s` : `${value}`;
}

export const governance: CommandGroup = {
  name: "gov",
  summary: "Read proposals and parameters, and vote",
  commands: [proposals, show, vote, parameters],
};
